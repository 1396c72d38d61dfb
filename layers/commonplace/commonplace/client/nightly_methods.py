"""What `Commonplace` can do about nights. What it needs is imported when it is first asked for: most callers never do."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commonplace.bootstrap.models import folder_pages
from commonplace.client.arguments import path_given
from commonplace.domain.errors import CommonplaceError, ErrorCode, list_of
from commonplace.domain.runs import Mode, Run

if TYPE_CHECKING:
    from commonplace.domain.interactions import RecordResult, RunReport, WrittenPages
    from commonplace.nightly.day_planner import ReadDay
    from commonplace.nightly.service import Nights
    from commonplace.nightly.steps import Progress
    from commonplace.ports.documents import Pages
    from commonplace.runs.apply import RunContext


class NightMethods:
    """The methods of a day's end: record what happened, read it, look at what was done, and take it back."""

    def _context(self) -> "RunContext":
        """Whose memories, and what a run needs; given by the class that has these methods."""
        raise NotImplementedError

    def _pages(self, dir: str | Path) -> "Pages":
        """The pages of a folder."""
        return folder_pages(path_given(dir, "dir"))

    def nights(self) -> "Nights":
        """All that may be asked of this user's nights, as of now."""
        from commonplace.nightly.service import Nights

        context = self._context()

        @cache
        def reader() -> "ReadDay":
            from commonplace.nightly.readers import reader_for

            return reader_for(context)

        return Nights(context, lambda *day: reader()(*day))

    def record_interactions(self, interactions: Sequence[Any]) -> "RecordResult":
        """Keeps what a day left behind until a night reads it; a malformed one is refused on its own.

        Each is `{type}` with, for a `discussion`, `messages` (`{role, content}`, as OpenAI and Bedrock log them: texts of the
        user and the assistant are read, the others are `skipped`) and perhaps `article_title`; for a `reaction`, `post_id`,
        `reaction` and `title`; for a `save`, `post_title`; for an `explicit` wish, `text`; for a `page`, `text` and perhaps
        `url` and `platform`. `id` and `time` may be given: the same id again is known, and of a conversation that has grown
        the new messages are recorded; without an id what it says, its day and its place among such of the call are its id,
        and without a time it was now.
        """
        return self.nights().record(list_of(interactions, "interactions"))

    def nightly(self, mode: Mode | None = None, dry_run: bool = False, progress: "Progress | None" = None) -> Run:
        """Reads all that is pending; gives the last run. `mode`: the pipeline where there is a model, else rules.

        `dry_run` changes nothing and tells what a run would do. `progress` is told how many interactions of how many are
        done. Raises `CONFLICT` while another run of this user is at work.
        """
        if dry_run:
            return self.nights().preview(_known(mode), progress).run
        done = list(self.each_run(mode, progress))
        return done[-1] if done else self.nights().empty_run(mode)

    def each_run(self, mode: Mode | None = None, progress: "Progress | None" = None) -> Iterator[Run]:
        """The same, a run at a time: more than 500 interactions are read by several, by twenty at the most."""
        return self.nights().nightly(_known(mode), progress)

    def due(self) -> list[str]:
        """Every user of this file with something pending, or with texts that were kept long enough."""
        context = self._context()
        return list(context.night.ledger.due(context.clock() - context.night.texts_kept))

    def runs(self, limit: int = 20) -> list[Run]:
        """The newest runs, newest first; `limit` 1-100."""
        return self.nights().runs(limit)

    def run(self, run_id: str) -> Run:
        """A run by its id, or the `last`."""
        return self.nights().run(run_id)

    def told(self, run_id: str) -> "RunReport":
        """The same with the words that it is about."""
        return self.nights().told(run_id)

    def undo_run(self, run_id: str, reread: bool = False) -> Run:
        """Takes a run back, the `last` that was applied; `reread`: what it read is read again. What can't be is `kept`."""
        return self.nights().undo_run(run_id, reread)

    def approve_run(self, run_id: str) -> Run:
        """Does what waits for review, where its memories are as they were."""
        return self.nights().approve_run(run_id)

    def discard_run(self, run_id: str) -> Run:
        """Lets go of what waits for review."""
        return self.nights().discard_run(run_id)

    def undo(self, operation_id: str) -> Run:
        """Takes one operation back, a tool's or a run's, or the `last` that is no undo."""
        return self.nights().undo(operation_id)

    def write_markdown(self, dir: str | Path, overwrite: bool = False) -> "WrittenPages":
        """Writes `MEMORY.md` and `memory/YYYY-MM-DD.md` into a folder, as far as they have changed.

        A page that a person has edited is left until it is applied, or with `overwrite`; what is no page of ours always is.
        """
        from commonplace.pages.publishing import write_pages

        context = self._context()
        return write_pages(self._pages(dir), context.caller, context.ports, overwrite=overwrite)

    def visible_pages(self) -> dict[str, str]:
        """The texts of those pages by their names, with what this agent may see; nothing is written."""
        from commonplace.pages.publishing import visible_pages

        context = self._context()
        return visible_pages(context.caller, context.ports)

    def apply_markdown(self, dir: str | Path, dry_run: bool = True, delete_many: bool = False) -> "RunReport":
        """What was edited in that folder changes the memories, as a run; with `dry_run` it is only told.

        What was changed here as well stays as it is, and its operation is `lost`. `delete_many`: also when more entries were
        taken out than max(3, 5 %); without it that is an `INVALID_ARGUMENT`, and nothing is changed.
        """
        from commonplace.pages.applying import apply_pages, compare_pages

        pages, context = self._pages(dir), self._context()
        return compare_pages(pages, context) if dry_run else apply_pages(pages, context, delete_many)


def _known(mode: Mode | None) -> Mode | None:
    if mode not in (None, "rules", "pipeline", "agent"):
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "mode: must be rules, pipeline or agent", "mode")
    return mode
