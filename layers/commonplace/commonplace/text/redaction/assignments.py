"""Find secrets by the names of their variables, options, columns or headers.

A value is a secret because of its own name (`KEY=value`, `--password x`) or the names above it. A made-up word below
`credentials` is a secret, but 4096 below `max_tokens` is not. Other secrets are inside addresses
(`postgres://user:password@host`), next to a login ("login: ana / Tr0ub4dor&3"), or below a header like "recovery codes:".

A name is a sequence of words (see `parts_of_name`). In nested data, the outer names come first."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from commonplace.text.foundation.characters import LETTERS
from commonplace.text.foundation.expressions import read_table
from commonplace.text.redaction.values import is_blank, is_branded, is_mixed, is_passphrase, is_remark, tokens
from commonplace.text.redaction.view import HIDDEN, Span, View
from commonplace.text.redaction.vocabulary import Noun, compiled, words

_NAME = re.compile(
    r"(?<![\w.\-@])(?P<name>(?:--?)?_{0,2}[A-Za-z][\w.\-]{0,60}+)(?P<close>[\"'\\`*\])]{0,4})"
    r"(?:[ \t]{0,3}(?P<sign>:=|=>|===?|!==?|=|:|>)(?:[ \t]{0,3}|:?[\w\[\]|., ]{1,30} = (?=[\"']))"
    r"|(?P<gap>[ \t](?=\S)))",
    re.ASCII,
)
_QUOTED = re.compile(
    r"\\([\"'])(?P<escaped>(?:(?!\\\1)[^\n]){1,2000}+)"
    r"|([\"'`])(?P<plain>(?:\\.|(?!\3)[^\n\\]){1,2000}+)(?=\3|$)"
)
_BARE = re.compile(r"(?:(?!;[\w ]{1,40}=|;$|;\s|&[\w.\-]{1,40}=|</)\S){1,2000}")
_BEHIND_QUOTE, _LONGEST_PROMPT = (")", "]", "}", ",", ";", " ", ""), 200
_TRAILING = "\"'`,;:)]}>.*\\"
_SCHEME = re.compile(
    r"(?i)(?:[frbu]{1,2}(?=[\"']))?\\?[\"'`]?(?:bearer|basic|token|digest|apikey|negotiate|bot|key)[ \t]+(?=[^\s\"']{6})"
)
_BEARER = re.compile(r"(?i)(?<![\w-])(?:bearer|basic)[ \t]+(?=[^\s]{0,60}[\d+/=])([\w\-+/=.~]{16,2000})")
_USER_OPTION = re.compile(r"(?<![\w-])(?:-u|--user|--proxy-user)[ =]{1,3}[\"']?[^\s:\"']{1,80}:([^\s\"']{1,200})")
_SHORT_OPTION = re.compile(
    r"\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass|mongo|mongosh|redis-cli|docker login|htpasswd|sqlcmd|ldapsearch|unzip|zip|7z[az]?|unrar|rar)"
    r"\b[^\n|;]{0,80}? -(?:[paPw]|-pass) ?[\"']?([^\s\-\"'][^\s\"']{2,100})"
)
_PASS_OPTION = re.compile(r"(?<![\w-])-(?:passin|passout|pass|k) pass:([^\s\"']{3,200})")
_COMMAND = re.compile(
    r"\bnet use\b[^\n|;]{0,80}?/u(?:ser)?:\S{1,60} ([^\s/]\S{2,100})|\bhtpasswd -\w{1,4} \S{1,80} \S{1,60} (\S{3,100})"
    r"|\bnet use \S{1,4} \\\\\S{1,80} ([^\s/]\S{2,100})|\bsnmp\w{2,12} (?:-\w+ (?:\d\w? )?){0,4}-c ?[\"']?([^\s\"']{3,100})"
    r"|\bsmbclient\b[^\n|;]{0,80}? -U ?[\"']?[^\s%]{1,60}%([^\s\"']{3,100})"
    r"|\becho (?:-n )?[\"']?([^\s\"'$][^\s\"']{2,100})[\"']? ?\| ?[^\n|]{0,100}?(?:--password-stdin|sudo -S)(?![\w-])"
)
_TECHNICAL = re.compile(r"[a-z0-9][A-Z]|[_.\-]")
_MORE_WORDS = re.compile(r"[ \t]+[A-Za-z]")
_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_.\-]+")
_STEMS = ("pass", "pwd", "pw", "pin", "otp", "cv", "key", "secret", "token", "cred", "auth", "bearer", "sess", "sig",
          "mnemonic", "seed", "psk", "jwt", "mdp", "kennwort", "contrasena", "amz", "goog", "sql", "-u",
          "net use", "zip", "7z", "rar ", "snmp", "sudo -s")  # fmt: skip

# A password ends at the last "@" of the authority, because people don't encode "@", ":" and "/" in passwords.
_HOST = r"(?=([\w\[][^\s\"'<>()?#;]{0,400}))"
_WEB = re.compile(rf"(?i)(?<=://)[^\s/:\"'<>]{{0,200}}:([^\s/\"'<>]{{1,300}})@{_HOST}")
_SERVER = re.compile(rf"(?i)(?<=://)(?<!http://)(?<!https://)[^\s/:\"'<>]{{0,200}}:([^\s\"'<>]{{1,300}})@{_HOST}")
# A password may have several words. But a name with a dot is a host, not a user, and a number after it is a port.
_SPACED = re.compile(
    rf"(?i)(?<=://)[^\s/:.\"'<>]{{1,200}}:(?!\d{{1,5}}[\s,;])([^\s/:\"'<>@]{{1,100}}(?: [^\s/:\"'<>@]{{1,100}}){{1,3}})@{_HOST}"
)
_DRIVER = re.compile(r"(?<![\w/:])[\w.\-]{1,60}:([^\s:@/\"']{1,100})@(?:tcp|unix)\(")
# In Oracle addresses, a slash separates user and password.
_ORACLE = re.compile(r"(?i)(?:thin:|sqlplus )[\w.$#-]{1,60}/([^\s@/\"']{2,100})@")
# QR codes on routers contain a text like "WIFI:S:Home;T:WPA;P:hunter2;;".
_NETWORK = re.compile(r"(?i)(?<![a-z])wifi:(?:(?!p:)(?:\\.|[^;\n\\]){0,80};){0,5}p:((?:\\.|[^;\n\\]){1,100})")
# A line of .pgpass consists of host, port, database, user and password.
_COLUMNS = re.compile(r"(?<![\w/:.-])[\w.*\-]{1,80}:(?:\d{2,5}|\*):[\w*\-]{1,60}:[\w.\-@]{1,60}:([^\s:]{3,100})")
_REFERENCE = re.compile(r"[$%{<\[][^\s]*[}>\]%]|\$\w+|\*{3,}|[xX]{3,}|\.{3,}|" + HIDDEN)


@cache
def _load_kinds_by_name() -> dict[str, str]:
    return {name: kind for kind, names in read_table(__package__, "assignments.toml").items() for name in names}


def parts_of_name(name: str) -> list[str]:
    """Return the words of a name in lower case. "clientSecret" and "client_secret" have the same words."""
    return [word.lower() for word in _PARTS.split("_".join(name.split())) if word]


def kind_of(name: Sequence[str]) -> str | None:
    """Return the kind of secret that the last words of a name mean ("db", "password"), or None. Public keys give None."""
    parts = [word.rstrip("0123456789") for word in name]
    if "public" in parts and "private" not in parts:
        return None
    return next((kind for n in (4, 3, 2, 1) if (kind := _load_kinds_by_name().get(" ".join(parts[-n:])))), None)


def find_assignments(view: View) -> Iterator[Span]:
    """Find values that are assigned to the name of a secret in code, configuration, commands, headers and links."""
    if not any(stem in view.folded for stem in _STEMS):
        return
    text, done = view.text, 0
    for match in _NAME.finditer(text):
        if match.start() < done or (match["gap"] and not match["name"].startswith("-")):
            continue
        # "${SECRET_KEY:?missing}"
        kind = None if text.endswith("${", 0, match.start()) else kind_of(parts_of_name(match["name"]))
        if kind and (secret := _find_assigned_value(text, match)):
            done = secret[1]
            yield Span(*secret, kind)
    for pattern in (_BEARER, _USER_OPTION, _SHORT_OPTION, _PASS_OPTION, _COMMAND):
        for match in pattern.finditer(text):
            value = match[match.lastindex or 0]
            if not is_blank(value) and value not in words("function"):
                yield Span(*match.span(match.lastindex or 0), "token" if pattern is _BEARER else "password")


def _find_assigned_value(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """Return the span of the value after a matched name and sign. Returns None for a placeholder, prose or code."""
    scheme = _SCHEME.match(text, match.end())
    start = scheme.end() if scheme else match.end()
    quoted = None if scheme else _QUOTED.match(text, start)
    if quoted and quoted.lastgroup and _is_closing_quote(text, start):
        return None
    if quoted and quoted.lastgroup:
        return None if is_blank(quoted[quoted.lastgroup]) else quoted.span(quoted.lastgroup)
    bare = _BARE.match(text, start)
    if not bare:
        return None
    value = bare[0].rstrip(_TRAILING)
    end = start + len(value)
    # "<password>" is a placeholder, unless the element has an end tag.
    separate = match[0].endswith(" ") or (end < len(text) and not text.startswith("</", end))
    unclosed = match["sign"] == ">" and separate
    # f"Bearer {os.environ['API_TOKEN']}"
    if scheme and value.startswith("{") and is_blank(bare[0]):
        return None
    if unclosed or is_blank(value) or _is_loosely_written(text, match, value) or _is_variable(text, match, value, end):
        return None
    return start, end


def _is_closing_quote(text: str, at: int) -> bool:
    """Return whether the quote at `at` ends a quotation, as in `getpass("Password: ") or exit()`."""
    begin = max(text.rfind("\n", 0, at) + 1, at - _LONGEST_PROMPT)
    return text[at + 1 : at + 2] in _BEHIND_QUOTE and text.count(text[at], begin, at) % 2 == 1


def _is_loosely_written(text: str, match: re.Match[str], value: str) -> bool:
    """Return whether an assignment is prose ("Token: a unit of text", "Password: Tr0ub4dor&3x") rather than "TOKEN=abc"."""
    # Assignments in prose are left to the finders of spoken secrets.
    tight = match["sign"] and match[0].endswith("=") and not match[0].endswith(" =")
    technical = _TECHNICAL.search(match["name"]) or match["close"].strip("*)") or match["sign"] == ">"
    sentence = match["sign"] == ":" and value.isalpha() and _MORE_WORDS.match(text, match.end() + len(value))
    return bool(sentence) or not (tight or technical or match["gap"])


def _is_variable(text: str, match: re.Match[str], value: str, end: int) -> bool:
    """Return whether the value is a variable, as in `login(user=user, password=word)` and `password = word`."""
    name_is_shouted = match["name"].isupper()
    variable = re.fullmatch(r"[a-z_]+|[a-z]+[A-Z][A-Za-z]+", value) is not None
    spaced = match[0].endswith(" ") and match["sign"] != ":"
    return variable and not name_is_shouted and (spaced or text[end : end + 1] in (")", ",")) and not match["gap"]


def hosts(view: View) -> list[tuple[int, int]]:
    """Return the ranges of hosts, ports and paths in addresses that contain a password. These parts are never secrets."""
    if "@" not in view.text:
        return []
    return sorted(match.span(2) for pattern in (_WEB, _SERVER, _SPACED) for match in pattern.finditer(view.text))


def find_addresses(view: View) -> Iterator[Span]:
    """Find the passwords in addresses, Wi-Fi QR codes and lines of `.pgpass`. User and host aren't included."""
    if "wifi:" in view.folded:
        yield from (Span(*match.span(1), "password") for match in _NETWORK.finditer(view.text))
    if view.text.count(":") > 3:
        yield from (Span(*match.span(1), "password") for match in _COLUMNS.finditer(view.text))
    if "@" not in view.text:
        return
    for pattern in (_WEB, _SERVER, _SPACED, _DRIVER, _ORACLE):
        for match in pattern.finditer(view.text):
            password = match[1]
            port_and_path = re.match(r"\d{1,5}/", password)
            if not port_and_path and not _REFERENCE.fullmatch(password) and password.lower() not in words("blank"):
                yield Span(*match.span(1), "password")


