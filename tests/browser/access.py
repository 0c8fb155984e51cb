"""Accessibility findings by axe-core, and what axe cannot see: where the focus shows."""

from __future__ import annotations

from collections.abc import Sequence

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRAVE = {"serious", "critical"}
OUTLINES = """panel => {
  const seen = element => {
    const style = getComputedStyle(element);
    return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  };
  const element = document.activeElement;
  return panel.contains(element) && (seen(element) || seen(element.closest('label') ?? element));
}"""


def findings(page: Page, *selectors: str) -> list[str]:
    """What axe-core finds serious in the elements that `selectors` name, or in the whole page."""
    context = {"include": [[selector] for selector in selectors]} if selectors else None
    # JupyterLab's body has no height of its own, so axe would take all in it for hidden.
    page.evaluate("() => { document.body.style.minHeight = '100vh'; }")
    options = {"preload": False, "resultTypes": ["violations"]}  # the rest is told in short
    response = Axe().run(page, context=context, options=options).response
    assert "color-contrast" in {rule["id"] for rule in response["passes"]}, "axe saw no text"
    return [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"
        for violation in response["violations"]
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    ]


def report(found: Sequence[str]) -> str:
    """Findings as lines."""
    return "\n\n".join(found)
