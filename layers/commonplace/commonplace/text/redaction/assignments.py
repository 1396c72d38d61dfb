"""Secrets that a name is given (`KEY=value`, `--password x`), and those inside addresses (`postgres://user:password@host`)."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources

from commonplace.text.redaction.values import is_blank
from commonplace.text.redaction.view import HIDDEN, Span, View
from commonplace.text.redaction.vocabulary import words

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

# Up to the last "@" of the authority: people put "@", ":" and "/" into passwords without encoding them.
_HOST = r"(?=([\w\[][^\s\"'<>()?#;]{0,400}))"
_WEB = re.compile(rf"(?i)(?<=://)[^\s/:\"'<>]{{0,200}}:([^\s/\"'<>]{{1,300}})@{_HOST}")
_SERVER = re.compile(rf"(?i)(?<=://)(?<!http://)(?<!https://)[^\s/:\"'<>]{{0,200}}:([^\s\"'<>]{{1,300}})@{_HOST}")
_DRIVER = re.compile(r"(?<![\w/:])[\w.\-]{1,60}:([^\s:@/\"']{1,100})@(?:tcp|unix)\(")
# Oracle: user and password apart by a slash.
_ORACLE = re.compile(r"(?i)(?:thin:|sqlplus )[\w.$#-]{1,60}/([^\s@/\"']{2,100})@")
# What the square codes on routers say: "WIFI:S:Home;T:WPA;P:hunter2;;".
_NETWORK = re.compile(r"(?i)(?<![a-z])wifi:(?:(?!p:)(?:\\.|[^;\n\\]){0,80};){0,5}p:((?:\\.|[^;\n\\]){1,100})")
# A line of .pgpass: host, port, database, user, password.
_COLUMNS = re.compile(r"(?<![\w/:.-])[\w.*\-]{1,80}:(?:\d{2,5}|\*):[\w*\-]{1,60}:[\w.\-@]{1,60}:([^\s:]{3,100})")
_REFERENCE = re.compile(r"[$%{<\[][^\s]*[}>\]%]|\$\w+|\*{3,}|[xX]{3,}|\.{3,}|" + HIDDEN)


@cache
def _kinds() -> dict[str, str]:
    rows = tomllib.loads(resources.files(__package__).joinpath("assignments.toml").read_text("utf-8"))
    return {name: kind for kind, names in rows.items() for name in names}


def parts_of_name(name: str) -> list[str]:
    """The words of a name, in small letters: of "clientSecret", "client_secret" and "client secret" the same."""
    return [word.lower() for word in _PARTS.split("_".join(name.split())) if word]


def kind_of(name: Sequence[str]) -> str | None:
    """The kind of secret that a thing of this name, by its words, holds: "DB_PASSWORD" a password, "max_tokens" none."""
    parts = [word.rstrip("0123456789") for word in name]
    if "public" in parts and "private" not in parts:
        return None
    return next((kind for n in (4, 3, 2, 1) if (kind := _kinds().get(" ".join(parts[-n:])))), None)


def find_assignments(view: View) -> Iterator[Span]:
    """Spans of values beside the name of a secret in code, configuration, commands, headers and links."""
    if not any(stem in view.folded for stem in _STEMS):
        return
    text, done = view.text, 0
    for match in _NAME.finditer(text):
        if match.start() < done or (match["gap"] and not match["name"].startswith("-")):
            continue
        # "${SECRET_KEY:?missing}"
        kind = None if text.endswith("${", 0, match.start()) else kind_of(parts_of_name(match["name"]))
        if kind and (found := _value(text, match)):
            done = found[1]
            yield Span(*found, kind)
    for pattern in (_BEARER, _USER_OPTION, _SHORT_OPTION, _PASS_OPTION, _COMMAND):
        for match in pattern.finditer(text):
            value = match[match.lastindex or 0]
            if not is_blank(value) and value not in words("function"):
                yield Span(*match.span(match.lastindex or 0), "token" if pattern is _BEARER else "password")


def _value(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    scheme = _SCHEME.match(text, match.end())
    start = scheme.end() if scheme else match.end()
    quoted = None if scheme else _QUOTED.match(text, start)
    if quoted and quoted.lastgroup and _closes(text, start):
        return None
    if quoted and quoted.lastgroup:
        return None if is_blank(quoted[quoted.lastgroup]) else quoted.span(quoted.lastgroup)
    bare = _BARE.match(text, start)
    if not bare:
        return None
    value = bare[0].rstrip(_TRAILING)
    end = start + len(value)
    # "<password>" is a blank to fill in, unless its element is closed again.
    apart = match[0].endswith(" ") or (end < len(text) and not text.startswith("</", end))
    unclosed = match["sign"] == ">" and apart
    # f"Bearer {os.environ['API_TOKEN']}"
    if scheme and value.startswith("{") and is_blank(bare[0]):
        return None
    if unclosed or is_blank(value) or _is_prose(text, match, value) or _is_code(text, match, value, end):
        return None
    return start, end


def _closes(text: str, at: int) -> bool:
    # `getpass("Password: ") or exit()`: the quote at `at` ends what another began.
    begin = max(text.rfind("\n", 0, at) + 1, at - _LONGEST_PROMPT)
    return text[at + 1 : at + 2] in _BEHIND_QUOTE and text.count(text[at], begin, at) % 2 == 1


def _is_prose(text: str, match: re.Match[str], value: str) -> bool:
    # "Token: a unit of text" is a sentence, "client_secret: abc" and "TOKEN=abc" are not. What is said in plain words
    # with a sign after them, the spoken kind, is found with the words of a language.
    tight = match["sign"] and match[0].endswith("=") and not match[0].endswith(" =")
    technical = _TECHNICAL.search(match["name"]) or match["close"].strip("*)") or match["sign"] == ">"
    sentence = match["sign"] == ":" and value.isalpha() and _MORE_WORDS.match(text, match.end() + len(value))
    return bool(sentence) or not (tight or technical or match["gap"])


def _is_code(text: str, match: re.Match[str], value: str, end: int) -> bool:
    # `login(user=user, password=word)` and `password = word` hand a variable on.
    name_is_shouted = match["name"].isupper()
    variable = re.fullmatch(r"[a-z_]+|[a-z]+[A-Z][A-Za-z]+", value) is not None
    spaced = match[0].endswith(" ") and match["sign"] != ":"
    return variable and not name_is_shouted and (spaced or text[end : end + 1] in (")", ",")) and not match["gap"]


def hosts(view: View) -> list[tuple[int, int]]:
    """The ranges of hosts, ports and paths in addresses with a password, in order: no word beside them makes them secrets."""
    if "@" not in view.text:
        return []
    return sorted(match.span(2) for pattern in (_WEB, _SERVER) for match in pattern.finditer(view.text))


def find_addresses(view: View) -> Iterator[Span]:
    """Spans of the passwords in addresses; user and host stay."""
    if "wifi:" in view.folded:
        yield from (Span(*match.span(1), "password") for match in _NETWORK.finditer(view.text))
    if view.text.count(":") > 3:
        yield from (Span(*match.span(1), "password") for match in _COLUMNS.finditer(view.text))
    if "@" not in view.text:
        return
    for pattern in (_WEB, _SERVER, _DRIVER, _ORACLE):
        for match in pattern.finditer(view.text):
            password = match[1]
            port_and_path = re.match(r"\d{1,5}/", password)
            if not port_and_path and not _REFERENCE.fullmatch(password) and password.lower() not in words("blank"):
                yield Span(*match.span(1), "password")
