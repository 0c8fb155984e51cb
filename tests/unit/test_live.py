"""Live views: labels in the learner's language, and a still for readers without a kernel."""

import base64

import pytest
from IPython.core.interactiveshell import InteractiveShell

from course_utils import live, plots

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def shell():
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def show_png(*_):
    from IPython.display import display

    display({"image/png": PNG, "text/plain": "a plot"}, raw=True)


def test_a_slider_is_labelled_in_the_lessons_language_and_in_full():
    plots.use_language("zh")
    made = live.slider("step", 0, 3, 0.5, start=1)
    plots.use_language("en")
    assert made.description == ("步" if plots.cjk_font() else "step")
    assert (made.value, made.max) == (1, 3)
    assert made.style.description_width == "initial"
    assert live.slider("step", -2, 1, 0.1, start=0.1, log=True).max == 1


def test_a_live_view_is_stored_with_its_first_picture(shell):
    seen = []

    def draw(scale):
        seen.append(scale)
        show_png()

    view = live.explore(draw, scale=live.slider("step", 0, 3, 0.5, start=1))
    stored = view._repr_mimebundle_()
    assert base64.b64decode(stored["image/png"]) == PNG
    assert "application/vnd.jupyter.widget-view+json" in stored
    assert set(seen) == {1.0}
    view.widget.children[0].value = 2
    assert seen[-1] == 2.0


def test_what_shows_no_plot_has_no_still(shell):
    assert live.first_picture(lambda: print("words")) == {}
