"""Choose the categories of imported memories, based on the old category, the content, or a person's decision."""

import csv
import functools
import io
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from pydantic import JsonValue

from commonplace.domain.errors import CommonplaceError, invalid
from commonplace.domain.taxonomy import Category
from commonplace.text.classifier.classification import Classification
from commonplace.text.foundation.expressions import read_table
from commonplace.text.tagging.names import singular
from commonplace.use_cases.record_files import quoted, unquoted

COLUMNS = ("legacy_id", "content", "from", "to", "confidence", "why")
"""The columns of a review table. A person fills in `to`."""
SURE_FROM = 0.7
"""The minimum confidence at which no person has to confirm a category."""
_CATEGORIES: tuple[Category, ...] = get_args(Category)


@dataclass(frozen=True)
class Filed:
    """A category, with confidence and reason. `asks` means that a person must confirm the category."""

    category: Category
    confidence: float
    why: str
    asks: bool = False


@dataclass(frozen=True)
class Filing:
    """Rules for categories. `named` maps old categories to new ones. `decided` maps old ids to a person's choice, if any."""

    named: Mapping[str, Category]
    decided: Mapping[str, Category | None]

    def file(self, legacy_id: str, old: str | None, classification: Classification) -> Filed:
        """Choose the category for an old memory. `classification` contains the labels of its text."""
        decided = self.decided.get(legacy_id)
        if decided is not None:
            return Filed(decided, 1.0, "a person's word")
        known = {**_load_category_names(), **self.named}.get(_fold_category_name(old)) if old else None
        if known is not None:
            return Filed(known, 1.0, "by the name of its old category")
        why = f"no table knows {old}" if old else "it had no category"
        sure = round(classification.confidence, 2)
        unsure = f"; its words speak for {' or '.join(classification.likely)}"
        return Filed(classification.category, sure, why + ("" if sure >= SURE_FROM else unsure), sure < SURE_FROM)


def read_categories(text: str) -> dict[str, Category]:
    """Read a table that maps old names to categories. A header is optional. `INVALID_ARGUMENT` gives the line number."""
    categories: dict[str, Category] = {}
    for number, row in _parse_csv_rows(text, "categories"):
        if number == 1 and [cell.strip().casefold() for cell in row[:2]] == ["from", "to"]:
            continue
        if len(row) < 2:
            raise _build_line_error("categories", number, "needs two columns, the old name and the category")
        categories[_fold_category_name(row[0])] = _parse_category(row[1], "categories", number)
    return categories


def read_review(text: str) -> dict[str, Category | None]:
    """Return the category chosen for each old id, or None if `to` is empty. `INVALID_ARGUMENT` gives the line number."""
    rows = _parse_csv_rows(text, "review")
    heading = [cell.strip().casefold() for cell in rows[0][1]] if rows else []
    if (heading.count("legacy_id"), heading.count("to")) != (1, 1):
        raise _build_line_error("review", 1, f"must be a heading with the columns {', '.join(COLUMNS)}")
    categories: dict[str, Category | None] = {}
    for number, row in rows[1:]:
        cells = dict(zip(heading, row, strict=False))
        if "legacy_id" not in cells:
            raise _build_line_error("review", number, "has no legacy_id")
        to = cells.get("to", "").strip()
        categories[unquoted(cells["legacy_id"])] = _parse_category(to, "review", number) if to else None
    return categories


def write_review(rows: Iterable[Mapping[str, JsonValue]]) -> str:
    """Return the rows as a table for spreadsheets, which won't evaluate any cell as a formula."""
    whole = io.StringIO()
    writer = csv.writer(whole)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([quoted(str(row[name])) for name in COLUMNS])
    return whole.getvalue()


def _parse_csv_rows(text: str, field: str) -> list[tuple[int, list[str]]]:
    """Return the non-blank rows, each with the number of its last line. The first line determines the separator."""
    first = text.partition("\n")[0]
    mark = next((separator for separator in (",", ";", "\t") if separator in first), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    rows: list[tuple[int, list[str]]] = []
    begins = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((reader.line_num, row))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise _build_line_error(field, begins, f"is no CSV: {error}") from None
    return rows


def _parse_category(name: str, field: str, number: int) -> Category:
    category = name.strip().casefold()
    if category not in _CATEGORIES:
        raise _build_line_error(field, number, f"the category must be one of {', '.join(_CATEGORIES)}")
    return category


def _build_line_error(field: str, number: int, why: str) -> CommonplaceError:
    return invalid(field, f"line {number}: {why}")


def _fold_category_name(name: str) -> str:
    """Return a name in lower case, with hyphens between the words and the last word in the singular."""
    plain = unicodedata.normalize("NFKC", name).casefold().replace("_", " ").replace("-", " ").replace("/", " ")
    *first, last = plain.split() or [""]
    return "-".join([*first, singular(last)])


@functools.cache
def _load_category_names() -> Mapping[str, Category]:
    table = read_table(__package__, "legacy_categories.toml")
    named = {name: category for category in _CATEGORIES for name in (*table[category].split(), category)}
    return {_fold_category_name(name): category for name, category in named.items()}
