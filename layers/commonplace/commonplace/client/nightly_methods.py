"""Provides the nightly methods of `Commonplace`. Their imports are deferred, because most callers never use them."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commonplace.bootstrap.models import folder_pages
from commonplace.client.arguments import as_path
from commonplace.domain.errors import invalid, list_of
from commonplace.domain.runs import Mode, Run

if TYPE_CHECKING:
    from commonplace.domain.interactions import RecordResult, RunReport, WrittenPages
    from commonplace.nightly.day_planner import ReadDay
    from commonplace.nightly.service import Nights
    from commonplace.nightly.steps import Progress
    from commonplace.runs.apply import RunContext


class NightMethods:
    """Methods that record interactions, read them in nightly runs, and inspect and undo runs."""

    _build_context: "Callable[[], RunContext]"
    """Returns the caller and the ports of a run. The subclass implements this method."""

    def nights(self) -> "Nights":
        """Return the nightly use cases of this user at the current time."""
        from commonplace.nightly.service import Nights

        context = self._build_context()

        @cache
        def reader() -> "ReadDay":
            from commonplace.nightly.readers import reader_for

            return reader_for(context)

        return Nights(context, lambda *day: reader()(*day))

    def record_interactions(self, interactions: Sequence[Any]) -> "RecordResult":
        """Store interactions until a nightly run reads them. Malformed interactions are refused, and the others are recorded.

        Each interaction has a `type`. A `discussion` contains `messages` (`{role, content}`, as OpenAI and Bedrock log them)
        and optionally `article_title`. Messages with roles other than user and assistant are `skipped`. A `reaction` contains
        `post_id`, `reaction` and `title`. A `save` contains `post_title`. An `explicit` request contains `text`. A `page`
        contains `text`, and optionally `url` and `platform`. `id` and `time` are optional. An interaction with a known id is
        recorded only once. If a conversation has grown, only the new messages are recorded. A missing id is derived from the
        content, the day, and the position among identical interactions in the call. `time` defaults to the current time.
        """
        return self.nights().record(list_of(interactions, "interactions"))

    def nightly(self, mode: Mode | None = None, dry_run: bool = False, progress: "Progress | None" = None) -> Run:
        """Read all pending interactions and return the last run.

        The default `mode` is `pipeline` if a model is configured, and `rules` otherwise.
        `dry_run` only reports what a run would do. `progress` receives the number of interactions done and the
        total. Raises `CONFLICT` while another run of this user is in progress.
        """
        if dry_run:
            return self.nights().preview(_check_mode(mode), progress).run
        done = list(self.each_run(mode, progress))
        return done[-1] if done else self.nights().empty_run(mode)

    def each_run(self, mode: Mode | None = None, progress: "Progress | None" = None) -> Iterator[Run]:
        """Read pending interactions like `nightly`, and yield each run. At most twenty runs read up to 500 each."""
        return self.nights().nightly(_check_mode(mode), progress)

    def due(self) -> list[str]:
        """Return the users in this file who have pending interactions, or texts whose retention period has ended."""
        context = self._build_context()
        return list(context.night.ledger.due(context.clock() - context.night.text_retention))

    def runs(self, limit: int = 20) -> list[Run]:
        """Return the newest runs, newest first. `limit` is 1 to 100."""
        return self.nights().runs(limit)

    def run(self, run_id: str) -> Run:
        """Return a run by its id, or the newest run for the id `last`."""
        return self.nights().run(run_id)

    def run_report(self, run_id: str) -> "RunReport":
        """Return a run together with the texts of its memories."""
        return self.nights().run_report(run_id)

    def undo_run(self, run_id: str, reread: bool = False) -> Run:
        """Undo a run ("last": the last applied run). `kept` lists what can't be undone. `reread` makes its input pending."""
        return self.nights().undo_run(run_id, reread)

    def approve_run(self, run_id: str) -> Run:
        """Apply a run's operations that wait for review and whose memories are unchanged."""
        return self.nights().approve_run(run_id)

    def discard_run(self, run_id: str) -> Run:
        """Discard a run's operations that wait for review."""
        return self.nights().discard_run(run_id)

    def undo(self, operation_id: str) -> Run:
        """Undo one operation. The id `last` stands for the newest operation that is not an undo."""
        return self.nights().undo(operation_id)

    def write_markdown(self, dir: str | Path, overwrite: bool = False) -> "WrittenPages":
        """Write the changed pages, `MEMORY.md` and `memory/YYYY-MM-DD.md`, into a folder.

        An edited page stays unchanged until the edits are applied, or until `overwrite` is set. Files that are not pages of
        Commonplace always stay unchanged.
        """
        from commonplace.pages.publishing import write_pages

        context = self._build_context()
        return write_pages(folder_pages(as_path(dir, "dir")), context.caller, context.ports, overwrite=overwrite)

    def visible_pages(self) -> dict[str, str]:
        """Return the texts of the pages by name, without writing files. They contain the memories visible to this agent."""
        from commonplace.pages.publishing import visible_pages

        context = self._build_context()
        return visible_pages(context.caller, context.ports)

    def apply_markdown(self, dir: str | Path, dry_run: bool = True, delete_many: bool = False) -> "RunReport":
        """Apply the edits on a folder's pages to the memories, as a run. `dry_run` only reports the edits.

        If a memory has changed since its page was written, the operation is `lost`. Edits that remove more than 3 entries and
        more than 5 % of all entries raise `INVALID_ARGUMENT` before anything is changed, unless `delete_many` is True.
        """
        from commonplace.pages.applying import apply_pages, compare_pages

        pages, context = folder_pages(as_path(dir, "dir")), self._build_context()
        return compare_pages(pages, context) if dry_run else apply_pages(pages, context, delete_many)


def _check_mode(mode: Mode | None) -> Mode | None:
    if mode not in (None, "rules", "pipeline", "agent"):
        raise invalid("mode", "must be rules, pipeline or agent")
    return mode