_HOLDING = ("password", "api_key", "token", "private_key", "one_time_code")
"""The kinds of secrets that can be any made-up word. A PIN must be a number, and the word "seed" may mean a plant."""
_SEVERAL = ("password", "api_key", "token", "private_key")
_DATE = re.compile(r"\d{4}-\d\d?(?:-\d\d?)?(?:[T ][\d:.,+Z-]{0,20})?")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")


def measures(names: Sequence[str], value: str) -> bool:
    """Return whether a value only measures or dates a secret, like 3600 under `token_expires_in`."""
    if _DATE.fullmatch(value):
        return len(names) > 1 and names[-1] in words("dating")
    if not names or not _NUMBER.fullmatch(value):
        return False
    return (len(names) > 1 and names[-1] in words("measuring")) or names[-2:] == ["expires", "in"] or _is_token_count(names)


def _is_token_count(names: Sequence[str]) -> bool:
    """Return whether the names refer to a number of language model tokens, like `max_tokens`."""
    if "tokens" not in names:
        return False
    at = len(names) - 1 - names[::-1].index("tokens")
    behind = names[at + 1 :]
    return words("behind_tokens").issuperset(behind) if behind else at == 0 or names[at - 1] in words("before_tokens")


def describes(names: Sequence[str]) -> bool:
    """Return whether the innermost name only describes a secret, like `name` under `apiKeys`."""
    return not words("describing").isdisjoint(names[-1:])


