"""The Markdown pages of a memory, edited by somebody who means no good."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from commonplace import CommonplaceError
from tests.fuzz.conftest import Kept
from tests.fuzz.effort import MARKS, attempt, examples
from tests.fuzz.hostile import texts

pytestmark = MARKS
_SOME = 5  # seconds of process time
_EDITS = st.lists(
    st.tuples(st.sampled_from(["before", "within", "instead", "twice", "away", "after"]), st.integers(0, 200), texts()),
    max_size=4,
)


@examples(25)
@given(edits=_EDITS, dry_run=st.booleans())
def test_edited_pages_are_taken_over_or_told_to_be_none(kept: Kept, edits: list[tuple[str, int, str]], dry_run: bool) -> None:
    with kept.opened() as (memory, file):
        folder = file.parent / "pages"
        memory.write_markdown(folder)
        before = {record["memory_id"]: record["status"] for record in memory.export()}
        _edit(sorted(folder.rglob("*.md")), edits)
        attempt("pages compared", lambda: memory.apply_markdown(folder, dry_run=True), _SOME)
        if not dry_run:
            answer = attempt("pages applied", lambda: memory.apply_markdown(folder, dry_run=False, delete_many=True), _SOME)
            assert isinstance(answer, CommonplaceError) or answer.run.error is None
        after = {record["memory_id"]: record["status"] for record in memory.export()}
        assert before.keys() <= after.keys()
        assert not dry_run or before == after
        written = attempt("pages written", lambda: memory.write_markdown(file.parent / "anew"), _SOME)
        assert not isinstance(written, CommonplaceError)


def _edit(pages: list[Path], edits: list[tuple[str, int, str]]) -> None:
    """Changes a line of a page for each edit: `number` counts through all of them."""
    for how, number, text in edits:
        page = pages[number % len(pages)]
        lines = page.read_bytes().split(b"\n")
        at = number // len(pages) % len(lines)
        line, new = lines[at], text.encode(errors="surrogatepass")
        middle = len(line) // 2
        changed = {
            "before": [new, line], "after": [line, new], "instead": [new], "twice": [line, line], "away": [],
            "within": [line[:middle] + new + line[middle:]],
        }[how]  # fmt: skip
        page.write_bytes(b"\n".join([*lines[:at], *changed, *lines[at + 1 :]]))
