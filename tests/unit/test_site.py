"""The static site: every link leads somewhere, nothing comes from elsewhere, nothing is lost."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import lxml.html
import pytest
from nbformat import v4

from course_utils import cli
from course_utils.authoring.elsewhere import GUIDE, repository_url
from course_utils.authoring.pairs import CODE, FENCE, FORMULA
from course_utils.kit import REPOSITORY, kits_in
from course_utils.site.cells import Reader
from course_utils.site.prose import Renderer, formula, page_link
from course_utils.words import LANGUAGES

pytestmark = pytest.mark.xdist_group("browser-site")  # with the browser tests of the same site
NOTEBOOKS = REPOSITORY / "notebooks"
LESSONS = sorted(path.stem for path in (NOTEBOOKS / "en").glob("0[1-9]_*.ipynb"))

each_lang = pytest.mark.parametrize("lang", LANGUAGES)


@cache
def page(path):
    return lxml.html.document_fromstring(path.read_text(encoding="utf-8"))


def pages(site):
    return {path: page(path) for path in sorted(site.rglob("*.html"))}


def ids(path):
    return page(path).xpath("//@id")


@cache
def notebook(lang, lesson):
    return v4.reads((NOTEBOOKS / lang / f"{lesson}.ipynb").read_text(encoding="utf-8"))


def cells(lang, lesson, kind):
    return [cell for cell in notebook(lang, lesson).cells if cell.cell_type == kind]


def test_every_link_anchor_and_resource_leads_somewhere(site):
    broken, seen = [], 0
    for path, tree in pages(site).items():
        for link in tree.xpath("//@href | //@src"):
            url = urlsplit(link)
            if url.scheme:
                continue
            seen += 1
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            if not target.is_file() or (url.fragment and unquote(url.fragment) not in ids(target)):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []
    assert seen > 500


def test_nothing_is_loaded_from_elsewhere(site):
    for path, tree in pages(site).items():
        loaded = tree.xpath("//*[not(self::a)]/@href | //@src | //@srcset | //@poster | //@data")
        assert not [url for url in loaded if "//" in url], path
        assert "mathjax" not in path.read_text(encoding="utf-8").lower()
    for path in (site / "assets").glob("*.*s"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"@import|url\(|fetch\(|import\(", text), path
        if not path.name.startswith("index-"):
            assert "//" not in re.sub(r"^\s*//.*$|(?<=\s)// .*$", "", text, flags=re.MULTILINE)


def test_links_to_the_web_are_well_formed_and_those_to_the_course_name_real_files(site):
    links = {link for tree in pages(site).values() for link in tree.xpath("//a/@href")}
    away = {link for link in links if urlsplit(link).scheme}
    assert len(away) > 2 * len(LESSONS) * len(LANGUAGES)
    for link in away:
        url = urlsplit(link)
        assert url.scheme == "https", link
        assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", url.netloc), link
        assert not re.search(r"\s", link), link
        inside = re.search(r"(?:/blob/main/|labpath=)(.+)", link)
        if inside:
            assert (REPOSITORY / unquote(inside[1])).is_file(), link


def test_the_public_address_stands_in_one_place():
    for guide in GUIDE.values():
        text = (REPOSITORY / guide).read_text(encoding="utf-8")
        found = set(re.findall(r"https://github\.com/[\w-]+/[\w-]+", text))
        assert found == {repository_url()}, f"{guide} is to follow pyproject.toml"


def test_ids_are_unique_and_the_same_in_both_languages(site):
    for path in pages(site):
        repeated = [name for name, count in Counter(ids(path)).items() if count > 1]
        assert repeated == [], path
    for lesson in LESSONS:
        english, chinese = (ids(site / lang / f"{lesson}.html") for lang in LANGUAGES)
        assert english == chinese, lesson


@each_lang
def test_every_formula_of_the_prose_is_mathml(site, lang):
    for lesson in LESSONS:
        texts = [CODE.sub(" ", FENCE.sub(" ", c.source)) for c in cells(lang, lesson, "markdown")]
        due = sum(len(FORMULA.findall(text)) for text in texts)
        tree = page(site / lang / f"{lesson}.html")
        assert len(tree.xpath("//div[contains(@class, 'prose')]//math")) == due, lesson
        left = tree.xpath(
            "//main//text()[not(ancestor::pre or ancestor::code or ancestor::script)]"
        )
        assert not [text for text in left if re.search(r"\$|\\[a-z]", text)], lesson


@each_lang
def test_nothing_of_a_lesson_is_lost(site, lang):
    kits = {kit["lesson"]: kit for kit in kits_in(NOTEBOOKS / lang)}
    for lesson in LESSONS:
        tree = page(site / lang / f"{lesson}.html")
        questions = tree.xpath("//section/@data-question")
        assert sorted(questions) == sorted(kits[lesson]["questions"])
        assert len(tree.xpath("//div[@class='exercise']")) == len(kits[lesson]["exercises"])
        code = cells(lang, lesson, "code")
        outputs = [out for cell in code for out in cell.outputs]
        plots = [out for out in outputs if "image/png" in out.get("data", {})]
        assert len(tree.xpath("//figure//img[@alt != '']")) == len(plots)
        shown = tree.xpath("//pre[@class='code']")
        own = [c for c in code if not c.id.startswith(("quiz-", "check-"))]
        assert [pre.text_content() for pre in shown] == [cell.source for cell in own]
        assert len(tree.xpath("//ol[@class='toc']//a")) > 5


def test_the_index_holds_every_section_and_leads_to_it(site):
    for lang, word in (("en", "perplexity"), ("zh", "困惑度")):
        text = (site / "assets" / f"index-{lang}.js").read_text(encoding="utf-8")
        found = json.loads(text.removeprefix("courseIndex(").removesuffix(");\n"))
        assert found["lang"] == lang
        for entry in found["entries"]:
            file, _, anchor = entry["url"].partition("#")
            assert not anchor or anchor in ids(site / lang / file), entry["url"]
        holding = [e for e in found["entries"] if word in (e["heading"] + e["text"]).lower()]
        assert len(holding) > 5


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("mine")
    assert cli.main(["site", str(tmp_path)]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def rendered(*outputs):
    cell = v4.new_code_cell("1", outputs=list(outputs))
    (piece,) = Reader(Renderer("notebooks/en"), "en").pieces(v4.new_notebook(cells=[cell]))
    return [output.html for output in piece.outputs]


def test_outputs_are_escaped_and_their_colours_kept():
    stream = v4.new_output("stream", text="<b>\x1b[31mred\x1b[0m\n")
    (shown,) = rendered(stream, v4.new_output("display_data", {"application/x": "1"}))
    assert "&lt;b&gt;" in shown
    assert "ansi-red-fg" in shown
    assert "\x1b" not in shown


def test_headings_callouts_and_emphasis():
    render = Renderer("notebooks/zh", ["first", "second"]).render
    prose = render("# 一\n\n## 二 $x$\n\n> **常见误解。** 错。\n\n*强调*和 *la*\n续行")
    assert [heading.id for heading in prose.headings] == ["first", "second"]
    assert 'class="callout warn"' in prose.html
    assert '<em class="han">强调</em>' in prose.html
    assert "<em>la</em>续行" in prose.html


@pytest.mark.parametrize(
    ("href", "base", "leads"),
    [
        ("02_word_vectors.ipynb", "notebooks/en", "02_word_vectors.html"),
        ("00_start.ipynb", "notebooks/zh", "index.html"),
        ("../notebooks/zh/03_rnn.ipynb#x", "docs", "../zh/03_rnn.html#x"),
        ("#here", "docs", "#here"),
        ("https://example.org/a", "docs", "https://example.org/a"),
        ("../README.md", "docs", f"{repository_url()}/blob/main/README.md"),
        (f"{repository_url()}/blob/main/{GUIDE['zh']}", "notebooks/zh", "elsewhere.html"),
    ],
)
def test_links_of_the_repository_lead_to_pages(href, base, leads):
    assert page_link(href, base) == leads


def test_names_of_functions_stand_apart():
    assert "<mi>ln</mi><mspace" in formula("-\\ln u", "inline")
    assert "</mi><mspace" in formula("p \\ln (u)", "inline")
    assert "<mi>ln</mi><mo" in formula("\\ln (u)", "inline")


def test_the_site_is_built_from_the_packages_own_files():
    folder = Path(cli.__file__).parent / "site"
    assert {path.suffix for path in (folder / "assets").iterdir()} == {".css", ".js"}
