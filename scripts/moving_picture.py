"""The README's moving picture: one run of the lab in which the knob "loss" is turned twice.

`python -m scripts.moving_picture` runs the experiment and writes book/static/knob.svg. The same kernel gives
the same bytes: a test draws it again. CSS alone moves it, so that it moves in an <img>, too; a reader who
asks for no motion sees all of it at once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pandas as pd

from labkit import Change, Experiment, Flow, Result, dumbbell, run
from labkit.charts import theme
from labkit.charts.sampling import steps

FILE = Path(__file__).parents[1] / "book/static/knob.svg"
TURNS = {5.0: 0.0, 15.0: 0.01, 25.0: 0.03}
"""When the knob is turned, in seconds of the run, and to which loss. The picture begins at the first: slow
start is over by then."""
END_S = 35.0
EXPERIMENT = Experiment(
    dumbbell(rate="10mbit", delay="10ms", queue="30p"),
    flows=[Flow("left", "right", cc="reno", duration=END_S)],
    changes=[Change(at, ("r1", "r2"), direction="forward", loss=loss) for at, loss in TURNS.items() if loss],
    seed=1,
)

# The picture, in its own units: a plot with two strips of marks below, and the knob to its right.
WIDTH, HEIGHT = 800, 330
LEFT, RIGHT, TOP, BOTTOM = 56, 620, 64, 236
STRIPS = {
    "wire loss": (254, theme.VERMILLION, "random loss"),
    "queue full": (274, theme.OCHRE, "queue overflow"),
}
"""By the cause of a loss: where its marks are, their colour, and what they are called."""
MOST = 50  # packets on the window's axis
DIAL_X, DIAL_Y, DIAL_R = 708, 140, 38
ANGLES = (-90, 0, 90)  # of the knob's pointer, one for each loss
DRAWN, ROUND_S = 75, 14  # per cent of a round of so many seconds in which the curve is drawn; then it rests
INK, FAINT = "#16262e", "#d5dde1"


def picture(result: Result) -> str:
    """All of the SVG."""
    parts = [
        *frame(),
        *window(result),
        *losses(result),
        *readings(result),
        f'<rect class="cover" x="{LEFT}" y="{TOP - 20}" width="{RIGHT - LEFT + 4}" height="{304 - TOP}"/>',
        *axes(),
        *knob(),
    ]
    head = _HEAD.format(digest=EXPERIMENT.digest(), kernel=result.kernel, style=style())
    return "\n".join([head, *parts, "</svg>", ""])


def frame() -> Iterable[str]:
    """What stands still behind the curve."""
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#fff"/>'
    yield text(16, 28, "Congestion window of one TCP Reno flow on a 10 Mbit/s link, in packets", "title")
    for y, _, said in STRIPS.values():
        yield f'<path class="strip" d="M{LEFT} {y}H{RIGHT}"/>'
        yield text(RIGHT + 12, y + 4.5, said, "tick")


def window(result: Result) -> Iterable[str]:
    """The congestion window, each of its steps."""
    table = result.tcp_probe
    shown = steps(table[(table.time_s >= min(TURNS)) & (table.time_s <= END_S)], "snd_cwnd", "flow")
    points = [(x_of(time_s), y_of(cwnd)) for time_s, cwnd in shown[["time_s", "snd_cwnd"]].to_numpy()]
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in points[1:])
    yield f'<path class="window" d="{path}H{RIGHT}"/>'


def losses(result: Result) -> Iterable[str]:
    """A mark for each packet that was lost, by what became of it."""
    drops = result.drops[result.drops.time_s >= min(TURNS)]
    unknown = set(drops.cause.astype(str)) - set(STRIPS)
    assert not unknown, f"no strip for {unknown}"
    for cause, (y, color, _) in STRIPS.items():
        times = drops[drops.cause.astype(str) == cause].time_s
        marks = "".join(f"M{x_of(time):.1f} {y - 6}v12" for time in times)
        yield f'<path d="{marks}" stroke="{color}" stroke-width="1.6"/>'


def readings(result: Result) -> Iterable[str]:
    """Where the knob is turned, and the goodput from there to the next turn."""
    ends = [*list(TURNS)[1:], END_S]
    for (start, loss), end in zip(TURNS.items(), ends, strict=True):
        x = x_of(start)
        if start > min(TURNS):
            yield f'<path class="turn" d="M{x:.1f} {TOP - 18}V{BOTTOM}"/>'
        rate = delivered(result.tcp_probe, start, end) * 8 / (end - start) / 1e6
        yield text(x + 8, TOP - 6, f"{percent(loss)} loss: {rate:.1f} Mbit/s", "reading")


def delivered(table: pd.DataFrame, start: float, end: float) -> int:
    """Bytes that were acknowledged between two moments."""
    within = table[(table.time_s >= start) & (table.time_s <= end)].snd_una
    return int(within.iloc[-1] - within.iloc[0]) % 2**32


def axes() -> Iterable[str]:
    """Grid, numbers and names, which the cover leaves to be seen."""
    for packets in range(0, MOST + 1, 10):
        y = y_of(packets)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>'
        yield text(LEFT - 8, y + 4.5, str(packets), "tick", "end")
    for second in range(int(min(TURNS)), int(END_S) + 1, 5):
        yield text(x_of(second), 306, f"{second} s", "tick", "middle")


def knob() -> Iterable[str]:
    """The dial, its three losses, and the pointer that turns."""
    yield f'<circle class="dial" cx="{DIAL_X}" cy="{DIAL_Y}" r="{DIAL_R}"/>'
    for angle, loss in zip(ANGLES, TURNS.values(), strict=True):
        x, y, anchor = {-90: (-50, 5, "end"), 0: (0, -50, "middle"), 90: (50, 5, "start")}[angle]
        yield text(DIAL_X + x, DIAL_Y + y, percent(loss), "reading", anchor)
    yield f'<path class="pointer" d="M{DIAL_X} {DIAL_Y - 10}V{DIAL_Y - DIAL_R + 5}"/>'
    yield text(DIAL_X, DIAL_Y + DIAL_R + 24, "random loss", "title", "middle")


def text(x: float, y: float, said: str, kind: str, anchor: str = "start") -> str:
    """Words at a point; kind: their class."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{said}</text>'


