"""Arrows point inward: the domain sees ports, only the wiring sees adapters, and nothing happens at import."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import commonplace

PACKAGE = Path(commonplace.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
WAYS_IN = {"client.py", "cli", "server", "invocation"}
INFRASTRUCTURE = {
    "sqlite3", "anthropic", "flask", "waitress", "click", "rich", "boto3", "botocore", "opensearchpy", "filelock", "os",
    "aws_lambda_powertools",
}  # fmt: skip


def imports(path: Path, at_top: bool = False) -> Iterator[str]:
    tree = ast.parse((PACKAGE / path).read_text("utf-8"))
    for node in tree.body if at_top else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_domain(path: Path) -> bool:
    return path.parts[0] not in {*WAYS_IN, "adapters", "wiring", "settings.py", "__init__.py"}


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_only_the_wiring_knows_adapters(path: Path) -> None:
    if path.parts[0] in ("adapters", "wiring"):
        return
    assert not [name for name in imports(path) if name.startswith("commonplace.adapters")]


@pytest.mark.parametrize("path", [path for path in MODULES if is_domain(path)], ids=str)
def test_the_domain_imports_no_infrastructure_and_no_way_in(path: Path) -> None:
    names = {name.split(".")[0] for name in imports(path)}
    assert not names & INFRASTRUCTURE
    outer = {Path(way).stem for way in WAYS_IN} | {"wiring", "settings"}
    assert not [name for name in imports(path) if name.startswith("commonplace.") and name.split(".")[1] in outer]


@pytest.mark.parametrize("path", [path for path in MODULES if path.parts[0] == "wiring"], ids=str)
def test_the_wiring_imports_adapters_only_when_they_are_needed(path: Path) -> None:
    assert not [name for name in imports(path, at_top=True) if "adapters" in name]


@pytest.mark.parametrize("path", [path for path in MODULES if path.name != "settings.py"], ids=str)
def test_only_the_settings_read_the_environment(path: Path) -> None:
    names = set(imports(path))
    assert not {"os.environ", "os.getenv"} & names
    read = [
        ast.unparse(node)
        for node in ast.walk(ast.parse((PACKAGE / path).read_text("utf-8")))
        if isinstance(node, ast.Attribute)
    ]
    assert not {"os.environ", "os.getenv"} & set(read)


WATCHED = """
import importlib, pkgutil, sys
import commonplace

def watch(event, told):
    reads = event == "open" and str(told[0]).startswith(sys.argv[1]) and not str(told[0]).endswith((".py", ".pyc"))
    if event == "socket.connect" or reads and "__pycache__" not in str(told[0]):
        raise RuntimeError(f"{event} {told[0]}")

sys.addaudithook(watch)
for found in pkgutil.walk_packages(commonplace.__path__, "commonplace."):
    importlib.import_module(found.name)
"""


def test_nothing_connects_or_reads_files_at_import() -> None:
    subprocess.run([sys.executable, "-c", WATCHED, str(PACKAGE)], check=True)


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_files_are_rooms_for_one_thing(path: Path) -> None:
    assert len((PACKAGE / path).read_text("utf-8").splitlines()) <= 230
    assert path.stem not in {"utils", "helpers", "common", "misc", "manager"}
