// @ts-check
/* The film of a run's packets, by labkit's packet player. It needs what every host sent and received: a run that was
 * captured at fewer is run once more, which changes nothing in it. */

import { filmNeeds } from "../player/journeys.mjs";
import { filmOf } from "../player/player.mjs";
import { playerFigure } from "../player/view.mjs";
import { button, element } from "../widgets/dom.mjs";
import { Progress } from "../widgets/progress.mjs";
import { sorry } from "../widgets/runs.mjs";
import { labelled } from "./controls.mjs";
import { onceMore } from "./running.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */

export class FilmView {
  /**
   * @param {Result} result
   * @param {string} kernel that it was run with
   */
  constructor(result, kernel) {
    this.result = result;
    this.kernel = kernel;
    /** @type {AbortController | null} */
    this.running = null;
    this.from = element("input", { type: "text", inputMode: "decimal", placeholder: "0.5" });
    this.to = element("input", { type: "text", inputMode: "decimal", placeholder: "1.2" });
    const fields = [labelled("From, s", this.from), labelled("To, s", this.to)];
    this.show = button("Show the film", () => this.make());
    this.progress = new Progress(() => this.running?.abort());
    this.place = element("div", { className: "lp-film" });
    const words =
      "Without times: the first loss and how it was mended. A film is short: some hundred packets.";
    this.box = element(
      "div",
      {},
      element("div", { className: "lp-fields" }, ...fields),
      element("p", { className: "lp-note", textContent: words }),
      element("div", { className: "lp-buttons" }, this.show),
      ...[this.progress.box, this.place],
    );
  }

  /** What was asked for; null: nothing was. */
  between() {
    const [from, to] = [this.from, this.to].map(({ value }) => value.trim().replace(/\s*s$/, ""));
    if (!from && !to) return null;
    const times = /** @type {[number, number]} */ ([Number(from || "0"), Number(to)]);
    if (!to || times.some((time) => !Number.isFinite(time)) || !(times[0] < times[1])) {
      throw new RangeError("Write two times in seconds, the first before the second: 0.5 and 1.2.");
    }
    return times;
  }

  async make() {
    this.running?.abort();
    const abort = new AbortController();
    this.running = abort;
    this.show.disabled = true;
    try {
      const between = this.between();
      await this.captured(abort.signal);
      this.progress.start("Making the film");
      const film = filmOf(this.result, { between, kernel: this.kernel });
      await playerFigure(film, this.place);
      this.progress.end();
    } catch (error) {
      this.progress.end(abort.signal.aborted ? "Cancelled." : sorry(error));
    } finally {
      this.show.disabled = false;
    }
  }

  /**
   * The run with all that a film needs.
   * @param {AbortSignal} signal
   */
  async captured(signal) {
    const { experiment, layout } = this.result.recorded;
    const { probes, capture } = filmNeeds(experiment, layout);
    const kept = new Set(experiment.capture.filter((one) => one.interface === null).map(({ host }) => host));
    const has =
      probes.every((name) => experiment.probes.includes(name)) && capture.every((host) => kept.has(host));
    if (!has) this.result = await onceMore(this.result, { probes, capture }, this.progress, signal);
  }
}
