"""What can be wrong with a page's figures: not drawn, without words, not to be seen, with a dead knob."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from playwright.sync_api import Locator, Page

NO_WORDS = "A chart without a description"
"""What book/extensions/figure_html.py says of a chart that has neither description nor caption nor title."""

LEAST_CONTRAST = 64
"""Of a figure's marks with what is behind them: by so much of 255 a colour of some pixel differs."""

FACTS = """() => [...document.querySelectorAll('figure.lp-figure')].map((figure) => {
  const {name, state, lp: kind} = figure.dataset;
  const drawing = figure.querySelector(kind === 'player' ? 'canvas.lpp-stage' : '[role=img]');
  return {
    name, state, kind,
    says: figure.innerText.slice(0, 300),
    words: drawing?.getAttribute('aria-label') ?? '',
    hasMarks: Boolean(figure.querySelector('.role-mark :is(path, text, line), canvas.lpp-stage')),
    hasChart: Boolean(figure.querySelector('.lp-view:not([hidden]), canvas.lpp-stage')),
  };
})"""

TURN = """async (figure) => {
  const faults = [];
  const happen = (input, event) => input.dispatchEvent(new Event(event, {bubbles: true}));
  for (const knob of figure.querySelectorAll('.lp-controls .lp-knob:not(.lp-seed)')) {
    const input = knob.querySelector('select, input');
    const shown = () => figure.querySelector('.lp-runs li')?.textContent;
    const before = shown();
    let text;
    if (input.type === 'range') {
      input.value = Number(input.value) + (input.value === input.max ? -1 : 1);
      happen(input, 'input'); // as while it is dragged
      text = input.getAttribute('aria-valuetext');
    } else if (input.type === 'checkbox') {
      input.click();
      text = input.checked ? 'on' : 'off';
    } else {
      input.selectedIndex = (input.selectedIndex + 1) % input.options.length;
      happen(input, 'change');
      text = input.selectedOptions[0].text;
    }
    await new Promise((done) => setTimeout(done));
    const turned = `${knob.querySelector('label').textContent} ${text}`;
    const error = figure.querySelector(':scope > .lp-error:not([hidden])')?.textContent;
    const isRight = error ? !/cannot be drawn|No run was recorded/.test(error)
      : shown() !== before && shown().includes(turned);
    if (!isRight) faults.push(`“${turned}” is not shown: ${error ?? shown()}`);
    if (input.type === 'range') happen(input, 'change');
  }
  return faults;
}"""

# Words of a chart that reach beyond its picture, or are cut short; what scrolls within itself may.
CUT = """(most) => [...document.querySelectorAll('figure.lp-figure')].flatMap((figure) =>
  [...figure.querySelectorAll('.lp-view:not([data-scrolls]) svg')].flatMap((svg) => {
    const frame = svg.getBoundingClientRect();
    const beyond = (box) => Math.max(
      frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom);
    return [...svg.querySelectorAll('text')]
      .filter((text) => text.getBoundingClientRect().width)
      .filter((text) => beyond(text.getBoundingClientRect()) > most || text.textContent.endsWith('…'))
      .map((text) => `${figure.dataset.name}: “${text.textContent}”`);
  }))"""
LEAST_CUT = 8
"""CSS pixels, a letter: so far words may reach beyond a picture."""

# How much two pictures of the same place differ at most, of 255: in some pixel, in some colour.
DIFFERENCE = """async (pictures) => {
  const [one, other] = await Promise.all(pictures.map(async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes]));
    const pen = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    pen.drawImage(picture, 0, 0);
    return pen.getImageData(0, 0, picture.width, picture.height).data;
  }));
  return one.reduce((most, value, i) => Math.max(most, Math.abs(value - other[i])), 0);
}"""


def failed(page: Page) -> Iterator[str]:
    """Each figure is drawn; of one that is not, what stands in its place."""
    for figure in page.evaluate(FACTS):
        if figure["state"] != "drawn":
            yield f"{figure['name']}: {figure['says']}"


def undrawn(page: Page) -> Iterator[str]:
    """Each figure is drawn and has words for those who do not see it."""
    yield from failed(page)
    for figure in page.evaluate(FACTS):
        if figure["state"] != "drawn" or figure["kind"] == "mystery":
            continue  # told already; a game in words
        if len(figure["words"].split()) <= 3 or figure["words"] == NO_WORDS:
            yield f"{figure['name']}: it has no description: “{figure['words']}”"
        elif figure["hasChart"] and not figure["hasMarks"]:
            yield f"{figure['name']}: it has no marks"


def cut_words(page: Page) -> Iterator[str]:
    """All words of the charts are to be read."""
    yield from page.evaluate(CUT, LEAST_CUT)


def dead_knobs(page: Page) -> Iterator[str]:
    """Each knob of a recorded explorer leads to another run."""
    for figure in page.locator("figure[data-lp=explorer][data-state=drawn]").all():
        if not figure.locator(".lp-controls .lp-knob").count():
            yield f"{name_of(figure)}: it has no knobs"
        for fault in figure.evaluate(TURN):
            yield f"{name_of(figure)}: {fault}"


def predictions(page: Page) -> Iterator[str]:
    """Answers every question of the page, somehow: what was measured is shown only then."""
    for figure in page.locator("figure[data-lp=predict][data-state=drawn]").all():
        for field in figure.locator("input[type=number]").all():
            field.fill(field.get_attribute("max") or "1")  # a guess of nothing has no bar to be seen
        for choice in figure.locator("input[type=radio]").all()[:1]:
            choice.check()
        figure.get_by_role("button", name="Commit").click()
        figure.get_by_role("button", name="Try again").wait_for()
        if not figure.locator(".lp-verdict").inner_text():
            yield f"{name_of(figure)}: there is no verdict"
        if figure.locator(".lp-view:not([hidden])").count():
            figure.locator(".role-mark").first.wait_for(state="attached")


def unseen(page: Page) -> Iterator[str]:
    """The marks of each drawing can be seen: without them the page looks otherwise there."""
    with page.context.new_page() as beside:
        for figure in page.locator("figure.lp-figure[data-state=drawn]").all():
            for drawing in figure.locator("svg:visible:has(.role-mark), canvas.lpp-stage:visible").all():
                shown = picture(drawing)
                drawing.evaluate(HIDE, "0")
                hidden = picture(drawing)
                drawing.evaluate(HIDE, "")
                if beside.evaluate(DIFFERENCE, [shown, hidden]) < LEAST_CONTRAST:
                    yield f"{name_of(figure)}: its marks cannot be seen"


# Made transparent: what is hidden could not be taken a picture of.
HIDE = """(drawing, opacity) => {
  const marks = drawing.matches('canvas') ? [drawing] : drawing.querySelectorAll('.role-mark');
  for (const mark of marks) mark.style.opacity = opacity;
}"""


def picture(place: Locator) -> str:
    return base64.b64encode(place.screenshot()).decode()


def name_of(figure: Locator) -> str:
    return figure.get_attribute("data-name") or ""
