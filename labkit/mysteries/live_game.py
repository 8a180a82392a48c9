"""The face of a Game in a running notebook: choose, type, read; name the cause; points."""

from __future__ import annotations

import html

import ipywidgets as widgets

from labkit.errors import LabkitError
from labkit.mysteries.causes import CAUSES
from labkit.mysteries.decisions import NOTHING
from labkit.mysteries.diagnosis import FOR_CAUSE, FOR_PLACE, PLACES
from labkit.mysteries.examination import commands
from labkit.mysteries.patient import HOSTS
from labkit.mysteries.scenario import Mystery
from labkit.mysteries.typed import MOMENTS

WIDE = {"description_width": "initial"}  # style of a widget whose description is not cut off
_CHOOSE = "choose ..."


class LiveGame:
    """`box` is the widget; `which`, `host`, `moment`, `command`, `type_button`, `cause`, `place`,
    `diagnose_button`, `screen`, `message` are in it."""

    def __init__(self, mysteries: tuple[Mystery, ...], title: str) -> None:
        self.mysteries = mysteries
        self.points: dict[int, int] = {}
        names = [(f"Mystery {number}", number - 1) for number in range(1, len(mysteries) + 1)]
        self.which = widgets.Dropdown(options=names, description="Network", style=WIDE)
        self.host = widgets.Dropdown(options=HOSTS, description="Host", style=WIDE)
        self.moment = widgets.Dropdown(options=list(MOMENTS), description="Moment", style=WIDE)
        typed = list(dict.fromkeys(line for _, _, line in commands()))
        self.command = widgets.Combobox(options=typed, placeholder="ping -c 3 right", description="Command")
        self.type_button = widgets.Button(description="Type it", button_style="primary")
        self.cause = widgets.Dropdown(options=[_CHOOSE, *CAUSES, NOTHING], description="Cause", style=WIDE)
        self.place = widgets.Dropdown(options=["", *PLACES], description="Place", style=WIDE)
        self.diagnose_button = widgets.Button(description="Diagnose")
        self.plan, self.screen, self.message = widgets.HTML(), widgets.HTML(), widgets.HTML()
        rows = (
            [self.which, self.host, self.moment, self.command, self.type_button],
            [self.cause, self.place, self.diagnose_button],
        )
        looks = [widgets.HBox(row, layout={"flex_flow": "row wrap"}) for row in rows]
        head = widgets.HTML(f"<b>{html.escape(title)}</b>")
        self.box = widgets.VBox([head, self.plan, looks[0], self.screen, looks[1], self.message])
        self.which.observe(lambda _: self._turn(), "value")
        self.type_button.on_click(lambda _: self.type())
        self.diagnose_button.on_click(lambda _: self.diagnose())
        self._turn()

    @property
    def network(self) -> Mystery:
        """The one that is examined now."""
        return self.mysteries[int(self.which.value)]

    def type(self) -> None:
        """Type what stands in the fields, and show what is printed."""
        try:
            said = str(self.network.run(self.host.value, self.command.value, self.moment.value))
        except LabkitError as error:
            self.screen.value = note(str(error))
            return
        self.screen.value = _terminal(
            f"[{self.moment.value}] {self.host.value}# {self.command.value}\n{said}"
        )

    def diagnose(self) -> None:
        """Take the diagnosis, and answer it."""
        if self.cause.value == _CHOOSE:
            self.message.value = note("Choose a cause first.")
            return
        try:
            found = self.network.diagnose(self.cause.value, self.place.value)
        except LabkitError as error:
            self.message.value = note(str(error))
            return
        self.points.setdefault(self.which.value, found.points)
        most = (FOR_CAUSE + FOR_PLACE) * len(self.mysteries)
        total = f"All mysteries so far: {sum(self.points.values())} of {most} points."
        self.message.value = note(f"{found}\n\n{total}")

    def _turn(self) -> None:
        self.plan.value, self.screen.value, self.message.value = _terminal(self.network.plan), "", ""
        self.cause.value, self.place.value = _CHOOSE, ""


def _terminal(text: str) -> str:
    look = "white-space:pre;overflow:auto;max-height:24em;font-size:85%"
    return f'<pre style="{look}" tabindex="0">{html.escape(text)}</pre>'


def note(text: str) -> str:
    """HTML of a message, which screen readers read out."""
    return f'<div role="status" style="white-space:pre-wrap">{html.escape(text)}</div>'
