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
_SAMPLE = ("store_memory", "search_memory", "delete_memory")
_LED_ON = ("run_id", "export_id", "cursor")  # of an answer, by which a call goes on


@pytest.mark.parametrize(
    "tool", [pytest.param(tool, marks=[pytest.mark.sample] if tool in _SAMPLE else []) for tool in _ROWS]
)
@examples(4)
@given(data=st.data())
def test_a_tool_answers_or_tells_what_is_wrong(kept: Kept, tool: str, data: st.DataObject) -> None:
    then = st.one_of(st.just(tool), st.sampled_from(sorted(_ROWS)))
    others = data.draw(st.lists(then, max_size=2), label="then")
    with kept.opened() as (memory, file):
        found, told = set[str](), set[str]()
        for name in (tool, *others):
            drawn = arguments(_ROWS[name]["input_schema"], st.sampled_from([*kept.ids, *sorted(found | told)]))
            given_ = data.draw(st.one_of(drawn, drawn, drawn, anything()) if name == tool else drawn, label=name)
            answer = _called(memory, name, given_)
            found |= stored(answer)
            told |= {answer[one] for one in _LED_ON if isinstance(answer.get(one), str)}
        _check_kept(memory, {*found, *kept.ids[1:]}, file.parent / "pages")


def _called(memory: Commonplace, tool: str, given_: Any) -> Mapping[str, Any]:
    """The answer; nothing of one that was refused."""
    answer = attempt(f"tool {tool}", lambda: memory.call(tool, given_))
    if isinstance(answer, CommonplaceError):
        assert answer.code.label in {error["code"] for error in _ROWS[tool]["errors"]}
        return {}
    check_answer(tool, answer)
    return answer


def _check_kept(memory: Commonplace, ids: set[str], pages: Path) -> None:
    """Each is a record of its own still, which can be read; what is open to this agent is found by its id, and shown."""
    with gathered() as flaws:
        exported = list(memory.export())
    assert not flaws.unreadable
    records = {record[name]: record for name in ("known_as", "memory_id") for record in exported if record.get(name)}
    assert ids <= records.keys()
    for memory_id in ids:
        if (records[memory_id]["status"], records[memory_id]["agent_id"]) == ("active", "global"):
            answer = attempt("found by id", partial(memory.get_memory, memory_id))
            assert not isinstance(answer, CommonplaceError)
    assert not isinstance(attempt("pages written", partial(memory.write_markdown, pages)), CommonplaceError)
