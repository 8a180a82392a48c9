// @ts-check
/* The bench: an experiment is put together, runs in this page, and is taken along. */

import { unsupported } from "../lab/unsupported.mjs";
import { button, element } from "../widgets/dom.mjs";
import { Progress } from "../widgets/progress.mjs";
import { sorry } from "../widgets/runs.mjs";
import { experimentOf } from "./experiment.mjs";
import { faultsIn } from "./faults.mjs";
import { newForm } from "./form.mjs";
import { FormView } from "./form_view.mjs";
import { isSealed, LinkError, opened } from "./link.mjs";
import { presetsView } from "./presets_view.mjs";
import { formOf } from "./reading.mjs";
import { ResultsView } from "./results_view.mjs";
import { carriedOut, PlanError } from "./running.mjs";
import { SharingView } from "./sharing_view.mjs";
import { changes, summary } from "./words.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */

class Bench {
  /** @param {HTMLElement} place */
  constructor(place) {
    /** @type {JsonObject | null} an experiment that has more than the form shows */
    this.given = null;
    /** @type {JsonObject | null} of the latest run */
    this.before = null;
    /** @type {AbortController | null} */
    this.running = null;
    this.news = element("p", { className: "lp-news", role: "status", hidden: true });
    this.what = element("p", { className: "lp-told" });
    this.beyond = element("div", { className: "lp-beyond", hidden: true });
    this.faults = element("div", { className: "lp-faults", role: "alert" });
    this.runButton = button("Run it here", () => this.run(), { className: "lp-button lp-first" });
    this.progress = new Progress(() => this.cancel());
    this.results = new ResultsView();
    this.sharing = new SharingView(
      () => this.json(),
      (json) => this.take(json),
    );
    this.form = new FormView(newForm(), () => this.changed());
    const words = "The experiment runs in this page: the lab’s Linux kernel, in virtual time.";
    const run = element(
      "div",
      { className: "lp-go" },
      ...[this.what, this.runButton, element("p", { className: "lp-note", textContent: words })],
      ...[this.faults, this.progress.box],
    );
    place.replaceChildren(
      this.news,
      presetsView((json, title) => this.begin(json, title)),
      ...[this.beyond, this.form.box, run, this.results.box],
      element("h2", { textContent: "Take it along" }),
      this.sharing.box,
    );
    const cannot = unsupported();
    if (cannot) {
      this.runButton.disabled = true;
      this.tell(`It cannot run here: ${cannot} The form, the link and the notebook work.`);
    }
    this.changed();
    addEventListener("hashchange", () => this.openLink());
    void this.openLink();
  }

  /** The experiment as it stands. */
  json() {
    return this.given ?? experimentOf(this.form.form);
  }

  changed() {
    if (!this.form) return; // it is being made
    this.faults.replaceChildren();
    this.form.clear();
    this.what.textContent = summary(this.given ? formOf(this.given).form : this.form.form);
    this.sharing.changed();
  }

  /**
   * Another experiment, into the form if that holds all of it.
   * @param {JsonObject} json
   */
  take(json) {
    const { form, beyond } = formOf(json);
    this.given = beyond.length ? json : null;
    this.beyond.hidden = this.given === null;
    this.form.box.hidden = this.given !== null;
    if (this.given) this.showBeyond(beyond);
    else this.form.show(form);
    this.changed();
  }

  /** @param {readonly string[]} beyond */
  showBeyond(beyond) {
    const listed = beyond.slice(0, 6).join(", ") + (beyond.length > 6 ? ", …" : "");
    const words = `This experiment has more than the form shows: ${listed}. It can be run, and changed as JSON below.`;
    const leave = button("Back to the form", () => this.take(experimentOf(this.form.form)));
    this.beyond.replaceChildren(element("p", { textContent: words }), leave);
  }

  /**
   * One of the experiments to begin with runs at once.
   * @param {JsonObject} json
   * @param {string} title
   */
  begin(json, title) {
    this.cancel();
    this.take(json);
    if (unsupported()) this.tell(`“${title}” is in the form.`);
    else void this.run(title);
  }

  /** @param {string} said */
  tell(said) {
    this.news.hidden = said === "";
    this.news.textContent = said;
  }

  /** An experiment in the page's address. */
  async openLink() {
    if (!isSealed(location.hash)) return;
    try {
      const json = await opened(location.hash);
      this.cancel();
      this.take(json);
      this.tell(
        `A link was opened, and its experiment is below: ${this.what.textContent} It runs when you say so.`,
      );
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      this.tell(`${error.message} The form is as it was.`);
    }
    this.news.scrollIntoView({ block: "nearest" });
  }

  cancel() {
    if (!this.running) return;
    this.running.abort();
    this.running = null;
    this.runButton.disabled = unsupported() !== null;
    this.progress.end("Cancelled.");
  }

  /** @param {string} [title] what the run is called; else by what is otherwise than in the run before */
  async run(title) {
    const json = /** @type {JsonObject} */ (structuredClone(this.json()));
    const alone = this.before === null || networkOf(this.before) !== networkOf(json);
    const before = alone ? null : this.before;
    const words =
      title ?? (before ? changes(before, json) || "The same again." : (this.what.textContent ?? ""));
    const abort = new AbortController();
    this.running = abort;
    this.runButton.disabled = true;
    this.faults.replaceChildren();
    this.form.clear();
    try {
      const done = await carriedOut(json, this.progress, abort.signal);
      if (abort.signal.aborted) return;
      this.progress.start("Drawing");
      const took = `Linux ${done.kernel} took ${done.wall_s.toFixed(1)} s for it here.`;
      await this.results.add({ ...done, words, took }, { alone });
      this.before = json;
      if (this.running !== abort) return;
      this.progress.end(`Done. ${took}`);
      this.results.box.scrollIntoView({ block: "start" });
    } catch (error) {
      if (this.running === abort) this.sorry(error);
    } finally {
      if (this.running === abort) {
        this.running = null;
        this.runButton.disabled = false;
      }
    }
  }

  /** @param {unknown} error */
  sorry(error) {
    if (!(error instanceof PlanError)) {
      this.progress.end(sorry(error));
      return;
    }
    this.progress.end();
    const faults = faultsIn(error.message);
    const lines = faults.map(({ text }) => element("li", { textContent: text }));
    const lead = element("p", { textContent: "labkit does not take this experiment:" });
    this.faults.replaceChildren(lead, element("ul", {}, ...lines));
    const shown = this.given ? false : faults.map((fault) => this.form.reveal(fault)).some(Boolean);
    if (shown) {
      const first = /** @type {HTMLElement | null} */ (this.form.box.querySelector("[aria-invalid]"));
      first?.focus();
    }
  }
}

/**
 * Who is joined with whom: runs of one network can be compared.
 * @param {JsonObject} experiment
 */
function networkOf({ topology }) {
  const { hosts, links } = /** @type {{hosts?: unknown, links?: unknown}} */ (topology ?? {});
  const joints = Array.isArray(links) ? links.map(({ a, b }) => [a, b]) : [];
  return JSON.stringify([hosts, joints]);
}

const place = document.getElementById("lp-bench");
if (place) new Bench(place);
