"""Paths and forms that a program gives by mistake: the error names the field, and says what to do."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import ErrorCode
from tests.conftest import refusal

pytestmark = pytest.mark.integration

TAKE_PATHS: dict[str, tuple[str, Callable[[Commonplace, str], object]]] = {
    "import": ("path", lambda memory, path: memory.import_from(path)),
    "migrate": ("path", lambda memory, path: memory.migrate_tinydb(path)),
    "write pages": ("dir", lambda memory, path: memory.write_markdown(path)),
    "apply pages": ("dir", lambda memory, path: memory.apply_markdown(path)),
}


@pytest.mark.parametrize("path", ["\0", "a\0b.json", "x" * 100_000, "x/" * 5_000, "é" * 200], ids=lambda path: repr(path)[:9])
@pytest.mark.parametrize("method", TAKE_PATHS)
def test_what_is_no_path_names_the_field(memory: Commonplace, method: str, path: str) -> None:
    field, call = TAKE_PATHS[method]
    error = refusal(lambda: call(memory, path))
    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, field)
    assert len(error.message) < 200


def test_a_file_that_is_not_there_is_named(memory: Commonplace, tmp_path: Path) -> None:
    error = refusal(lambda: memory.import_from(tmp_path / "nofile.json"))
    assert error.field == "file"
    assert f"there is no {tmp_path / 'nofile.json'}" in error.message
    assert "name an existing file or folder" in error.message


@pytest.mark.parametrize("form", [None, "", "yaml", 5])
def test_a_form_of_no_document_names_the_field(memory: Commonplace, form: Any) -> None:
    error = refusal(lambda: memory.documents.write(("notes",), "a", "x", form=cast("Any", form)))
    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, "form")
    assert memory.documents.listed() == []


def test_a_path_below_a_file_is_named(memory: Commonplace, tmp_path: Path) -> None:
    (tmp_path / "afile").write_text("tea", encoding="utf-8")
    error = refusal(lambda: memory.import_from(tmp_path / "afile" / "x"))
    assert error.message == f"file: there is no {tmp_path / 'afile' / 'x'}; name an existing file or folder"


@pytest.mark.parametrize(
    "path",
    ["\0", "a\0b.db", Path("a/\0"), "x" * 100_000, "x/" * 5_000, "é" * 200, "", 3, b"x"],
    ids=lambda path: repr(path)[:9],
)
def test_a_memory_file_of_an_impossible_name_is_refused(path: Any) -> None:
    error = refusal(lambda: Commonplace(path))
    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, "path")
    assert len(error.message) < 200


def test_an_entry_of_a_folder_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "mem0.json").write_text('[{"id": "x", "memory": "Ana plays go."}]', "ascii")
    Commonplace(tmp_path / "memory.db").close()
    given, file = sorted(os.scandir(tmp_path), key=lambda entry: entry.name)[:2]
    with Commonplace(file) as memory:
        assert memory.import_from(given).added == 1
