"""Find code outside of fences, and the output of programs, such as logs, stack traces and shell sessions."""

import re
from collections.abc import Iterator

from commonplace.extraction.own_words.masking import TextLine, TextSpan, lines_of

# A single line that matches this pattern is code.
_SURE = re.compile(
    r"""\s*(?:
      (?:async\s+)?def\s+\w+\s*\( | if\s+__name__ | with\s+open\( | except(?:\s+[\w.]+(?:\s+as\s+\w+)?|\s*\(.*\))?:\s*$
    | class\s+\w+(?:\([\w.,\s=]*\))?\s*[:{]\s*$ | class\s+[A-Z]\w*\s*<\s*[A-Z]\w* | commit\s[0-9a-f]{7,40}\b
    | from\s+[\w.]+\s+import\s+[\w*(]
    | import\s+(?:[\w{}*,\s]+\sfrom\s+)?['"][^'"]+['"];?\s*$ | import\s+[\w.]+(?:\s+as\s+\w+|\.\w+|;)\s*$
    | (?:export\s+)?(?:default\s+)?(?:const|let|var)\s+[\w{\[][^=\n]{0,80}=[^=]
    | (?:export|public|private|protected|internal|static|abstract)\s.*[({;]\s*$
    | \#include\s*[<"] | \#!/ | \#define\s | /\*\*?(?:\s|$) | \*/ | <\?php | package\s+[\w.]+; | using\s+[\w.]+;$
    | (?:func|fn|fun|function|sub|proc)\s+\w+\( | function\s*\(
    | (?:\}?\s*else\s+)?(?:if|for|while|switch|catch|foreach)\s*\(.*\)\s*\{
    | (?:if|elif|while)\s.{0,120}(?:[=<>!]=|\s[<>]\s|\w\(.*\)|\bis\s(?:not\s)?None).{0,80}:\s*$
    | for\s+\w+(?:,\s*\w+)*\s+in\s+[\w.]+(?:\(.*\))?\s*:\s*$
    | (?:print|console\.\w+|printf|println!?|fmt\.\w+|System\.out\.\w+|assert|require)\(.*\)?;?\s*$
    | (?:await\s+)?\w+(?:\.\w+)+\(.*\)\s*;?\s*$
    | [\w.]+(?:\[[^\]]*\])?\s*(?:[+*/-]|:)?=\s*(?:await\s+|new\s+)?\w+(?:\.\w+)*\(.*\)\s*;?\s*$
    | [\w.]+\s*=\s*[\[{(].*[\]}),]\s*;?\s*$
    | (?=[^(=\[]*[(=\[]).*;\s*$
    | .*=>\s*[{(]\s*$ | .*\)\s*\{\s*$ | [.\#]?[\w-]+\s*\{\s*$
    | return\s+[\w.]+\(.*\);?\s*$ | return\b.*[\]};]\s*$ | (?:raise|throw)\s+(?:new\s+)?\w+\(
    | (?:sudo|git|docker|kubectl|npm|npx|pip3?|yarn|curl|wget|ssh|scp|ffmpeg|rsync|chmod|systemctl|terraform)
        \s\S.*?(?:\s--?[a-z]|\s\./|://)
    | [GM]\d{1,3}(?:\s+[XYZABCFIJKRSTE]-?\d[\d.]*)+
    | =\s?[A-ZÄÖÜ][A-ZÄÖÜ.]+\(.*
    | diff\ --git\s | @@\s-\d | index\s[0-9a-f]{7} | [+-]{3}\s[ab]/
    | (?:export\s+)?[A-Z][A-Z0-9_]{2,}=\S+\s*$
    )""",
    re.VERBOSE,
)
# Lines that match this pattern are code if a run contains two of them, or one and a line that is certainly code.
_LIKELY = re.compile(
    r"""\s*(?:
      import\s+[\w.]+ | @\w+(?:\.\w+)*(?:\(.*\))? | (?:try|else|finally)\s*:?\s*\{? | pass | break;? | continue;?
    | [\w.]+(?:\[[^\]]*\])?\s*(?:[+*/-]|:)?=\s*(?:['"\[{(].*|True|False|None|null|true|false|\w+\.\w.*|.*;) | [})\]]+[;,)]*
    | [\w-]+\s*:\s*[^;]+; | [+-](?:(?:\s{2,}|\t).*|\w.*[=;({].*)
    | \w+\s:\w+(?:,.*)? | Author:\s.* | (?:FROM|RUN|COPY|ENV|CMD|ENTRYPOINT|WORKDIR|EXPOSE)\s.* | \w+\(.*\)\s*:?
    )\s*$""",
    re.VERBOSE,
)
# A line that matches this pattern counts as code if its neighbours do.
_REMARK = re.compile(r"\s*(?://|#\s|--\s|\*\s|return\b|end\b|[\w.]+\s*[+*/-]?=\s)")
_INDENTED = re.compile(r"(?:\t| {2,})\S")
_INLINE = re.compile(
    r"(?<![\w=])=\s?[A-ZÄÖÜ.]{2,20}\([^\n]{1,400}\)"
    r"|\b(?:SELECT\s[\w*][^\n]{0,200}\sFROM|INSERT\sINTO|DELETE\sFROM)\s\w[^\n;]*;?"
    r"|\bselect\s(?:\*|[\w.(*),\s]{1,80}?)\sfrom\s\w[\w.\s]{0,40}?\s(?:where|join|order\sby|group\sby|limit)\s[^\n]{0,300}"
    r"|\b[A-Z]\w*(?:Error|Exception):\s[^\n]{1,300}|\b(?:ERROR|FATAL|Error|error)\s[\d(\[]\S{2,}[^\n]{0,300}"
    r"|\\begin\{(\w{1,20})\}(?s:.{0,4000}?)\\end\{\1\}"
)
_LONGEST = 400
# Tokens that occur in programs but not in sentences, such as names_like_this, a.b.c, calls, paths and operators.
_TOKEN = re.compile(
    r"\b[^\W\d_]+(?:_\w+)+|\b[a-z]+[A-Z]\w*|\b\w+(?:\.\w+){2,}|\w\(\S*\)|(?:[A-Za-z]:)?(?:[/\\][\w.-]+){2,}|\\[a-z]+\{"
    r"|[=!<>+*-]=|=>|->|::|&&|\|\||\$\{?\w|\{\{|</|/>|(?<=\w)\s?=\s?(?=[\w'\"$/-])|[;{]\s*$|^\s*\[\w+\]\s*$|(?<=\s)--?[a-z][\w-]*"
)
_PLAIN_WORD = re.compile(r"(?<![\w./\\$'\"=<{-])[^\W\d_]{2,}(?![\w./\\(=>}_-])")
_SURELY = 2

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
# A program's output follows a line with a prompt and ends at a blank line.
_PROMPT = re.compile(
    r"\s*(?:[$❯➜]\s?[a-z./~]\S*(?:\s|$)|>>>\s|\.\.\.\s{1,4}\w|In\s\[\d+\]:|Out\s?\[\d+\]:|(?:PS\s)?[A-Z]:\\[^>\n]{0,80}>"
    r"|\(?[\w.-]+\)?\s?[\w.-]+@[\w.-]+[:\s][^$#\n]{0,80}[$#]\s|[\w.-]+@[\w.-]+:[^$#\n]{0,80}[$#]\s|mysql>|psql>|sqlite>)"
)
# An error that the user quotes within a sentence extends from the error's name to the end of the line.
_INLINE_LOG = re.compile(
    r"(?:(?<=[\s:(])(?:[A-Za-z_]\w*\.)*\w*(?:[Ee]rror|Exception)|(?<=[\s:(])fatal): (?=['\"`/<\[(]|\w+\.\w|\S*/|\S*::).*"
)
# Only the start of a line is examined, because that is enough to recognize a printed line.
_HEAD = 400
_CONTINUED = re.compile(r"\s{2,}\S|\t\S|\s*[\^~|]+\s*$|\s*\d+\s\|")


