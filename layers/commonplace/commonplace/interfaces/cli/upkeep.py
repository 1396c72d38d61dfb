"""`validate` and `repair`: compare the index with the memories, and correct it.

`reindex` and `doctor`: rebuild the index of a deployment on AWS, and compare it with its records; check a file.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from commonplace.domain.errors import CommonplaceError, ErrorCode, require_extra
from commonplace.interfaces.cli.failures import LEFT, Failed
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
Over "make cloud", with the addresses that it prints when it has started:
  export AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:PORT
  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  commonplace doctor --table commonplace --endpoint http://127.0.0.1:PORT
"""
_CREDENTIALS = "AWS_REGION and your credentials"
_CHECK_TABLE = (
    f"check --table (or COMMONPLACE_TABLE), {_CREDENTIALS}; AWS_ENDPOINT_URL_DYNAMODB is where a DynamoDB on this machine is"
)
_CHECK_INDEX = f"check --endpoint (or COMMONPLACE_SEARCH_ENDPOINT), {_CREDENTIALS}"


@click.command(epilog=_ON_THIS_MACHINE.replace("doctor", "reindex"))
@click.option("--move-to-model", "move", is_flag=True, help="Write every record anew with the vectors of another model.")
@_TABLE
@_ENDPOINT
@command_options
def reindex(shared: Shared, move: bool, table: str | None, endpoint: str | None) -> None:
    """Embed a file anew, or rebuild a deployment's index.

    Without a table: the memories of the file that an older version embedded by another model; each write does some, too.
    With one: a new version of its index is filled beside the old one and takes its place at the end. The environment must
    be the deployment's: its output Environment has all of it. The same command moves to another layout, and with
    --move-to-model to another embedding model (COMMONPLACE_EMBEDDER). One that was stopped goes on when it is run again.
    """
    from commonplace.bootstrap.local import local_clock
    from commonplace.indexing import rebuild
    from commonplace.settings import read_settings

    if not (table or endpoint or move or read_settings().table):
        with shared.reading() as memory, progress_bar("memories embedded") as progress:
            _print(shared, {"embedded": memory.reindex(progress)})
        return
    with connection_hints(shared), progress_bar("memories indexed") as progress:
        open_ = _open_maintenance(table, endpoint)
        renewal = rebuild.EmbeddingRenewal(open_.records, open_.embedder, local_clock("UTC"))
        done = rebuild.reindex(open_.everything, open_.rebuild, renewal, progress, move=move)
    answer: dict[str, object] = {"records": done.records, "embedded": done.embedded, "refused": dict(done.refused)}
    _print(shared, answer)


@click.command(epilog=_ON_THIS_MACHINE)
@click.option("--repair", is_flag=True, help="Bring into the index what it lacks.")
@_TABLE
@_ENDPOINT
@command_options
def doctor(shared: Shared, repair: bool, table: str | None, endpoint: str | None) -> None:
    """Tell what is the matter with a file, or a deployment.

    \b
    Without a table: what can't be read in the file, dates that are beyond the
    years 1 to 9000 and are read as the nearest, and what SQLite finds wrong.
    Of all users, as "commonplace validate" does of one: where memories and
    index are not in line, and links and keys that can't be.

    "commonplace erase --memory ID" erases what can't be read.
    The exit code is 5 when something can't be read or is wrong.
    """
    from commonplace.indexing.consistency import check_consistency
    from commonplace.settings import read_settings

    if not (table or endpoint or read_settings().table):
        with shared.reading() as memory, progress_bar("memories compared") as progress:
            report = memory.check(progress, repair)
        mended: dict[str, object] = {"mended": report.mended} if repair else {}
        kinds = {str(kind): count for kind, count in report.inconsistencies.items()}
        _print(shared, {"records": report.records, **mended, **kinds, **_told(report.flaws), "faults": report.faults})
        wrong = sum(report.inconsistencies.values()) - report.mended
        return exit_if(wrong > 0 or report.flaws.unreadable or report.faults)
    with connection_hints(shared), progress_bar("memories compared") as progress:
        open_ = _open_maintenance(table, endpoint)
        found = check_consistency(open_.everything, open_.records, open_.contents, repair, progress)
    counted = {"records": found.records, "documents": found.documents, "mended": found.mended}
    ills = {str(kind): count for kind, count in found.inconsistencies.items()}
    _print(shared, {**counted, **ills, **_told(found.flaws)})
    return exit_if(found.inconsistencies.total() > found.mended or found.flaws.unreadable)