def kind_under(names: Sequence[str], value: str) -> str | None:
    """Return the kind of secret that the names above `value` suggest, or None. A value that isn't made up gives None.

    Outer names count only if they stand for several secrets, like `credentials` or `apiKeys`.
    """
    bare = [plain for name in names if (plain := name.rstrip("0123456789"))]
    if any(map(str.isspace, value)) or not is_mixed(value) or is_blank(value) or _DATE.fullmatch(value) or "public" in bare:
        return None
    own = kind_of(bare)
    if own in _HOLDING:
        return own
    if describes(names):
        return None
    for end in range(len(bare), 0, -1):
        several = " ".join(bare[:end])
        kind = kind_of(several.removesuffix("s").split()) if several.endswith("s") else None
        if kind in _SEVERAL:
            return kind
    return None


_DEGREE = re.compile(r"(?:[bm](?:s?c|a|e|ed|tech|com|eng|sci|phil|ba)|ph\.?d|ll[bm])\d{0,4}")
_HASHES = re.compile(r"sha-?\d+|md5|rsa|ed25519|ecdsa")
# Names of patterns in `expressions.toml`, with and without a word for the password.
_NAMED, _UNNAMED = ("named", "network", "with", "entered"), ("login", "email", "usual", "japanese")
_LEAST_THEN = 7
_WORDY = re.compile(r"[a-z][a-z._-]{5,}")


