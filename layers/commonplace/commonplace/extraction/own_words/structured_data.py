"""Find JSON, YAML, tables, CSV, SQL and other data outside of code fences."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from commonplace.extraction.own_words.masking import TextLine, TextSpan, lines_of

_JSON = re.compile(r"""\{\s{0,40}["'][^"'\n]{0,80}["']\s{0,4}:|\[\s{0,40}\{\s{0,40}["']""")
_BRACKET = re.compile(r"[{}\[\]]")
_KEY = re.compile(r"(\s*)(?:-\s+)?[A-Za-z_][\w.-]{0,60}:(?:\s+(.*))?$")
_ITEM = re.compile(r"\s*-\s+\S")
# YAML is recognized by keys or values that people don't use in lists of their own ("diet: vegan").
_NO_PROSE = re.compile(
    r"\s*(?:-\s+)?(?:[A-Za-z]+_\w+|[a-z]+[A-Z]\w*|[\w-]+\.[\w.-]+|apiVersion|kind):"
    r"|.*:\s+(?:true|false|null|~|\[.*\]|\{.*\}|[|>]-?|&\w+|\*\w+|['\"][^'\"]*['\"])\s*$|\s*-\s+\w+:\s|---\s*$"
)
_TABLE = re.compile(r"\s*\|.*\|\s*$|\s*\+[-=+]{3,}\s*$|\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)+$")
_SEPARATORS = (",", ";", "\t")
_SQL = re.compile(
    r"\s*(?:(?:SELECT\s.{0,400}\sFROM|INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|CREATE\s+(?:OR\s+REPLACE\s+)?"
    r"(?:TABLE|INDEX|VIEW|DATABASE|FUNCTION)|ALTER\s+TABLE|DROP\s+(?:TABLE|INDEX)|WITH\s+\w+\s+AS\s*\()\b|SELECT\s*$"
    r"|(?i:select\s.{1,200}\sfrom\s+\w+(?:\s+(?:where|join|group|order|limit)\b.*)?;\s*$|insert\s+into\s+\w+\s*\("
    r"|update\s+\w+\s+set\s+\w+\s*=|delete\s+from\s+\w+\s+where\b|create\s+table\s+\w+|select\s+\*\s+from\b))"
)


def find_data(view: str) -> Iterator[TextSpan]:
    """Yield JSON from bracket to bracket, and runs of lines that form a table, YAML, CSV or an SQL statement."""
    yield from _find_json(view)
    lines = lines_of(view)
    yield from _find_tables(lines)
    yield from _find_yaml(lines)
    yield from _find_csv(lines)
    yield from _find_sql(lines)


def _find_json(view: str) -> Iterator[TextSpan]:
    done = 0
    for opening in _JSON.finditer(view):
        if opening.start() < done:
            continue
        depth, done = 0, len(view)
        for bracket in _BRACKET.finditer(view, opening.start()):
            depth += 1 if bracket[0] in "{[" else -1
            if depth == 0:
                done = bracket.end()
                break
        yield TextSpan(opening.start(), done)


def _find_tables(lines: Sequence[TextLine]) -> Iterator[TextSpan]:
    for is_table, run in groupby(lines, lambda line: bool(_TABLE.match(line.text))):
        rows = list(run)
        if is_table and len(rows) > 1:
            yield TextSpan(rows[0].start, rows[-1].end)


def _find_yaml(lines: Sequence[TextLine]) -> Iterator[TextSpan]:
    run: list[TextLine] = []
    for line in [*lines, TextLine(0, 0, ".")]:
        if _KEY.match(line.text) or (run and _ITEM.match(line.text)) or line.text.strip() == "---":
            run.append(line)
            continue
        structured = sum(1 for line in run if _NO_PROSE.match(line.text))
        if len(run) > 1 and (structured > 1 or _is_nested(run)):
            yield TextSpan(run[0].start, run[-1].end)
        run = []


def _is_nested(run: Sequence[TextLine]) -> bool:
    """Return whether a key is nested below another key. Capitalized lists don't count, because people write those."""
    written = any(line.text.lstrip(" -")[:1].isupper() for line in run)
    if written and not any(_NO_PROSE.match(line.text) for line in run):
        return False
    keys = [(key[1], key[2]) for line in run if (key := _KEY.match(line.text))]
    return any(not value and len(below) > len(indent) for (indent, value), (below, _) in pairwise(keys))


def _find_csv(lines: Sequence[TextLine]) -> Iterator[TextSpan]:
    """Yield runs of at least three lines with the same number of separators. Separators before a blank don't count."""
    run: list[TextLine] = []
    shape: tuple[str, int] | None = None
    for line in [*lines, TextLine(0, 0, "")]:
        own = _count_columns(line.text)
        if own and own == shape:
            run.append(line)
            continue
        if len(run) > 2:
            yield TextSpan(run[0].start, run[-1].end)
        run, shape = [line], own


def _count_columns(text: str) -> tuple[str, int] | None:
    """Return the separator of a line of CSV and its number of separators, or None if the line doesn't look like CSV."""
    for separator in _SEPARATORS:
        count = text.count(separator)
        if count and separator + " " not in text and (count > 1 or separator == "\t" or " " not in text):
            return separator, count
    return None


def _find_sql(lines: Sequence[TextLine]) -> Iterator[TextSpan]:
    inside = False
    for line in lines:
        inside = bool(line.text.strip()) and (inside or bool(_SQL.match(line.text)))
        if inside:
            yield TextSpan(line.start, line.end)
            inside = not line.text.rstrip().endswith(";")