def percent(share: float) -> str:
    """As the book writes it, with a space that does not break."""
    return f"{share * 100:.0f}\N{NO-BREAK SPACE}%"


def x_of(time_s: float) -> float:
    """Of a second of the run."""
    return LEFT + (time_s - min(TURNS)) / (END_S - min(TURNS)) * (RIGHT - LEFT)


def y_of(packets: float) -> float:
    """Of a window of so many packets."""
    return BOTTOM - packets / MOST * (BOTTOM - TOP)


def style() -> str:
    """Looks, and what moves: the cover shrinks to the right, and the pointer turns on its way."""
    moments = [DRAWN * (at - min(TURNS)) / (END_S - min(TURNS)) for at in TURNS]
    poses = [(0.0, ANGLES[0])]
    for at, (before, after) in zip(moments[1:], pairwise(ANGLES), strict=True):
        poses += [(at - 1, before), (at + 1, after)]
    poses += [(98, ANGLES[-1]), (100, ANGLES[0])]
    return _STYLE.format(
        turn=" ".join(f"{at:g}% {{ transform: rotate({angle}deg) }}" for at, angle in poses),
        last=ANGLES[-1],
        x=DIAL_X,
        y=DIAL_Y,
        right=RIGHT + 4,
        seconds=ROUND_S,
        drawn=DRAWN,
        blue=theme.BLUE,
        ink=INK,
        faint=FAINT,
    )


_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 330" width="800" height="330" role="img" \
font-family="system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif" fill="none">
<title>A knob is turned, and TCP answers</title>
<desc>The congestion window of a TCP Reno flow over 30 seconds. Without random loss it is a sawtooth that is
halved each time the queue overflows. At 1 % loss it is halved more often and stays lower; at 3 % it is a few
packets. Every lost packet is a mark.</desc>
<metadata>experiment {digest}, Linux {kernel}: scripts/moving_picture.py</metadata>
<style>{style}</style>"""

_STYLE = """
text {{ fill: {ink}; font-size: 15px }}
.title {{ font-size: 17px; font-weight: 600 }}
.tick {{ font-size: 13.5px }}
.reading {{ font-weight: 600 }}
.grid, .strip {{ stroke: {faint} }}
.turn {{ stroke: {ink}; stroke-dasharray: 4 4 }}
.window {{ stroke: {blue}; stroke-width: 1.8; stroke-linejoin: round }}
.pointer {{ stroke: #0b3954; stroke-width: 6; stroke-linecap: round }}
.dial {{ fill: #e8f1f5; stroke: #0b3954; stroke-width: 2 }}
.pointer {{ transform-origin: {x}px {y}px; transform: rotate({last}deg) }}
.cover {{ fill: #fff; opacity: 0; transform-origin: {right}px 0 }}
@media (prefers-reduced-motion: no-preference) {{
.cover {{ opacity: 1; animation: draw {seconds}s linear infinite }}
.pointer {{ animation: turn {seconds}s linear infinite }}
}}
@keyframes draw {{ 0% {{ transform: scaleX(1) }} {drawn}%, 100% {{ transform: scaleX(0) }} }}
@keyframes turn {{ {turn} }}
"""


def main() -> int:
    """Run, draw, write. Returns the exit code."""
    FILE.write_text(picture(run(EXPERIMENT)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
