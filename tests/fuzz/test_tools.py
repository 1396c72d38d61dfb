"""Every tool, with arguments of its schema that are hostile, several calls after each other on one small memory."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import Commonplace, CommonplaceError
from commonplace.contract.manifest import rows
from commonplace.domain.flaws import gathered
from tests.fuzz.asked import stored
from tests.fuzz.conftest import Kept
from tests.fuzz.effort import MARKS, attempt, examples
from tests.fuzz.hostile import anything, arguments
from tests.fuzz.owed import check_answer

pytestmark = MARKS
_ROWS: Mapping[str, Any] = {str(row["name"]): row for row in rows()}


@pytest.mark.parametrize("tool", _ROWS)
@examples(4)
@given(data=st.data())
def test_a_tool_answers_or_tells_what_is_wrong(kept: Kept, tool: str, data: st.DataObject) -> None:
    others = data.draw(st.lists(st.sampled_from(sorted(_ROWS)), max_size=2), label="then")
    with kept.opened() as (memory, file):
        found: set[str] = set()
        for name in (tool, *others):
            drawn = arguments(_ROWS[name]["input_schema"], st.sampled_from([*kept.ids, *sorted(found)]))
            given_ = data.draw(st.one_of(drawn, drawn, drawn, anything()) if name == tool else drawn, label=name)
            found |= _called(memory, name, given_)
        _check_kept(memory, {*found, *kept.ids[1:]}, file.parent / "pages")


def _called(memory: Commonplace, tool: str, given_: Any) -> set[str]:
    """The ids of what the call says that it stored."""
    answer = attempt(f"tool {tool}", lambda: memory.call(tool, given_))
    if isinstance(answer, CommonplaceError):
        assert answer.code.label in {error["code"] for error in _ROWS[tool]["errors"]}
        return set()
    check_answer(tool, answer)
    return stored(answer)


def _check_kept(memory: Commonplace, ids: set[str], pages: Path) -> None:
    """Each is a record of its own still, which can be read; what is open to this agent is found by its id, and shown."""
    with gathered() as flaws:
        records = {record["memory_id"]: record for record in memory.export()}
    assert not flaws.unreadable
    assert ids <= records.keys()
    for memory_id in ids:
        if (records[memory_id]["status"], records[memory_id]["agent_id"]) == ("active", "global"):
            answer = attempt("found by id", partial(memory.get_memory, memory_id))
            assert not isinstance(answer, CommonplaceError)
    assert not isinstance(attempt("pages written", partial(memory.write_markdown, pages)), CommonplaceError)
