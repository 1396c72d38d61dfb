"""docs/api.md names what there is to be public, and nothing that isn't there."""

import re
from pathlib import Path

import click

import commonplace
from commonplace import Commonplace
from commonplace.contract.registry import TOOLS
from commonplace.interfaces.cli import LISTED
from commonplace.settings import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text("utf-8")
_CODE = re.compile(r"`([^`]+)`")


def section(title: str) -> str:
    """The text below a heading."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def named(title: str) -> set[str]:
    """What stands in code letters there, up to a bracket."""
    return {found.split("(")[0] for found in _CODE.findall(section(title))}


def test_every_name_that_the_root_exports() -> None:
    assert set(commonplace.__all__) <= named("Python")


def test_every_method_but_those_of_the_tools() -> None:
    methods = {name for name in dir(Commonplace) if not name.startswith("_")} - {tool.name for tool in TOOLS}
    assert methods <= named("Python")


def test_every_verb() -> None:
    verbs = set()
    for listed in LISTED:
        verb = listed.load()
        inner = "|".join(verb.commands) if isinstance(verb, click.Group) else ""
        verbs.add(f"{listed.name} {inner}".strip())
        if isinstance(verb, click.Group) and verb.invoke_without_command:
            verbs.add(str(listed.name))
    told = {name for name in named("Command line") if not name.startswith(("-", "commonplace"))}
    assert {frozenset(re.split(r"[ |]", name)) for name in told} == {frozenset(re.split(r"[ |]", verb)) for verb in verbs}


def test_the_variables_are_those_of_the_settings() -> None:
    assert {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"} <= named("Environment")
    assert {"anthropic_api_key", "anthropic_base_url", "region"} <= set(Settings.model_fields)


def test_the_page_of_settings_names_fields_of_the_settings() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")
    variables = set(re.findall(r"^\| `(?:COMMONPLACE_)?(\w+)` \|", page, re.MULTILINE))
    assert len(variables) > 20
    assert {name.lower() for name in variables} <= set(Settings.model_fields)
