"""The pages are readable in an editor, and what they name is there: links, files, packages, decisions."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace import __version__
from tests.unit.test_architecture import ROOMS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "layers" / "commonplace" / "commonplace"
DOCS = ROOT / "docs"
FOLDERS = ("benchmarks", "cloud", "demo", "docs", "events", "examples", "functions", "layers", "tests", "training")
# Not prompts, which are written for a model, nor pages that the engine wrote.
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(DOCS.rglob("*.md")),
    *sorted((ROOT / "benchmarks").rglob("*.md")),
    *sorted((ROOT / "training").glob("*.md")),
    ROOT / "examples" / "README.md",
    *sorted(PACKAGE.rglob("README.md")),
]
GENERATED = ROOT / "benchmarks" / "RESULTS.md"
NAMES = {path.name for path in ROOT.iterdir()} | {path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*")}
MOST_CHARACTERS, MOST_WORDS_EXPLAINED, MOST_WORDS_OF_A_DECISION = 120, 25, 150
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)")
_PATH = re.compile(r"`([a-zA-Z][\w./*<>-]*)`")
_FROM_AN_INDEX = re.compile(
    r"commonplace-memory\[|\b(?:pip3?|pipx|uv|uvx|conda|poetry)\b[^\n.]{0,20}? (?:install|add|run|tool) (?:-\S+ )*['\"]?commonplace(?:-memory)?\b|\buvx (?:--from )?commonplace"
)
_SUFFIXES = (".py", ".toml", ".sql", ".npz", ".npy", ".tsv", ".yaml")


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def prose(page: Path) -> str:
    """The page without its fenced code."""
    return _FENCED.sub("", page.read_text("utf-8"))


def section(title: str) -> str:
    """The text of the page of the architecture below a heading."""
    return (DOCS / "internals" / "architecture.md").read_text("utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]


def anchors(page: Path) -> set[str]:
    """The headings of a page as a forge links to them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def files_named(page: Path) -> Iterator[str]:
    """What stands in code letters and looks like a file or folder of the repository, as a pattern."""
    for found in _PATH.findall(prose(page)):
        pattern = re.sub(r"<[^>]+>", "*", found).rstrip("/")
        head = pattern.split("/")[0]
        known = "/" in found and any((base / head).is_dir() for base in (ROOT, PACKAGE, page.parent))
        if "*" not in head and (known or pattern.endswith(_SUFFIXES)):
            yield pattern


def is_there(pattern: str, page: Path) -> bool:
    if "/" not in pattern:
        return pattern in NAMES
    return any(next(base.glob(pattern), None) for base in (ROOT, PACKAGE, page.parent))


@pytest.mark.parametrize("page", [page for page in PAGES if page != GENERATED], ids=named)
def test_no_line_is_longer_than_an_editor_shows(page: Path) -> None:
    lines = page.read_text("utf-8").splitlines()
    assert not {number: line for number, line in enumerate(lines, 1) if len(line) > MOST_CHARACTERS}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_each_relative_link_leads_somewhere(page: Path) -> None:
    for target, anchor in _LINK.findall(prose(page)):
        if not target.startswith(("http:", "https:")):
            path = (page.parent / target).resolve() if target else page
            assert path.exists(), target
            assert not anchor or anchor in anchors(path), anchor


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_each_file_that_is_named_is_there(page: Path) -> None:
    assert not [pattern for pattern in files_named(page) if not is_there(pattern, page)]


@pytest.mark.parametrize("folder", ["", "docs", "demo", "examples", "layers", "clients", "cloud"])
def test_nobody_is_told_to_install_the_package_from_an_index(folder: str) -> None:
    found = ROOT.glob("*.md") if not folder else (ROOT / folder).rglob("*")
    texts = [
        path
        for path in found
        if path.suffix in {".md", ".py", ".json", ".toml", ".html"} and "node_modules" not in path.parts
    ]
    assert texts
    assert [named(path) for path in texts if _FROM_AN_INDEX.search(path.read_text("utf-8"))] == []


def test_the_security_page_names_the_current_version() -> None:
    versions = re.findall(r"^\| (\d+\.\d+)", (ROOT / "SECURITY.md").read_text("utf-8"), re.MULTILINE)
    assert versions == [".".join(__version__.split(".")[:2])]


def test_the_architecture_lists_the_packages_in_their_order_with_files_that_exist() -> None:
    listed = section("Packages").split("```")[1]
    rooms = re.findall(r"^(\w+)(?:/|\.py) ", listed, re.MULTILINE)
    assert rooms == [*ROOMS, "data"]
    for room, text in zip(rooms, re.split(r"^\w+(?:/|\.py) ", listed, flags=re.MULTILINE)[1:], strict=True):
        for name in re.findall(r"\b[a-z_]+(?:\.py|/)(?=[ ,.;)]|$)", text, re.MULTILINE):
            assert (PACKAGE / room / name).exists(), f"{room}: {name}"


def test_the_glossary_stays_short_and_explains_each_word_once() -> None:
    words = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", section("Glossary"), re.MULTILINE)[1:]
    assert 1 < len(words) <= MOST_WORDS_EXPLAINED
    assert len(set(words)) == len(words)


def test_each_page_of_the_docs_stands_in_their_index() -> None:
    index = DOCS / "README.md"
    linked = {(DOCS / target).resolve() for target, _ in _LINK.findall(index.read_text("utf-8"))}
    assert {page for page in DOCS.rglob("*.md") if page != index} <= linked


@pytest.mark.parametrize("page", sorted((DOCS / "internals" / "decisions").glob("*.md")), ids=lambda page: page.stem)
def test_a_decision_tells_what_lost_and_stays_short(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.startswith(f"# {int(page.stem[:4])}. ")
    assert re.findall(r"^\*\*([^*]+)\.\*\*", text, re.MULTILINE) == ["Context", "Decision", "Rejected", "Consequences"]
    assert len(text.split()) <= MOST_WORDS_OF_A_DECISION