def find_pairs(view: View) -> Iterator[Span]:
    """Find passwords after a user name or an e-mail address. The user name isn't included."""
    if not any(cue in view.folded for cue in words("login_cues")):
        return
    named = _NAMED if any(secret in view.folded for secret in words("login_secrets")) else ()
    for pattern in (*named, *_UNNAMED):
        for match in compiled(f"pairs.{pattern}").finditer(view.folded):
            part = tokens(view, match.start("value"), 1)[0]
            mixed = is_mixed(part.text) or is_passphrase(part.text)
            fits = mixed or (pattern in named and not _is_unlike_password(part.word, part.text))
            if pattern == "named" and match["net"]:
                fits = fits and _is_network_name(view, match)
            if pattern == "email" and (is_branded(part.text) or len(part.text) < _LEAST_THEN or _is_in_address(view, match)):
                fits = False
            if match.groupdict().get("bare"):
                fits = mixed and compiled("pairs.credentials").search(view.folded) is not None
            if pattern == "login":
                fits = _is_login(view, match, mixed, _is_unlike_password(part.word, part.text))
            if fits and match.groupdict().get("user") not in words("function", "link"):
                yield Span(part.start, part.end, "password")


def _is_in_address(view: View, match: re.Match[str]) -> bool:
    """Return whether the value is part of an address: "://" precedes it in the same word, or it begins like "5432/shop"."""
    begin = max(view.text.rfind(space, 0, match.start("value")) for space in " \t\n") + 1
    return "://" in view.text[begin : match.start("value")] or re.match(r"\d{1,5}[/,]", match["value"]) is not None


