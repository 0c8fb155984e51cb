"""The static site in a browser, opened from its folder: answering, searching, colours, phones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from .access import findings, report
from .lab import new_page

WORDS = {
    "en": {"search": ("perplexity", "困惑度"), "right": "Right", "wrong": "Not right"},
    "zh": {"search": ("困惑度", "perplexity"), "right": "正确", "wrong": "不正确"},
}
PHONE = {"width": 390, "height": 844}


@contextmanager
def opened(browser: Browser, path: Path) -> Iterator[Page]:
    """A page of the site; an error or a word in its console fails the test."""
    said: list[str] = []
    with new_page(browser) as page:
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda problem: said.append(str(problem)))
        page.goto(path.as_uri())
        yield page
        assert said == []


def question(page: Page, name: str) -> Locator:
    return page.locator(f"[data-question='{name}']")


def choose(asked: Locator, *choices: str) -> None:
    for choice in choices:
        asked.locator(f"input[value='{choice}']").check()
    asked.locator(".cq-submit").click()


def widths(page: Page) -> list[str]:
    """What is wider than the window, though it does not scroll by itself."""
    return page.evaluate("""() => [...document.querySelectorAll('main *, header *')].filter(
        (node) => node.getBoundingClientRect().right > innerWidth + 1
          && !node.closest('pre, .scroll, .math.block')).map((node) => node.outerHTML.slice(0, 99))
    """)


def test_a_question_is_answered_by_mouse_and_is_there_after_a_reload(browser, site, lang):
    with opened(browser, site / lang / "01_language_models.html") as page:
        one = question(page, "perplexity")
        choose(one, "sixteen")
        expect(one).to_have_attribute("data-state", "wrong")
        expect(one.locator(".cq-verdict")).to_contain_text(WORDS[lang]["wrong"])
        expect(one.locator(".cq-why:visible")).to_have_count(1)
        one.locator(".cq-again").click()
        expect(one.locator(".cq-why:visible")).to_have_count(0)
        choose(one, "four")
        expect(one.locator(".cq-verdict")).to_contain_text(WORDS[lang]["right"])
        one.locator(".cq-explain").click()
        expect(one.locator(".cq-why:visible")).to_have_count(4)

        page.reload()
        expect(one).to_have_attribute("data-state", "right")
        expect(one.locator("[data-picked] input")).to_have_value("four")
        other = "zh" if lang == "en" else "en"
        page.goto((site / other / "01_language_models.html").as_uri())
        expect(one).to_have_attribute("data-state", "right")  # the same answer in both languages
        page.goto((site / lang / "index.html").as_uri())
        expect(page.locator(".lessons .score")).to_have_count(1)


@pytest.mark.parametrize("lang", ["en"])
def test_questions_are_answered_by_keyboard_alone(browser, site, lang):
    with opened(browser, site / lang / "01_language_models.html") as page:
        numeric = question(page, "geometric")
        numeric.locator("input").focus()
        page.keyboard.press("Enter")
        expect(numeric.locator(".cq-hint")).not_to_be_empty()
        page.keyboard.type("about three")
        page.keyboard.press("Enter")
        expect(numeric.locator(".cq-hint")).to_contain_text("about three")
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type("2.67")
        page.keyboard.press("Enter")
        expect(numeric).to_have_attribute("data-state", "wrong")
        expect(numeric.locator(".cq-verdict")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # try again
        page.keyboard.type("２,83")  # full-width digits and a decimal comma do as well
        page.keyboard.press("Enter")
        expect(numeric).to_have_attribute("data-state", "right")

        several = question(page, "fair_test")
        right = several.locator("[data-key='right'] .cq-letter").all_text_contents()
        several.locator("input").first.focus()
        page.keyboard.press(right[0])
        page.keyboard.press("Enter")
        expect(several).to_have_attribute("data-state", "partly")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        for letter in right:
            page.keyboard.press(letter)
        page.keyboard.press("Enter")
        expect(several).to_have_attribute("data-state", "right")


def test_the_search_finds_words_of_both_languages(browser, site, lang, shots):
    with opened(browser, site / lang / "07_recap.html") as page:
        page.keyboard.press("/")
        field = page.locator("dialog.search input")
        for word in WORDS[lang]["search"]:
            field.fill(word)
            first = page.locator("dialog.search li a").first
            expect(first).to_contain_text(word, ignore_case=True)
            expect(first.locator("mark").first).to_be_visible()
        page.screenshot(path=shots / f"site-search-{lang}.png")
        field.fill("qqqq")
        expect(page.locator("dialog.search li")).to_have_count(0)
        field.fill(WORDS[lang]["search"][0])
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{lang}/*#*")


def test_a_page_is_accessible_and_colours_are_kept(browser, site, lang, shots):
    with opened(browser, site / lang / "07_recap.html") as page:
        asked = question(page, "open_gate")
        choose(asked, asked.locator("[data-key='wrong'] input").first.get_attribute("value"))
        if lang == "zh":  # axe takes seconds: light colours in one language, dark in the other
            page.locator(".theme").click()
            assert page.evaluate("getComputedStyle(document.body).color") == "rgb(223, 227, 232)"
        found = findings(page)
        assert not found, report(found)
        page.screenshot(path=shots / f"site-{lang}.png")
        page.reload()
        kept = page.evaluate("document.documentElement.dataset.theme ?? 'light'")
        assert kept == ("dark" if lang == "zh" else "light")


def test_a_page_fits_a_phone_and_the_other_language_opens_at_the_same_place(
    browser, site, lang, shots
):
    with opened(browser, site / lang / "06_attention.html") as page:
        page.set_viewport_size(PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        assert widths(page) == []
        page.locator(".menu").click()
        page.locator(".toc a").nth(2).click()
        expect(page.locator("#contents")).not_to_be_in_viewport()
        here, other = page.url.partition("#")[2], "zh" if lang == "en" else "en"
        page.locator(".language").click()
        expect(page).to_have_url(re.compile(f"/{other}/06_attention.html#{here}$"))
        page.screenshot(path=shots / f"site-{lang}-phone.png")