def exit_if(found: object) -> None:
    """Set the exit code; the details were printed."""
    if found:
        raise click.exceptions.Exit(LEFT)


def _told(flaws: "Flaws") -> dict[str, object]:
    return {"unreadable": flaws.unreadable, "held": flaws.held}


def _print(shared: Shared, answer: dict[str, object]) -> None:
    if shared.json:
        print_json(answer)
    else:
        print_facts(answer)


def _open_maintenance(table: str | None, endpoint: str | None) -> "Maintenance":
    from commonplace.bootstrap.maintenance import open_maintenance

    return open_part(open_maintenance, table=table, search_endpoint=endpoint)


def open_part(open_: Callable[["Settings"], _Opened], **named: str | None) -> _Opened:
    """Open a part of a deployment by the settings of the environment, replaced by those given here."""
    from commonplace.settings import read_settings

    require_extra("aws", "this asks AWS")
    from botocore.exceptions import BotoCoreError

    settings = read_settings().model_copy(update={name: value for name, value in named.items() if value})
    try:
        return open_(settings)
    except (BotoCoreError, ValueError) as error:  # unknown profile, missing credentials, or an invalid address
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"AWS can't be asked: {error}") from error


@contextmanager
def connection_hints(shared: Shared) -> Iterator[None]:
    """Report connection failures with where to look for the reason, since no memory file is at fault here."""
    from commonplace.ports.values import IndexUnavailable

    try:
        yield
    except IndexUnavailable as error:
        ours = CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the index can't be used just now: {error}")
        raise Failed(ours, "", shared.json, following=_CHECK_INDEX) from error
    except CommonplaceError as error:
        if error.code is not ErrorCode.STORAGE_UNAVAILABLE:
            raise
        raise Failed(error, "", shared.json, following=_CHECK_TABLE) from error


@click.command()
@command_options
def validate(shared: Shared) -> None:
    """Check whether memories and index are in line.

    It only reads. "commonplace repair" brings the index in line; for what lies in a memory itself each line tells the
    command that helps. The exit code is 5 when something is wrong.
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
    ok = all(one["kind"] == "held" for one in findings)
    if shared.json:
        counts = dict(Counter(one["kind"] for one in findings))
        print_json({"ok": ok, "checked": checked, "counts": counts, "findings": findings})
    else:
        if findings:
            rows = [(one["kind"].replace("_", " "), Remarked(one["id"], one["detail"])) for one in findings]
            print_rows(("what", "memory"), rows, "memory")
        print_facts({"checked": checked or "no memory", "found": len(findings) or "nothing wrong"})
    exit_if(not ok)


@click.command()
@click.option("--all", "whole", is_flag=True, help="Write all of the index anew, not only what is not in line.")
@click.option("--apply", is_flag=True, help="Do it; without this it is only told.")
@command_options
def repair(shared: Shared, whole: bool, apply: bool) -> None:
    """Bring the index in line with the memories.

    The memories themselves stay as they are, those that can't be read too. The exit code is 5 when something would be
    changed, or could not be.
    """
    given = {"scope": "all" if whole else "missing", "dry_run": not apply}
    with shared.reading() as memory, progress_bar("memories compared") as progress:
        answer = memory.call("repair_index", given, progress)
    if shared.json:
        print_json(answer)
    else:
        names = ("written", "taken out", "in line") if apply else ("would write", "would take out", "in line")
        counts = dict(zip(names, (answer["indexed"], answer["removed"], answer["unchanged"]), strict=True))
        print_facts({name: str(count) for name, count in counts.items()})
        if answer["failed"]:
            print_rows(("memory", "why not"), [(one["id"], one["code"]) for one in answer["failed"]], "memory")
        print_notes(answer)
    waits = not apply and not whole and (answer["indexed"] or answer["removed"])
    exit_if(waits or answer["failed"] or answer.get("unreadable") or answer.get("notes"))
