"""Errors that a person reads name the options as they were typed; those that a program reads have the path of the field."""

from pathlib import Path

import click
import pytest

from commonplace.interfaces.cli import LISTED, failures
from tests.integration.command_line import run

pytestmark = pytest.mark.integration

REFUSED = [
    (["store", "tea", "--importance", "9"], "--importance: must be a whole number from 1 to 5, e.g. --importance 4"),
    (["store", "tea", "--tag", "a", "--tag", ""], "--tag: must be a word of 1 to 64 characters"),
    (["store", "tea", "--expires", "soon"], "--expires: must be a day or a time in ISO 8601, e.g. --expires 2026-05-20"),
    (["store", "tea", "--note", "a\x01"], "--note: must not contain the control character U+0001"),
    (["store", "?!"], "TEXT: must contain at least one letter or digit"),
    (["store", "t" * 8001], "TEXT: must be a text of up to 8,000 characters"),
    (["normalize", "tea", "--context", "a\x01"], "--context: must not contain"),
    (["search", "tea", "--after", "yesterday"], "--after: must be a day or a time in ISO 8601, e.g. --after 2026-05-20"),
    (["search", "tea", "--before", "2026-13-01"], "--before: must be"),
    (["search", "tea", "--limit", "0"], "--limit: must be a whole number from 1 to 100, e.g. --limit 20"),
    (["search", "tea", "--min-relevance", "nan"], "--min-relevance: must be a number from 0 to 1, e.g. --min-relevance 0.5"),
    (["search", "tea", "--min-importance", "0"], "--min-importance: must be a whole number from 1 to 5"),
    (["search", ""], "QUERY: is empty"),
    (["search", "tea", "--timezone", "Mars/Olympus"], "--timezone: there is no time zone Mars/Olympus; give an IANA name"),
    (["search", "tea", "--user", ""], "--user: must not be empty, e.g. --user ana"),
]


@pytest.mark.parametrize(("arguments", "why"), REFUSED, ids=lambda value: str(value)[:60])
def test_the_option_is_named_as_it_was_typed(tmp_path: Path, arguments: list[str], why: str) -> None:
    done = run(*arguments, home=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert f": {why}" in done.err


@pytest.mark.parametrize("verb", ["normalize", "store", "search"])
def test_no_option_of_free_text_is_left_without_a_name(verb: str) -> None:
    shared = {"--db", "--user", "--timezone"}
    names = {typed.name for typed in failures._NAMES[verb].values()}
    (command,) = (listed.load() for listed in LISTED if listed.name == verb)
    for parameter in command.params:
        free = not isinstance(parameter.type, click.Choice | click.types.BoolParamType)
        name = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name
        assert not free or name in names | shared, name


def test_what_the_environment_holds_is_not_called_an_option(tmp_path: Path) -> None:
    done = run("search", "tea", home=tmp_path, environment={"COMMONPLACE_TIMEZONE": "Europe/Berln"})
    assert done.code == 2
    assert "COMMONPLACE_TIMEZONE: there is no time zone Europe/Berln; give an IANA name such as Europe/Berlin;" in done.err
    assert "--timezone" not in done.err
