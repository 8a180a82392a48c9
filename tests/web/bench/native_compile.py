"""A stand-in for the page's compiler: labkit on this machine gives the same answer. What stands around the
compiler is tested with it; the compiler itself in tests of its own."""

from __future__ import annotations

import base64

from playwright.sync_api import BrowserContext, Route

from labkit import Experiment
from labkit.errors import LabkitError
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from tests.site import extension

MODULE = """
export class KnobError extends Error {}
export class PlanError extends Error {}
export const watchPython = () => () => {};
export async function widgetOf() { return null; }
export async function compileExperiment(json) {
  const answer = await (await fetch("/native-compile", {method: "POST", body: JSON.stringify(json)})).json();
  if (answer.error) throw new PlanError(answer.error);
  const program = Uint8Array.from(atob(answer.program), (char) => char.charCodeAt(0));
  return {...answer, program, by: "python"};
}
"""


def answer(text: str) -> dict[str, object]:
    """What the page gets for an experiment's JSON."""
    try:
        plan = extension("live.planned").plan(Experiment.from_json(text), BUILT_IN)
    except LabkitError as error:
        return {"error": str(error)}
    return {
        "program": base64.b64encode(plan.program).decode(),
        "manifest": plan.manifest,
        "memory_mb": plan.memory_mb,
        "until_s": plan.until_s,
    }


def stand_in(context: BrowserContext) -> None:
    """Every page of this context compiles so."""

    def compiled(route: Route) -> None:
        route.fulfill(json=answer(route.request.post_data or ""))

    context.route(
        "**/web/programs/programs.mjs",
        lambda route: route.fulfill(body=MODULE, content_type="text/javascript"),
    )
    context.route("**/native-compile", compiled)
