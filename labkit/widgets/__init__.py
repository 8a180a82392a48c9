"""Figures that a reader turns: explore(...) and predict(...).

One object, two faces. In a running notebook it runs the laboratory; in a recording it holds results, and
the site's script shows them without a kernel. Nothing below this package knows of it.
"""

from __future__ import annotations

from labkit.widgets.explorer import Explorer, explore
from labkit.widgets.knobs import Choice, Slider, Toggle
from labkit.widgets.prediction import Prediction, predict

__all__ = ["Choice", "Explorer", "Prediction", "Slider", "Toggle", "explore", "predict"]
