// The chosen packet in words: its headers and its life, with a way to go to each instant of it.

(() => {
  "use strict";

  const P = window.LabkitPlayer;
  const {element, button, labelled} = P;

  const headers = (model, packet) => element("dl", {}, ...P.story.headers(model, packet).flatMap(([name, value]) =>
    [element("dt", {textContent: name}), element("dd", {textContent: value})]));

  const life = (model, packet, seek) => element("ol", {}, ...P.story.life(model, packet).map(([at, text, lost]) => {
    const go = button(P.story.seconds(at), `Go to ${P.story.seconds(at)}`, () => seek(at), "lpp-time");
    go.disabled = at < model.begin || at > model.end;
    return element("li", {className: lost ? "lpp-lost" : ""}, go, element("span", {textContent: text}));
  }));

  // The panel, and a line further up that leads to it. does: {seek(t), choose(packet)}; show(packet), show(null).
  const panel = (model, still, does) => {
    const section = labelled(element("section", {className: "lpp-panel", hidden: true, tabIndex: -1}), "Chosen packet");
    const more = element("button", {type: "button", className: "lpp-more", disabled: true,
      textContent: "The chosen packet: headers and life"});
    more.addEventListener("click", () => {
      section.scrollIntoView({block: "nearest", behavior: still.matches ? "auto" : "smooth"});
      section.focus({preventScroll: true});
    });

    const show = (packet) => {
      section.hidden = more.disabled = !packet;
      if (!packet) return;
      section.replaceChildren(button("×", "Choose no packet", () => does.choose(null), "lpp-close"),
        element("p", {className: "lpp-title", textContent: P.story.title(packet)}),
        element("div", {className: "lpp-facts"}, headers(model, packet), life(model, packet, does.seek)));
    };
    return {section, more, show};
  };

  window.LabkitPlayer = Object.assign(P, {panel});
})();
