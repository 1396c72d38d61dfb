"""The commands `validate`, `repair`, `reindex` and `doctor`, which check and repair the search index and the memory file.

`validate` and `repair` compare the index of one user with the memories. `doctor` checks a whole file or deployment.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from commonplace.domain.errors import CommonplaceError, ErrorCode, require_extra
from commonplace.interfaces.cli.failures import Failed, exit_if
from commonplace.interfaces.cli.options import Shared, command_options, progress_bar
from commonplace.interfaces.cli.tables import Remarked, print_facts, print_json, print_notes, print_rows

if TYPE_CHECKING:
    from commonplace.bootstrap.maintenance import Maintenance
    from commonplace.domain.flaws import Flaws
    from commonplace.settings import Settings

_Opened = TypeVar("_Opened")
_TABLE = click.option("--table", metavar="NAME", help="The DynamoDB table.  [default: $COMMONPLACE_TABLE]")
_ENDPOINT = click.option("--endpoint", metavar="URL", help="OpenSearch.  [default: $COMMONPLACE_SEARCH_ENDPOINT]")
_ON_THIS_MACHINE = """\b
With "make cloud", use the addresses that it prints at its start:
  export AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:PORT
  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  commonplace doctor --table commonplace --endpoint http://127.0.0.1:PORT
