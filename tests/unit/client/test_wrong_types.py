"""An id, a body, a path or a list of another type is refused by its field, by every public method that takes one."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.client.documents import Documents
from commonplace.domain.errors import CommonplaceError, ErrorCode

NO_TEXT: tuple[Any, ...] = (None, {}, {"a": "b"}, [], ["a"], 7)
NO_LIST: tuple[Any, ...] = (None, {}, {"a": "b"}, 7, "", "text", b"x")
WRONG: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("run_id", "operation_id", "memory_id", "name", "upload_id", "export_id", "backup_id"), (*NO_TEXT, "")),
    **dict.fromkeys(("tool", "query", "key", "topic", "content", "text", "raw_text", "normalized", "value"), (*NO_TEXT, "")),
    **dict.fromkeys(("path", "dir"), (*NO_TEXT, "")),
    **dict.fromkeys(("interactions", "turns", "records", "memories", "namespace", "tags", "memory_ids"), NO_LIST),
    "kind": ([], {}, 7, "", "tape"),
    "limit": ("5x", {}, [], b"x"),
}
ALLOWED = (("drop_upload", ""), ("naming", ""))  # there is no such upload; it is only asked for by that name
BODIES = {Commonplace: (None, {}, [], 7, "text", ""), Documents: NO_TEXT}
RIGHT = {
    "type": "preference", "category": "work_context", "metadata": {"type": "fact"}, "useful": True, "namespace": ("notes",),
    "tags": ["tea"], "path": "no such file", "interactions": [], "turns": [], "records": [], "memories": [],
}  # fmt: skip


def cases() -> Iterator[Any]:
    for owner in (Commonplace, Documents):
        for name, method in inspect.getmembers(owner, inspect.isfunction):
            for parameter in inspect.signature(method).parameters.values():
                wrong = BODIES[owner] if parameter.name == "body" else WRONG.get(parameter.name, ())
                if name.startswith("_") or name == "answer":  # which never raises
                    continue
                for value in wrong:
                    if (value is not None or parameter.default is not None) and (name, value) not in ALLOWED:
                        yield pytest.param(owner, name, parameter.name, value, id=f"{name}-{parameter.name}-{value!r}")


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commonplace]:
    with Commonplace(tmp_path_factory.mktemp("memory") / "memory.db", user_id="ana") as opened:
        yield opened


@pytest.mark.parametrize(("owner", "name", "field", "value"), list(cases()))
def test_what_is_of_another_type_is_refused_by_its_field(
    memory: Commonplace, owner: type, name: str, field: str, value: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    method: Callable[..., Any] = getattr(memory if owner is Commonplace else memory.documents, name)
    parameters = inspect.signature(method).parameters.values()
    required = [one.name for one in parameters if one.default is inspect.Parameter.empty and one.name != field]
    given = {one: RIGHT.get(one, b"x" if (one, name) == ("body", "upload") else "text") for one in required}
    with pytest.raises(CommonplaceError) as refused:
        method(**given, **{field: value})
    assert refused.value.field is not None or refused.value.code is ErrorCode.UNKNOWN_TOOL
    assert refused.value.code.status in (400, 404)
    assert list(tmp_path.iterdir()) == []