def _is_login(view: View, match: re.Match[str], mixed: bool, is_unlike_password: bool) -> bool:
    """Return whether a match is a login. `mixed` and `is_unlike_password` describe the look of its password."""
    user = view.text[slice(*match.span("user"))]
    in_address = view.text[max(0, match.start() - 3) : match.start()] == "://"
    if in_address or _HASHES.fullmatch(user.lower()) or is_remark(user.lower()):
        return False
    # "wifi: TheBurrow / mischief-managed", not "wifi: free / fast" or "wifi: 5GHz / 2.4GHz".
    if match["net"] and not (_is_network_name(view, match) and (mixed or _WORDY.fullmatch(match["value"]))):
        return False
    # "login to see BSc/MSc2019 results"
    degrees = match["sign"] == " " and _DEGREE.fullmatch(user.lower()) and _DEGREE.fullmatch(match["value"])
    if degrees or is_branded(match["value"]):
        return False
    announced, joined = match["sign"].strip() in (":", "=", "->"), match["between"].strip() in ("/", ":", "|")
    # "user web77, n3pTune$22"
    if mixed and match["sign"] == " " and match["between"].startswith(","):
        return match[0].startswith(("user", "login")) and re.search(r"[!@#$%^&*]", match["value"][1:]) is not None
    if mixed:
        return joined or match["sign"] != " "
    return announced and joined and not is_unlike_password


def _is_network_name(view: View, match: re.Match[str]) -> bool:
    """Return whether the user name has a capital, digit, "_" or "-" after its first character, like "TheBurrow"."""
    return re.search(r"[A-Z\d_-]", view.text[match.start("user") + 1 : match.end("user")]) is not None


def _is_unlike_password(word: str, text: str) -> bool:
    return is_remark(word) or is_blank(text) or word in words("compound", "link", "evasive")


_LINE = re.compile(r"[^\n]+")
_SEPARATORS = ("|", "\t", ";", ",")
_RULE = re.compile(r"[\s|:+=-]+")
_BULLET = re.compile(r"\s{0,9}(?:[-*•+]|\d{1,2}[.)])?\s{0,9}")
_HEAD_END = re.compile(r"[:：]\s*$")
_FIGURES = re.compile(r"[#*]?\d(?:[ -]?\d){3,11}[#*]?")
_LONGEST_HEADER, _MOST_REST, _LONGEST_LABEL, _LEAST = 80, 2, 5, 4


class _Line(NamedTuple):
    start: int
    end: int
    text: str


def find_tables(view: View, named: Sequence[Noun]) -> Iterator[Span]:
    """Find the values below column names and headings that refer to a secret."""
    if not named or "\n" not in view.text:
        return
    lines = [_Line(*match.span(), match[0]) for match in _LINE.finditer(view.text)]
    at = 0
    for place, line in enumerate(lines[:-1]):
        inside: list[Noun] = []
        while at < len(named) and named[at].start < line.end:
            inside += [named[at]] if named[at].start >= line.start else []
            at += 1
        if not inside or HIDDEN in line.text:
            continue
        below = lines[place + 1 :]
        yield from _find_cells(view, line, inside, below)
        if _HEAD_END.search(line.text) and len(line.text) <= _LONGEST_HEADER:
            yield from _find_listed_values(view, line, inside[-1], below)


