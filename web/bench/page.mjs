// @ts-check
/* The bench: an experiment is put together, runs in this page, and is taken along. */

import { unsupported } from "../lab/unsupported.mjs";
import { isFree } from "../widgets/ahead.mjs";
import { button, element } from "../widgets/dom.mjs";
import { Latest } from "../widgets/latest.mjs";
import { Progress } from "../widgets/progress.mjs";
import { sorry } from "../widgets/runs.mjs";
import { compiled, PlanError } from "./compiling.mjs";
import { canonical, experimentOf } from "./experiment.mjs";
import { faultsIn } from "./faults.mjs";
import { newForm } from "./form.mjs";
import { FormView } from "./form_view.mjs";
import { isSealed, LinkError, opened } from "./link.mjs";
import { presetsView } from "./presets_view.mjs";
import { formOf } from "./reading.mjs";
import { ResultsView } from "./results_view.mjs";
import { carriedOut } from "./running.mjs";
import { SharingView } from "./sharing_view.mjs";
import { runName, sameNetwork, summary } from "./words.mjs";

/** @typedef {import("./experiment.mjs").JsonObject} JsonObject */

class Bench {
  /** @param {HTMLElement} place */
  constructor(place) {
    /** @type {JsonObject | null} an experiment that has more than the form shows */
    this.given = null;
    /** @type {JsonObject | null} of the latest run */
    this.before = null;
    /** @type {{title: string, json: JsonObject} | null} of the experiments to begin with, the one that was pressed */
    this.begun = null;
    /** @type {AbortController | null} */
    this.running = null;
    this.news = element("p", { className: "lp-news", role: "status", hidden: true });
    this.what = element("p", { className: "lp-told" });
    this.beyond = element("div", { className: "lp-beyond", hidden: true });
    this.faults = element("div", { className: "lp-faults", role: "alert", tabIndex: 0 });
    this.runButton = button("Run it here", () => this.run(), { className: "lp-button lp-first" });
    this.progress = new Progress(() => this.cancel());
    this.results = new ResultsView();
    this.sharing = new SharingView(
      () => this.json(),
      (json) => this.take(json),
    );
    this.ahead = new Latest((/** @type {JsonObject} */ json) => this.compile(json));
    this.form = new FormView(
      newForm(),
      () => this.changed(),
      () => this.left(),
    );
    const run = element(
      "div",
      { className: "lp-go" },
      ...[this.faults, this.progress.box, this.runButton, this.what],
    );
    const presets = presetsView((json, title) => this.begin(json, title));
    const none = element("p", { className: "lp-note lp-none", textContent: "Results appear here." });
    this.side = element("div", { className: "lp-side" }, none, this.results.box);
    place.replaceChildren(
      this.news,
      element(
        "div",
        { className: "lp-beside" },
        element("div", { className: "lp-left" }, presets, this.beyond, this.form.box, run),
        this.side,
      ),
      this.results.tables,
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
    this.form.faults.clearAll("labkit");
    this.what.textContent = summary(this.given ? formOf(this.given).form : this.form.form);
    this.sharing.changed();
  }

  /** A field was left: labkit looks at the experiment, and has its program ready, if the bytes cost nothing. */
  left() {
    const { connection } = /** @type {{connection?: import("../widgets/ahead.mjs").Connection}} */ (
      navigator
    );
    if (this.given || this.form.faults.shown().length || unsupported()) return;
    if (isFree(connection, matchMedia("(pointer: fine)").matches)) this.ahead.want(this.json());
  }

  /** @param {JsonObject} json */
  async compile(json) {
    try {
      await compiled(json);
    } catch (error) {
      if (!(error instanceof PlanError)) console.warn("nothing was compiled ahead; Run tries again:", error);
      else if (canonical(json) === canonical(this.json())) this.form.told(faultsIn(error.message));
    }
  }

  /**
   * Another experiment, into the form if that holds all of it.
   * @param {JsonObject} json
   */
  take(json) {
    const { form, beyond } = formOf(json);
    this.given = beyond.length ? json : null;
    this.begun = null;
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
    this.begun = { title, json };
    if (unsupported()) this.tell(`“${title}” is in the form.`);
    else void this.run();
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

  async run() {
    this.faults.replaceChildren();
    if (!this.given && !this.form.isSound()) {
      this.progress.end();
      this.showFaults([]);
      return;
    }
    const json = /** @type {JsonObject} */ (structuredClone(this.json()));
    const alone = this.before === null || !sameNetwork(this.before, json);
    const words = runName(json, this.begun, this.before);
    const abort = new AbortController();
    this.running = abort;
    this.runButton.disabled = true;
    try {
      const done = await carriedOut(json, this.progress, abort.signal);
      if (abort.signal.aborted) return;
      this.progress.start("Drawing");
      await this.results.add({ ...done, words }, { alone });
      this.before = json;
      if (this.running !== abort) return;
      this.progress.end(`Done. Linux ${done.kernel} took ${done.wall_s.toFixed(1)} s for it here.`);
      this.showResults();
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
    this.showFaults(this.given ? faults : this.form.reveal(faults));
  }

  /**
   * What is wrong, by the names of the fields, the first of which has the focus.
   * @param {readonly import("./faults.mjs").Fault[]} others that no field in view is of
   */
  showFaults(others) {
    const told = this.form.faults.told();
    const lines = [
      ...(this.given ? [] : told).map(({ name, said }) => [element("b", { textContent: name }), `: ${said}`]),
      ...others.map(({ text, said }) => [this.given ? text : said]),
    ];
    const lead = element("p", { textContent: "This experiment cannot run yet:" });
    this.faults.replaceChildren(lead, element("ul", {}, ...lines.map((line) => element("li", {}, ...line))));
    if (!this.given) this.form.faults.shown()[0]?.focus();
  }

  /** Beside the form they are in view; below it, on a narrow window, the page goes there. */
  showResults() {
    if (getComputedStyle(this.side).position !== "sticky") {
      this.results.box.scrollIntoView({ block: "start" });
      return;
    }
    this.side.scrollTop = 0;
    if (this.side.getBoundingClientRect().top < 0) this.side.scrollIntoView({ block: "nearest" });
  }
}

const place = document.getElementById("lp-bench");
if (place) new Bench(place);
