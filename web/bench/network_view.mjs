// @ts-check
/* The network in the form: a shape of the menu, its drawing, the settings of one link at a time. */

import { button, element } from "../widgets/dom.mjs";
import { fieldset, labelled, menu } from "./controls.mjs";
import { drawing, linkWords } from "./drawing.mjs";
import { mainLink, rolesOf, shapeNamed, withShape } from "./form.mjs";
import { SHAPES } from "./shapes.mjs";
import { wayView } from "./way_view.mjs";

/** @typedef {import("./form.mjs").Form} Form */

export class NetworkView {
  /**
   * @param {() => Form} form as it is now
   * @param {(form: Form) => void} reshaped another network was chosen
   * @param {() => void} changed a setting was
   */
  constructor(form, reshaped, changed) {
    this.form = form;
    this.reshaped = reshaped;
    this.changed = () => {
      this.draw();
      changed();
    };
    this.link = 0;
    this.menu = element("div", { className: "lp-fields" });
    this.picture = element("div", { className: "lp-drawn", tabIndex: 0, role: "group" });
    this.picture.setAttribute("aria-label", "The network");
    this.which = element("div", { className: "lp-fields lp-which" });
    this.settings = element("div", { className: "lp-ways" });
    this.said = element("p", { className: "lp-note", role: "status" });
    this.box = fieldset("Network", this.menu, this.picture, this.which, this.settings, this.said);
  }

  /** Show the form from its start. */
  show() {
    this.link = mainLink(this.form());
    this.showMenu();
    this.showLinks();
    this.choose(this.link);
  }

  showMenu() {
    const { shape } = this.form();
    const kinds = SHAPES.map(({ kind, label }) => /** @type {[string, string]} */ ([kind, label]));
    const kind = menu(shape.kind ? kinds : [["", "its own"], ...kinds], shape.kind);
    kind.addEventListener("change", () => {
      if (!kind.value) return;
      this.reshape(
        kind.value,
        shapeNamed(kind.value).parameters.map(({ start }) => start),
      );
    });
    const parameters = shape.kind ? shapeNamed(shape.kind).parameters : [];
    const boxes = parameters.map(({ label, low, high }, i) => {
      const numbers = Array.from({ length: high - low + 1 }, (_, n) => String(low + n));
      const number = menu(
        numbers.map((one) => [one, one]),
        String(shape.numbers[i]),
      );
      number.addEventListener("change", () => {
        const chosen = [...this.form().shape.numbers];
        chosen[i] = Number(number.value);
        this.reshape(shape.kind, chosen);
      });
      return labelled(label, number);
    });
    this.menu.replaceChildren(labelled("Shape", kind, "topology"), ...boxes);
  }

  /**
   * @param {string} kind
   * @param {number[]} numbers
   */
  reshape(kind, numbers) {
    const selects = () => [...this.menu.querySelectorAll("select")];
    const focused = /** @type {HTMLSelectElement} */ (document.activeElement);
    const index = selects().indexOf(focused);
    this.reshaped(withShape(this.form(), kind, numbers));
    selects()[Math.max(index, 0)]?.focus();
  }

  showLinks() {
    const { links } = this.form();
    const names = links.map((link, i) => /** @type {[string, string]} */ ([String(i), nameOf(link)]));
    this.links = menu(names, String(this.link));
    this.links.addEventListener("change", () => this.choose(Number(this.links?.value)));
    const alike = button("", () => this.spread());
    const back = button("", () => this.mirror());
    this.buttons = { alike, back };
    this.which.replaceChildren(
      labelled("Settings of link", this.links),
      element("div", { className: "lp-buttons" }, back, alike),
    );
  }

  /**
   * Show the settings of this link.
   * @param {number} i
   */
  choose(i) {
    const link = this.form().links[i];
    if (!link || !this.links || !this.buttons) {
      this.settings.replaceChildren();
      this.draw();
      return;
    }
    this.link = i;
    this.links.value = String(i);
    const path = `topology.links[${i}]`;
    this.settings.replaceChildren(
      wayView(`${link.a} → ${link.b}`, link.forward, `${path}.forward`, this.changed),
      wayView(`${link.b} → ${link.a}`, link.backward, `${path}.backward`, this.changed),
    );
    const count = this.likes().length;
    this.buttons.back.textContent = `${link.b} → ${link.a} like ${link.a} → ${link.b}`;
    this.buttons.alike.textContent = `All ${count} links of its kind like it`;
    this.buttons.alike.hidden = count < 2;
    this.said.textContent = "";
    this.draw();
  }

  /** The links with the same part in the network. */
  likes() {
    const roles = rolesOf(this.form());
    return this.form().links.filter((_, i) => roles[i] === roles[this.link]);
  }

  /** The other direction becomes like the first. */
  mirror() {
    const link = this.form().links[this.link];
    link.backward = structuredClone(link.forward);
    this.choose(this.link);
    this.changed();
    this.said.textContent = `${link.b} → ${link.a} has the settings of ${link.a} → ${link.b}.`;
  }

  /** All links of its kind become like this one. */
  spread() {
    const { mtu, forward, backward } = this.form().links[this.link];
    const likes = this.likes();
    for (const link of likes) Object.assign(link, structuredClone({ mtu, forward, backward }));
    this.choose(this.link);
    this.changed();
    this.said.textContent = `${likes.length} links have these settings.`;
  }

  draw() {
    const form = this.form();
    this.picture.replaceChildren(drawing(form, this.link, (i) => this.choose(i)));
    for (const [i, option] of [...(this.links?.options ?? [])].entries()) option.text = nameOf(form.links[i]);
  }
}

/** @param {import("./form.mjs").LinkForm} link */
function nameOf(link) {
  const words = linkWords(link);
  return `${link.a} – ${link.b}${words ? ` (${words})` : ""}`;
}
