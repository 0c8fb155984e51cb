"""Pictures that follow a slider, and what stands in their place where no kernel runs."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from course_utils.plots import translate


class Live:
    """A widget that is stored with a still of it, for GitHub, a printout, a closed notebook."""

    def __init__(self, widget: Any, still: Mapping[str, str]) -> None:
        """Join `widget` and `still`, a text for each MIME type that can show it."""
        self.widget, self.still = widget, dict(still)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {**self.widget._repr_mimebundle_(), **self.still}


def first_picture(draw: Callable[[], Any]) -> dict[str, str]:
    """The first plot that `draw` shows, as a still; empty where it shows none."""
    from IPython.utils.capture import capture_output

    with capture_output() as caught:
        draw()
    for output in caught.outputs:
        if picture := output.data.get("image/png"):
            encoded = base64.b64encode(picture).decode() if isinstance(picture, bytes) else picture
            return {"image/png": encoded}
    return {}


def slider(
    label: str, low: float, high: float, step: float, start: float, *, log: bool = False
) -> Any:
    """A slider for `explore`, its label whole and in the lesson's language.

    Args:
        label: what it sets; translated as plots' labels are.
        low, high, step: its range; with `log` exponents of ten.
        start: its first value.
        log: go by factors instead of by differences.
    """
    import ipywidgets

    kind = ipywidgets.FloatLogSlider if log else ipywidgets.FloatSlider
    return kind(
        value=start, min=low, max=high, step=step, description=translate(label),
        style={"description_width": "initial"}, layout={"width": "28em"},
    )  # fmt: skip


def explore(draw: Callable[..., Any], **sliders: Any) -> Live:
    """Call `draw` with the sliders' values whenever one moves; its plot stands below them."""
    import ipywidgets

    values = {name: made.value for name, made in sliders.items()}
    return Live(ipywidgets.interactive(draw, **sliders), first_picture(lambda: draw(**values)))
