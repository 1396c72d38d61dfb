"""What programs print: logs, stack traces, and a shell with what it answered."""

import re
from collections.abc import Iterator

from commonplace.extraction.own_words.view import Span, lines_of

_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|CRITICAL|FATAL|SEVERE)"
_PRINTED = re.compile(
    rf"""\s*(?:
      \[?\d{{4}}[-/]\d\d[-/]\d\d[T\ _]\d\d:\d\d:\d\d
    | \[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s+\S
    | [A-Z][a-z]{{2}}\s+\d{{1,2}}\s\d\d:\d\d:\d\d\s\S+
    | \[?{_LEVEL}\]?(?::[\w.]*:|\s*[|:\]]|\s-\s|\s\[|\s\w+\.\w+|\s{{2,}})
    | (?:[A-Z]+\ ){{0,3}}(?:ERROR|WARNING):\s
    | \[{_LEVEL}\] | {_LEVEL}\s+\d{{4}}-\d\d | Error\ in\ \S.*:\s? | {_LEVEL.lower()}:\s\S
    | Traceback\ \(most\ recent | File\ "[^"]+",\ line\ \d | at\ [\w.$<>/]+\s?\(.*\)\s*$ | at\ \S+:\d+(?::\d+)?\s*$
    | Caused\ by:\ | Exception\ in\ thread | \.\.\.\ \d+\ more | goroutine\ \d+ | panic:\ | thread\ '.*'\ panicked
    | (?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Interrupt):\s
    | Uncaught\ | npm\ (?:ERR!|WARN|error) | error(?:\[E\d+\]|\ TS\d+)?:\s | fatal:\ | \S+:\d+:\d+:\s | \S+\.\w{{1,4}}:\d+:\s
    | (?:GET|POST|PUT|PATCH|DELETE|HEAD)\ /\S*\ HTTP | HTTP/\d(?:\.\d)?\ \d{{3}} | \d+\.\d+\.\d+\.\d+\ -\ -
    | (?:ERROR|FATAL|WARN|WARNING|DEBUG)[\s:]\s?\S | (?:Error|Warning|Exception):\s\S | (?:\w+=\S+\s+){{2}}\w+=\S
    | \d\d:\d\d:\d\d[.,]\d{{3}}\s-->\s | Dialogue:\s\d | [A-Z]{{2,5}}-\d{{4,}}:\s
    | E\s{{3,}}\S | ={{5,}}\ .*\ ={{5,}}$ | (?:PASSED|FAILED)\ \S+::\S+ | [d-][rwx-]{{9}}
    )""",
    re.VERBOSE,
)
# After a prompt comes what it answered, up to a blank line.
_PROMPT = re.compile(
    r"\s*(?:[$❯➜]\s?[a-z./~]\S*(?:\s|$)|>>>\s|\.\.\.\s{1,4}\w|In\s\[\d+\]:|Out\s?\[\d+\]:|(?:PS\s)?[A-Z]:\\[^>\n]{0,80}>"
    r"|\(?[\w.-]+\)?\s?[\w.-]+@[\w.-]+[:\s][^$#\n]{0,80}[$#]\s|[\w.-]+@[\w.-]+:[^$#\n]{0,80}[$#]\s|mysql>|psql>|sqlite>)"
)
# An error in the middle of what the user says: from its name to the end of the line.
_INLINE = re.compile(
    r"(?:(?<=[\s:(])(?:[A-Za-z_]\w*\.)*\w*(?:[Ee]rror|Exception)|(?<=[\s:(])fatal): (?=['\"`/<\[(]|\w+\.\w|\S*/|\S*::).*"
)
# Of a line no more is looked at: what it is shows at its start.
_HEAD = 400
_CONTINUED = re.compile(r"\s{2,}\S|\t\S|\s*[\^~|]+\s*$|\s*\d+\s\|")


def find_logs(view: str) -> Iterator[Span]:
    """Lines that a program printed, with the indented ones behind them."""
    printing = answering = False
    for line in lines_of(view):
        head = line.text[:_HEAD]
        answering = bool(head.strip()) and (answering or bool(_PROMPT.match(head)))
        if head.strip():
            printing = answering or bool(_PRINTED.match(head)) or (printing and bool(_CONTINUED.match(head)))
            if printing:
                yield Span(line.start, line.end)
            elif inline := _INLINE.search(head):
                yield Span(line.start + inline.start(), line.end)
