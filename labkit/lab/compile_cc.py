"""compile_cc(name, source): a congestion control of one's own, compiled, loaded, tried for two seconds of
its own time, and known to experiments by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import CellError, LabKernelError, LimitReached
from labkit.execute.guest.custom_cc.compiling import compiled
from labkit.results.run import run
from labkit.spec import DropPackets, Experiment, Flow, custom_cc
from labkit.spec.topologies import pair

if TYPE_CHECKING:
    from labkit.results.result import Result

_FIRST_WINDOW = 10  # packets: RFC 6928
_PATIENCE_S = 30.0  # for what takes a tenth of a second, on a machine that is busy with something else
_LOST = 300


def compile_cc(name: str, source: str, *, first_line: int = 1) -> custom_cc.CustomCC:
    """Make a congestion control from C, as the cell magic %%cc does: afterwards Flow(..., cc=name) uses it.

    source: functions named after the callbacks of the kernel's struct tcp_congestion_ops ("mine_ssthresh",
    "mine_cong_avoid"), or such a table as well. What goes around them labkit supplies; `source_of(name)`
    shows it. first_line: the number of source's first line, for messages. It is compiled for the lab kernel
    and tried with one flow over 10 Mbit/s and 20 ms, which loses a packet. Raises CellError, which shows the
    line at fault, when it does not compile or its trial fails; then nothing has this name. SetupError."""
    custom_cc.forget(name)
    written, _ = compiled(name, source, first_line)
    custom_cc.know(written)
    try:
        _check(written, run(_trial(name)))
    except LabKernelError as error:
        custom_cc.forget(name)
        text, line = _broke(written, error)
        raise CellError(f"%%cc {name}: {text}", line) from None
    except LimitReached:
        custom_cc.forget(name)
        raise CellError(*_endless(written)) from None
    except CellError:
        custom_cc.forget(name)
        raise
    return written


def source_of(name: str) -> str:
    """The whole source of a module that was made with %%cc: the cell, and what labkit put around it. Raises
    CellError if there is none of this name."""
    written = custom_cc.find(name)
    if written is None:
        raise CellError(f"there is no %%cc {name}: run its cell first")
    return written.source


def _trial(name: str) -> Experiment:
    net = pair(rate="10mbit", delay="10ms", queue="100p", loss=DropPackets([_LOST]))
    flow = Flow("left", "right", cc=name, duration=2)
    return Experiment(net, flows=[flow], probes=["tcp_probe"], wall_limit=_PATIENCE_S)


def _check(written: custom_cc.CustomCC, result: Result) -> None:
    """Raises CellError if the window never grew, whose packets were all acknowledged."""
    probe = result.tcp_probe.query("side == 'sender'")
    if probe.snd_cwnd.max() > _FIRST_WINDOW:
        return
    line = _line_of(written, "cong_avoid") or _line_of(written, "cong_control") or written.first
    text = (
        f"line {line}: the window never grows: {_FIRST_WINDOW} packets at the start, never more in two "
        f"seconds on a line that had room\n{written.shown(line)}"
    )
    raise CellError(f"%%cc {written.name}: {text}", line)


def _broke(written: custom_cc.CustomCC, error: LabKernelError) -> tuple[str, int | None]:
    said, line, prefix = str(error), None, f"{written.name}, line "
    if said.startswith(prefix):
        line = int(said.removeprefix(prefix).partition(":")[0])
        said = said.removeprefix(f"{written.name}, ")
    return said, line


def _endless(written: custom_cc.CustomCC) -> tuple[str, int | None]:
    line = written.empty_loop()
    where = f"line {line}: a loop that does not end" if line else "one of its functions does not come back"
    shown = f"\n{written.shown(line)}" if line else ""
    return f"%%cc {written.name}: {where} (nothing moved for {_PATIENCE_S:g} s){shown}", line


def _line_of(written: custom_cc.CustomCC, callback: str) -> int | None:
    return written.line_with(f"{written.name}_{callback}")