def find_code(view: str) -> Iterator[TextSpan]:
    """Yield runs of code lines, with their blank and indented lines. Also yield formulas and statements within a line."""
    yield from (TextSpan(*inline.span()) for inline in _INLINE.finditer(view))
    block: list[tuple[TextLine, int]] = []
    for line in lines_of(view):
        weight = _weigh_code(line.text)
        if weight is not None:
            block.append((line, weight))
        else:
            yield from _find_code_block(block)
            block = []
    yield from _find_code_block(block)


def _weigh_code(text: str) -> int | None:
    """Return 2 for certain code, 1 for likely code, 0 for a line judged by its neighbours, and None for a sentence."""
    if len(text) > _LONGEST:
        return None
    tokens = len(_TOKEN.findall(text))
    is_mostly_code = 0 < tokens >= len(_PLAIN_WORD.findall(text))
    if _SURE.match(text) or (tokens >= _SURELY and is_mostly_code):
        return 2
    if _LIKELY.match(text) or is_mostly_code:
        return 1
    return 0 if not text.strip() or _REMARK.match(text) or _INDENTED.match(text) else None


def _find_code_block(block: list[tuple[TextLine, int]]) -> Iterator[TextSpan]:
    """Yield the span of a block of weighed lines without the blank lines around it, if the weights add up to at least 2."""
    if sum(weight for _, weight in block) < 2:
        return
    # Skip indented lines before the first distinctive line of code, because they may be the end of a list.
    first = next(line for line, weight in block if weight or _REMARK.match(line.text))
    yield TextSpan(first.start, [line for line, _ in block if line.text.strip()][-1].end)


def find_logs(view: str) -> Iterator[TextSpan]:
    """Yield log lines with their continuations, prompts with the lines that follow, and errors quoted in a sentence."""
    printing = answering = False
    for line in lines_of(view):
        head = line.text[:_HEAD]
        answering = bool(head.strip()) and (answering or bool(_PROMPT.match(head)))
        if head.strip():
            printing = answering or bool(_PRINTED.match(head)) or (printing and bool(_CONTINUED.match(head)))
            if printing:
                yield TextSpan(line.start, line.end)
            elif inline := _INLINE_LOG.search(head):
                yield TextSpan(line.start + inline.start(), line.end)