"""
_CREDENTIALS = "AWS_REGION and your credentials"
_CHECK_TABLE = (
    f"check --table (or COMMONPLACE_TABLE), {_CREDENTIALS}; for a DynamoDB on this machine, set AWS_ENDPOINT_URL_DYNAMODB"
)
_CHECK_INDEX = f"check --endpoint (or COMMONPLACE_SEARCH_ENDPOINT), {_CREDENTIALS}"


@click.command(epilog=_ON_THIS_MACHINE.replace("doctor", "reindex"))
@click.option("--move-to-model", "move", is_flag=True, help="Write every record again, with the vectors of another model.")
@_TABLE
@_ENDPOINT
@command_options
def reindex(shared: Shared, move: bool, table: str | None, endpoint: str | None) -> None:
    """Embed a file again, or rebuild a deployment's index.

    Without a table it embeds the memories of the file that have vectors of another model. With a table it fills a new
    version of the index, which then replaces the old one; also after a change of its layout, and with --move-to-model after
    a version with another embedding model. Set the environment of the deployment: the stack's output Environment lists it.
    A stopped command continues when you run it again.
    """
    from commonplace.bootstrap.local import local_clock
    from commonplace.indexing import rebuild
    from commonplace.settings import read_settings

    settings = read_settings()
    if not (table or endpoint or move or settings.table):
        with shared.reading() as memory, progress_bar("memories embedded") as progress:
            _print(shared, {"embedded": memory.reindex(progress)})
        return
    with connection_hints(shared), progress_bar("memories indexed") as progress:
        indexed = bool(endpoint or settings.search_endpoint or not move)
        ports = _open_maintenance(table, endpoint, indexed)
        renewal = rebuild.EmbeddingRenewal(ports.records, ports.embedder, local_clock("UTC"))
        done = rebuild.reindex(ports.everything, ports.rebuild, renewal, progress, move=move)
    _print(shared, {"records": done.records, "embedded": done.embedded, "refused": dict(done.refused)})


@click.command(epilog=_ON_THIS_MACHINE)
@click.option("--repair", is_flag=True, help="Repair the index.")
@_TABLE
@_ENDPOINT
@command_options
def doctor(shared: Shared, repair: bool, table: str | None, endpoint: str | None) -> None:
    """Check a memory file or a deployment for problems.

    \b
    Without a table it lists records that can't be read, dates beyond the years
    1 to 9000 (read as the nearest), and what SQLite finds wrong. For all users,
    like "commonplace validate" for one, it lists where the index disagrees with
    the memories, and wrong links and keys.

    "commonplace erase --memory ID" erases a record that can't be read.
    The exit code is 5 if something can't be read or is wrong.
    """
    from commonplace.indexing.consistency import check_consistency
    from commonplace.settings import read_settings

    if not (table or endpoint or read_settings().table):
        with shared.reading() as memory, progress_bar("memories compared") as progress:
            report = memory.check(progress, repair)
        mended: dict[str, object] = {"mended": report.mended} if repair else {}
        kinds = {str(kind): count for kind, count in report.inconsistencies.items()}
        _print(shared, {"records": report.records, **mended, **kinds, **_list_flaws(report.flaws), "faults": report.faults})
        wrong = sum(report.inconsistencies.values()) - report.mended
        return exit_if(wrong > 0 or report.flaws.unreadable or report.faults)
    with connection_hints(shared), progress_bar("memories compared") as progress:
        ports = _open_maintenance(table, endpoint)
        assert ports.contents is not None
        checked = check_consistency(ports.everything, ports.records, ports.contents, repair, progress)
    counted = {"records": checked.records, "documents": checked.documents, "mended": checked.mended}
    differences = {str(kind): count for kind, count in checked.inconsistencies.items()}
    _print(shared, {**counted, **differences, **_list_flaws(checked.flaws)})
    return exit_if(checked.inconsistencies.total() > checked.mended or checked.flaws.unreadable)


def _list_flaws(flaws: "Flaws") -> dict[str, object]:
    return {"unreadable": flaws.unreadable, "held": flaws.held}


def _print(shared: Shared, answer: dict[str, object]) -> None:
    print_json(answer) if shared.json else print_facts(answer)


def _open_maintenance(table: str | None, endpoint: str | None, indexed: bool = True) -> "Maintenance":
    from commonplace.bootstrap.maintenance import open_maintenance

    return open_part(partial(open_maintenance, indexed=indexed), table=table, search_endpoint=endpoint)


def open_part(open_: Callable[["Settings"], _Opened], **named: str | None) -> _Opened:
    """Open a part of a deployment with settings from the environment. The options in `named` take precedence."""
    from commonplace.settings import read_settings

    require_extra("aws", "this command uses AWS")
    from botocore.exceptions import BotoCoreError

    settings = read_settings().model_copy(update={name: value for name, value in named.items() if value})
    try:
        return open_(settings)
    except (BotoCoreError, ValueError) as error:  # unknown profile, missing credentials, or an invalid address
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"AWS can't be reached: {error}") from error


@contextmanager
def connection_hints(shared: Shared) -> Iterator[None]:
    """Add a hint to connection errors about which AWS settings to check. The usual hint would be about a memory file."""
    from commonplace.ports.values import IndexUnavailable

    try:
        yield
    except IndexUnavailable as error:
        ours = CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the index is not available: {error}")
        raise Failed(ours, "", shared.json, following=_CHECK_INDEX) from error
    except CommonplaceError as error:
        if error.code is not ErrorCode.STORAGE_UNAVAILABLE:
            raise
        raise Failed(error, "", shared.json, following=_CHECK_TABLE) from error


@click.command()
@command_options
def validate(shared: Shared) -> None:
    """Check whether the search index agrees with the memories.

    It only reads. "commonplace repair" repairs the index; for problems of a memory itself, each line names the command that
    helps. The exit code is 5 if something is wrong.
    """
    findings, checked, cursor = list[dict[str, Any]](), 0, dict[str, str]()
    with shared.reading() as memory, progress_bar("memories checked") as progress:
        while True:
            part = memory.call("validate_storage", cursor)
            checked += part["checked"]
            findings += part["findings"]
            progress(checked)
            if "cursor" not in part:
                break
            cursor = {"cursor": part["cursor"]}
    ok = all(finding["kind"] == "held" for finding in findings)
    if shared.json:
        counts = dict(Counter(finding["kind"] for finding in findings))
        print_json({"ok": ok, "checked": checked, "counts": counts, "findings": findings})
    else:
        rows = [(finding["kind"].replace("_", " "), Remarked(finding["id"], finding["detail"])) for finding in findings]
        print_rows(("problem", "memory"), rows)
        print_facts({"checked": checked or "no memory", "found": len(findings) or "nothing wrong"})
    exit_if(not ok)


@click.command()
@click.option("--all", "whole", is_flag=True, help="Rewrite the whole index, not only the wrong documents.")
@click.option("--apply", is_flag=True, help="Repair now instead of only showing what would be done.")
@command_options
def repair(shared: Shared, whole: bool, apply: bool) -> None:
    """Repair the search index.

    The memories themselves stay unchanged, even if they can't be read. The exit code is 5 if something would change, or
    could not be changed.
    """
    arguments = {"scope": "all" if whole else "missing", "dry_run": not apply}
    with shared.reading() as memory, progress_bar("memories compared") as progress:
        answer = memory.call("repair_index", arguments, progress)
    if shared.json:
        print_json(answer)
    else:
        names = ("written", "removed", "unchanged") if apply else ("would write", "would remove", "unchanged")
        counts = dict(zip(names, (answer["indexed"], answer["removed"], answer["unchanged"]), strict=True))
        print_facts({name: str(count) for name, count in counts.items()})
        print_rows(("memory", "why not"), [(failure["id"], failure["code"]) for failure in answer["failed"]], "memory")
        print_notes(answer)
    waits = not apply and not whole and (answer["indexed"] or answer["removed"])
    exit_if(waits or answer["failed"] or answer.get("unreadable") or answer.get("notes"))
