"""The rooms: each file stands in a room, a room imports only from rooms below it, and nothing happens at import."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import commonplace
from commonplace.contract.registry import TOOLS
from commonplace.use_cases import dispatch

HERE, PACKAGE = Path(__file__).parent, Path(commonplace.__file__).parent
BESIDE = {"cases", "__pycache__"}
FILES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
ROOMS = (
    "interfaces", "legacy", "integrations", "client", "bootstrap", "settings", "adapters", "importing", "nightly", "use_cases", "pages", "runs", "extraction",
    "indexing", "contract", "retrieval", "memories", "llm", "ports", "text", "domain",
)  # fmt: skip
"""The rooms, top floor first: a room imports only from rooms that stand further on in this list."""
WITHOUT_INFRASTRUCTURE = ROOMS[ROOMS.index("nightly") :]
INFRASTRUCTURE = {
    "sqlite3", "anthropic", "click", "wcwidth", "boto3", "botocore", "opensearchpy", "filelock", "os",
    "aws_lambda_powertools", "aws_xray_sdk", "mcp", "mcp_types", "anyio", "starlette", "uvicorn", "h11", "python_multipart",
    "jinja2", "markupsafe",
}  # fmt: skip
NAMES_OF_NOTHING = {"utils", "helpers", "common", "misc", "manager"}
MOST_METHODS = 10
MOST_CODE_LINES, MOST_TABLE_LINES, MOST_SKIPPED_FORMATS = 56_000, 9_001, 203
"""Ceilings of the whole package: lines of Python at a line length of 126, lines of hand-written tables, `# fmt: skip`."""
TABLE_SUFFIXES = {".toml", ".sql", ".tsv", ".json", ".txt"}


def name_of(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(("commonplace", *(parts[:-1] if parts[-1] == "__init__" else parts)))


MODULES = {name_of(path): path for path in FILES}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse((PACKAGE / path).read_text("utf-8"))


@cache
def imports(path: Path, at_top: bool = False) -> tuple[str, ...]:
    return tuple(_imports(path, at_top))


def _imports(path: Path, at_top: bool) -> Iterator[str]:
    """Whatever a file imports, by its full name; `from a import b` is `a.b`, which may be a module or what is in one."""
    for node in tree_of(path).body if at_top else ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = name_of(path).split(".")[: -node.level or None] if path.name != "__init__.py" else []
            base = ".".join([*above, node.module or ""]).strip(".") if node.level else str(node.module)
            yield from (f"{base}.{alias.name}" for alias in node.names)


@cache
def own_imports(path: Path, at_top: bool = False) -> set[str]:
    """The modules of this package that a file imports."""
    named = {name for name in imports(path, at_top) if name.startswith("commonplace.")}
    modules = {name if name in MODULES else name.rsplit(".", 1)[0] for name in named}
    parents = {parent for name in modules for parent in parents_of(name)} - parents_of(name_of(path))
    return (modules | parents) - {name_of(path), "commonplace"}


def parents_of(name: str) -> set[str]:
    """The packages around a module: they are imported before it."""
    parts = name.split(".")
    return {".".join(parts[:end]) for end in range(2, len(parts))}


def room_of(module: str) -> str:
    return module.split(".")[1]


def test_each_file_stands_in_a_room_and_imports_only_from_rooms_below() -> None:
    files = [path for path in FILES if path != Path("__init__.py")]
    assert {room_of(name_of(path)) for path in files} <= set(ROOMS)
    assert not {(str(path), module) for path in files for module in own_imports(path) if is_above(module, path)}


def is_above(module: str, path: Path) -> bool:
    """Whether a module stands in a room above that of a file."""
    return ROOMS.index(room_of(module)) < ROOMS.index(room_of(name_of(path)))


def test_only_the_composition_root_imports_adapters() -> None:
    others = [path for path in FILES if path.parts[0] not in ("adapters", "bootstrap")]
    assert not {(str(path), module) for path in others for module in own_imports(path) if room_of(module) == "adapters"}


@pytest.mark.parametrize("path", [path for path in FILES if path.parts[0] == "adapters"], ids=str)
def test_an_adapter_of_one_vendor_knows_none_of_another(path: Path) -> None:
    models = {"sentence_encoder", "universal_encoder", "word_averages"}
    if path.stem in models:
        return  # one vendor: the models of the package
    shared = {"commonplace.adapters.record_scan", "commonplace.adapters"}
    others = {name for name in own_imports(path) if room_of(name) == "adapters"} - shared
    assert {name.split(".")[2] for name in others} <= {path.relative_to("adapters").parts[0].removesuffix(".py")}


def test_no_import_runs_in_a_circle() -> None:
    TopologicalSorter({module: own_imports(path) for module, path in MODULES.items()}).prepare()


def test_what_stands_at_the_root_are_rooms() -> None:
    found = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert found == {*(room for room in ROOMS if room != "settings"), "settings.py", "__init__.py", "py.typed", "data"}
    assert not list((PACKAGE / "data").rglob("*.py"))


def test_the_domain_imports_no_infrastructure() -> None:
    domain = [path for path in FILES if path.parts[0] in WITHOUT_INFRASTRUCTURE]
    assert not {(str(path), name) for path in domain for name in imports(path) if name.split(".")[0] in INFRASTRUCTURE}


@pytest.mark.parametrize("path", [path for path in FILES if path.parts[0] == "bootstrap"], ids=str)
def test_the_composition_root_imports_adapters_only_when_they_are_needed(path: Path) -> None:
    assert not [module for module in own_imports(path, at_top=True) if room_of(module) == "adapters"]


def test_only_the_settings_read_the_environment() -> None:
    reading = {path for path in FILES if re.search("environ|getenv", (PACKAGE / path).read_text("utf-8"))}
    assert {str(path) for path in reading if {"os.environ", "os.getenv"} & names_used(path)} <= {"settings.py"}


def names_used(path: Path) -> set[str]:
    """The names that a file imports, and those of modules that it reads with a dot, such as `os.environ`."""
    nodes = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    return {*imports(path), *(f"{node.value.id}.{node.attr}" for node in nodes if isinstance(node.value, ast.Name))}


def test_each_tool_has_one_use_case() -> None:
    assert list(dispatch.USE_CASES) == [tool.name for tool in TOOLS]
    for tool in TOOLS:
        assert dispatch.use_case(tool.name).__module__.startswith("commonplace.use_cases.")


@pytest.mark.parametrize("path", [path for path in FILES if path.parts[0] == "ports"], ids=str)
def test_a_port_has_ten_methods_at_most_and_no_logic(path: Path) -> None:
    classes = [node for node in tree_of(path).body if isinstance(node, ast.ClassDef)]
    ports = [node for node in classes if any(ast.unparse(base) == "Protocol" for base in node.bases)]
    for port in ports:
        methods = [node for node in port.body if isinstance(node, ast.FunctionDef)]
        assert 1 <= len(methods) <= MOST_METHODS
        assert all(isinstance(line, ast.Expr) for method in methods for line in method.body)
    assert not [node for node in tree_of(path).body if isinstance(node, ast.FunctionDef)]


WATCHED = """
import importlib, pkgutil, sys
import commonplace

