"""The page in a browser: readable in light and dark, on a phone, and asking nobody for anything."""

import pytest

from course_utils.cli import main
from tests.browser.access import findings, report


def write_page(room):
    """A report with something of everything in it."""
    room.generate([(f"s{n}", "Ada", "Byron") for n in range(8)])
    for n in range(7):
        room.hand_in(f"s{n}", {"twice": [(0, ("two", "four", "six")[n % 3])]}, {"double": n + 1})
    scores = [("check-double", 3), ("check-total", 1), ("quiz-twice", 1)]
    for n in range(6):
        room.grade(f"s{n}", dict(scores[: n % 4]), {"check-total": "mean"})
    assert main(["report", str(room.folder)]) == 0
    return (room.folder / "report.html").as_uri()


@pytest.mark.xdist_group("browser-site")  # where there is a browser already
def test_everyone_can_read_it(browser, make_class):
    page = browser.new_page(viewport={"width": 420, "height": 800}, bypass_csp=True)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(write_page(make_class("zh")))
    page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true })")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = findings(page)
        assert not found, f"{scheme}:\n{report(found)}"
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert len(asked) == 1
    page.close()
