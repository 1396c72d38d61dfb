"""Every view, over harmless and hostile memories: no script runs, axe finds nothing, a phone shows all of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from commonplace import Commonplace
from tests.browser.conftest import NewPage
from tests.browser.served import Served
from tests.integration.test_page_runs import with_plan_of_tags
from tests.scripted_nights import told

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

ARABIC, JAPANESE = "أشرب الشاي الأخضر كل صباح في الشرفة.", "毎朝ベランダで緑茶を飲みます。娘は九月から小学校に通います。"
HOSTILE = (
    "<script>window.fooled = 1; alert('script')</script> is what I like",
    "<img src=x onerror=\"window.fooled = 1; alert('image')\"> is what I like",
    "\"><svg onload=\"window.fooled = 1\"><a href=\"javascript:window.fooled = 1\">what I like</a>",
    "<style>* { display: none }</style><meta http-equiv=refresh content=\"0;url=http://example.com\"> I like it",
    "{{ 7 * 7 }} {% include '/etc/passwd' %} ${7 * 7} is what I like",
    "I like \u202eevil\u202c and \u2066hidden\u2069 \u200bthings\u200f here",
    "I like " + "very-" * 1_590 + "long words",
    "I like &lt;b&gt; & &amp; <!-- nothing --> and ]]> in my notes",
)  # fmt: skip


@pytest.fixture(scope="module")
def ui_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ui") / "memory.db"
    with Commonplace(path, user_id="ana") as memory:
        given = [{"content": text, "context": {"additional_tags": ["<b>tag</b>"]}} for text in (*HOSTILE, ARABIC, JAPANESE)]
        assert not memory.store_memories(given).refused
        memory.record_interactions([told("talk-1", "My name is <script>alert(1)</script> Ana and I live in Kyoto.")])
        memory.nightly("rules")
        for place in ("Kyoto and Osaka are near.", "I went from Kyoto to Osaka.", "Osaka is louder than Kyoto."):
            memory.store_memory(place)
        with_plan_of_tags(memory, path.parent)
    return path


@pytest.fixture(scope="module")
def views(ui_file: Path) -> dict[str, int]:
    """The addresses of all views with the status that each answers with."""
    with Commonplace(ui_file, user_id="ana") as memory:
        ids = [one.memory_id for one in memory.list_memories(limit=100).memories]
        runs = [run.run_id for run in memory.runs()]
    first, last = (f"/ui/memories/{one}" for one in (ids[0], ids[-1]))
    found = [
        "/ui", "/ui?q=what+I+like", "/ui?q=%3Cscript%3Ealert(1)%3C/script%3E", "/ui/new", first, f"{first}/beside", f"{first}/edit",
        f"{first}/erase", last, "/ui/timeline", "/ui/runs", *(f"/ui/runs/{one}" for one in runs), "/ui/tags", "/ui/network",
        "/ui/network?focus=Kyoto", "/ui/growth", "/ui/import", "/ui/export",
    ]  # fmt: skip
    return {**dict.fromkeys(found, 200), "/ui/nowhere": 404, "/ui?q=tea&after=someday": 400}


@pytest.fixture
def visited(page: Page, ui: Served, views: dict[str, int], allowed: list[str]) -> Iterator[tuple[str, Page]]:
    """The page at each view, one after the other."""
    allowed += ["status of 400", "status of 404"]

    def visit() -> Iterator[tuple[str, Page]]:
        for path, status in views.items():
            answer = page.goto(ui.root + path)
            assert answer is not None
            assert (path, answer.status) == (path, status)
            page.wait_for_load_state("networkidle")
            yield path, page

    return visit()


def broken_rules(page: Page, *only: str) -> list[str]:
    """What axe finds wrong: the rule, and where."""
    options: dict[str, Any] = {"resultTypes": ["violations"], **({"runOnly": list(only)} if only else {})}
    found = Axe().run(page, options=options).response["violations"]
    return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]


def test_axe_finds_nothing_in_light_and_dark(visited: Iterator[tuple[str, Page]]) -> None:
    wrong = dict[str, list[str]]()
    for path, page in visited:
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        wrong[path] = broken_rules(page)
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        wrong[f"{path}, dark"] = broken_rules(page, "color-contrast")
    assert not {path: found for path, found in wrong.items() if found}


def test_no_script_of_a_memory_runs_and_a_phone_shows_it_all(visited: Iterator[tuple[str, Page]]) -> None:
    wide = dict[str, int]()
    for path, page in visited:
        page.set_viewport_size({"width": 360, "height": 740})
        wide[path] = page.evaluate("document.documentElement.scrollWidth")
        assert page.evaluate("window.fooled") is None, path
        assert (
            page.locator("script:not([src^='/ui/static/']), main style, main meta, main img, [onload], [onerror]").count()
            == 0
        ), path
        expect(page.locator("main")).to_be_visible()
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        wide[f"{path}, opened"] = page.evaluate("document.documentElement.scrollWidth")
    assert not {path: width for path, width in wide.items() if width > 360}


@pytest.mark.parametrize(
    ("text", "direction", "language"), [(ARABIC, "rtl", "ar"), (JAPANESE, "ltr", "ja")], ids=("Arabic", "Japanese")
)
def test_a_text_is_set_as_its_script_is_read(page: Page, text: str, direction: str, language: str) -> None:
    words = page.locator(".words", has_text=text[:20]).first
    expect(words).to_have_text(text)
    assert words.evaluate("one => getComputedStyle(one).direction") == direction
    expect(words).to_have_attribute("lang", language)


def test_what_runs_backwards_turns_nothing_else_around(page: Page) -> None:
    """A text that opens an override and never closes it ends with its own line."""
    words = page.locator(".words", has_text="evil").first
    assert words.evaluate("one => getComputedStyle(one).unicodeBidi") in ("isolate", "plaintext")


@pytest.mark.parametrize(("scheme", "darkest"), [("light", False), ("dark", True)])
def test_the_page_is_as_light_as_the_system(new_page: NewPage, ui: Served, scheme: Any, darkest: bool) -> None:
    page = ui.opened(new_page(color_scheme=scheme))
    told = page.evaluate("getComputedStyle(document.body).backgroundColor")
    level = sum(int(one) for one in told[4:-1].split(","))
    assert (level < 3 * 128) == darkest


def test_all_of_it_weighs_little(page: Page, ui: Served) -> None:
    """What a first visit loads, and all that there is to load besides."""
    loaded = dict[str, int]()
    page.on("response", lambda answer: loaded.update({answer.url: len(answer.body())}))
    page.goto(f"{ui.root}/ui")
    page.wait_for_load_state("networkidle")
    assert {url.rpartition("/")[2] for url in loaded} == {"ui", "ui.css", "ui.js"}
    assert sum(loaded.values()) <= 150_000