def watch(event, told):
    reads = event == "open" and str(told[0]).startswith(sys.argv[1]) and not str(told[0]).endswith((".py", ".pyc"))
    if event == "socket.connect" or reads and "__pycache__" not in str(told[0]):
        raise RuntimeError(f"{event} {told[0]}")

sys.addaudithook(watch)
for found in pkgutil.walk_packages(commonplace.__path__, "commonplace."):
    try:
        importlib.import_module(found.name)
    except (ModuleNotFoundError, commonplace.CommonplaceError) as error:  # a framework, which tests/frameworks has
        missing = getattr(error, "name", None) or ""
        if not found.name.startswith("commonplace.integrations.") or missing.startswith("commonplace"):
            raise
"""


def test_nothing_connects_or_reads_files_at_import() -> None:
    subprocess.run([sys.executable, "-c", WATCHED, f"{PACKAGE}/"], check=True)


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert not [path for path in FILES if path.stem in NAMES_OF_NOTHING]


def test_the_unit_tests_mirror_the_rooms() -> None:
    folders = {path.relative_to(HERE) for path in HERE.rglob("*") if path.is_dir() and path.name not in BESIDE}
    assert {folder for folder in folders if not (PACKAGE / folder).is_dir()} == {Path("template")}


def test_tests_import_nothing_of_the_benchmarks() -> None:
    tests = [path for path in HERE.parent.rglob("*.py") if "__pycache__" not in path.parts]
    named = [path for path in tests if "benchmarks" in path.read_text("utf-8")]  # others need no parsing
    assert not [path for path in named if any(name.split(".")[0] == "benchmarks" for name in imports(path))]


def lines_of(paths: Iterable[Path]) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


def test_the_package_stays_below_its_ceiling() -> None:
    assert lines_of(PACKAGE / path for path in FILES) <= MOST_CODE_LINES


def test_the_hand_written_tables_stay_below_their_ceiling() -> None:
    tables = [path for path in PACKAGE.rglob("*") if path.suffix in TABLE_SUFFIXES]
    in_data = PACKAGE / "data"
    assert lines_of(path for path in tables if not (path.suffix == ".txt" and in_data in path.parents)) <= MOST_TABLE_LINES


def test_vectors_have_one_stored_form() -> None:
    """Only `memories/vectors.py` turns vectors into bytes and back, so every record and every index has the same numbers."""
    converting = {path for path in FILES if re.search(r"frombuffer\(|[\"']<f\d", (PACKAGE / path).read_text("utf-8"))}
    assert converting == {Path("memories/vectors.py")}


def test_the_formatter_decides() -> None:
    assert sum((PACKAGE / path).read_text("utf-8").count("# fmt: skip") for path in FILES) <= MOST_SKIPPED_FORMATS
