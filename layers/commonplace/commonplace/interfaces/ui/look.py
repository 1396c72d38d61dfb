"""The templates of the page, and the functions that the templates call."""

from datetime import datetime
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from commonplace.domain.errors import CommonplaceError
from commonplace.text.foundation.languages import UNKNOWN, language_of

FOLDED_FROM = 400  # texts with more characters are collapsed
_ENTRIES = {
    "/ui": "Memories", "/ui/timeline": "Timeline", "/ui/runs": "Nights", "/ui/tags": "Tags", "/ui/network": "Network",
    "/ui/growth": "Growth", "/ui/import": "Import", "/ui/export": "Export",
}  # fmt: skip
"""The names of the views in the navigation, by path."""


@cache
def environment() -> Environment:
    """Return the template environment. Templates escape all values except markup, and a missing value raises an error."""
    made = Environment(
        loader=PackageLoader("commonplace", "interfaces/ui/templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    made.globals.update(entries=_ENTRIES, folded_from=FOLDED_FROM)
    made.filters.update(when=when, day=day, number=number, fault=fault, label=label, lang=lang)
    return made


def when(moment: datetime, now: datetime) -> Markup:
    """Format a datetime for people as HTML, in the time zone of `now`. For today and yesterday, include the time of day."""
    local = moment.astimezone(now.tzinfo)
    days = (now.date() - local.date()).days
    relative = {0: f"today, {local:%H:%M}", 1: f"yesterday, {local:%H:%M}"}.get(days, _format_date(local))
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        local.isoformat(timespec="seconds"), f"{_format_date(local)}, {local:%H:%M %Z}", relative
    )


def day(moment: datetime, now: datetime) -> Markup:
    """Format the date of a datetime as HTML, in the time zone of `now`."""
    local = moment.astimezone(now.tzinfo)
    return Markup('<time datetime="{}">{}</time>').format(local.date().isoformat(), _format_date(local))


def lang(text: str) -> Markup:
    """Return the `lang` attribute of a text, or "" if it is unknown. Browsers use it to choose fonts and break lines."""
    code = language_of(text[:FOLDED_FROM])
    return Markup("") if code == UNKNOWN else Markup(' lang="{}"').format(code)


def number(value: float) -> str:
    """Format a number with commas as thousands separators."""
    return f"{value:,}"


def label(name: str) -> str:
    """Return a name with spaces instead of underscores and a capital first letter."""
    return name.replace("_", " ").capitalize()


def fault(error: CommonplaceError | None, field: str) -> str | None:
    """Return the message to show next to a form field, or None if the error is not about this field."""
    if error is None or error.field is None or error.field.split(".")[-1] != field:
        return None
    return error.message.removeprefix(f"{error.field}: ")


def _format_date(moment: datetime) -> str:
    return f"{moment.day} {moment:%b} {moment.year}"
