"""How smoothly the packet player runs: the times between frames that a browser draws of a crowded film."""

from __future__ import annotations

import functools
from itertools import pairwise
from typing import Any

from bench import browser
from bench.measure import Sample
from labkit.results.run import run
from labkit.spec import Experiment, Flow
from labkit.spec.topologies import pair

IN_FLIGHT = 500
_FRAMES = 300
_SHARE = 0.95
_PLAY = """([frames, least]) => new Promise((done) => {
  const {player} = document.querySelector("[data-mounted]");
  const [times, flying] = [[], []];
  player.toggle();
  const each = (now) => {
    const {t, playing} = player.state();
    if (!playing) { player.seek(player.model.begin); player.toggle(); }
    times.push(now);
    flying.push(player.model.at(t).filter((part) => part.on === "link").length);
    if (times.length <= frames) requestAnimationFrame(each);
    else done({times, flying});
  };
  requestAnimationFrame(each);
})"""


#   left ------------------------------ right
#         100 Mbit/s, 60 ms each way, so that 500 frames are on it at once
@functools.cache
def crowded() -> dict[str, Any]:
    """A film of a full pipe."""
    network = pair(rate="100mbit", delay="60ms", queue="1000p")
    result = run(Experiment(network, flows=[Flow("left", "right", cc="cubic", duration="2s")]))
    film: dict[str, Any] = result.player(between=("1.6s", "1.7s")).film
    return film


def frame_time() -> Sample:
    """ms between two frames, which 95 % of them keep, at the film's own speed in a headless Chromium."""
    from labkit.player import notebook

    page_html = f"<body>{notebook.page(crowded())}</body>"
    with browser.chromium() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        page.set_content(page_html)
        seen = page.evaluate(_PLAY, [_FRAMES, IN_FLIGHT])
    if min(seen["flying"]) < IN_FLIGHT:
        raise RuntimeError(f"only {min(seen['flying'])} packets were in flight")
    times = seen["times"]
    gaps = sorted(b - a for a, b in pairwise(times))
    return Sample(gaps[int(_SHARE * len(gaps))])