def _find_cells(view: View, header: _Line, named: Sequence[Noun], below: Sequence[_Line]) -> Iterator[Span]:
    """Yield the values below header cells that refer to a secret, up to the first row with a different number of cells."""
    separator = next((sign for sign in _SEPARATORS if sign in header.text), None)
    if separator is None:
        return
    columns = dict(_find_secret_columns(view, header, named, separator))
    many = header.text.count(separator)
    for row in below if columns else ():
        if row.text.count(separator) != many:
            return
        if _RULE.fullmatch(row.text):
            continue
        places = _split_cells(row, separator)
        for column, noun in columns.items():
            start, end = places[column]
            if _can_cell_be_value(view.text[start:end]):
                yield Span(start, end, noun.kind)


def _split_cells(row: _Line, separator: str) -> list[tuple[int, int]]:
    """Return the spans of the cells in a row, without surrounding spaces and quotation marks."""
    spans, at = [], row.start
    for cell in row.text.split(separator):
        bare = cell.strip(" \t\"'`")
        start = at + (cell.index(bare) if bare else 0)
        spans.append((start, start + len(bare)))
        at += len(cell) + 1
    return spans


def _find_secret_columns(view: View, header: _Line, named: Sequence[Noun], separator: str) -> Iterator[tuple[int, Noun]]:
    """Yield the index and the noun of each column whose name contains a noun and at most two words that belong to it."""
    for column, (start, end) in enumerate(_split_cells(header, separator)):
        noun = next((noun_named for noun_named in named if start <= noun_named.start and noun_named.end <= end), None)
        if noun is None:
            continue
        remainder = LETTERS.findall(view.folded[start : noun.start]) + LETTERS.findall(view.folded[noun.end : end])
        own = words("own", "of", "services", "accounts", "places", "new", "dull")
        if len(remainder) <= _MOST_REST and all(word in own for word in remainder) and noun.name != "bare_key":
            yield column, noun


def _can_cell_be_value(text: str) -> bool:
    if len(text) < _LEAST or " " in text or HIDDEN in text or is_blank(text):
        return False
    return not (is_remark(text.lower()) or text.lower() in words("evasive", "function", "unit"))


def _find_listed_values(view: View, header: _Line, noun: Noun, below: Sequence[_Line]) -> Iterator[Span]:
    """Yield the values in the lines below a header, up to a line without a value or a blank line between values."""
    following = tokens(view, noun.end, 1, header.end)
    if (following and following[0].word in words("compound")) or noun.name == "bare_key":
        return
    before = header
    for line in below:
        blank = view.text[before.end : line.start].count("\n") > 1
        value = None if blank and before is not header else _find_line_value(view, line, noun)
        if value is None:
            return
        yield Span(*value, noun.kind)
        before = line


def _find_line_value(view: View, line: _Line, noun: Noun) -> tuple[int, int] | None:
    """Return the span of the value in a line below a header. The value is the whole line or the part after a label."""
    bullet = _BULLET.match(view.text, line.start, line.end)
    start = bullet.end() if bullet else line.start
    parts = tokens(view, start, _LONGEST_LABEL + 2, line.end)
    if not parts or len(parts) > _LONGEST_LABEL:
        return None
    figures = _FIGURES.search(view.text, start, line.end)
    if figures and view.text[figures.end() : line.end].strip(" .;,") == "" and noun.name not in ("token", "private_key"):
        return figures.span()
    last = parts[-1]
    if noun.value == "digits" or HIDDEN in last.text or is_branded(last.text):
        return None
    return (last.start, last.end) if is_mixed(last.text) and len(last.text) >= _LEAST else None
