"""Passwords beside the name that they go with: "login: ana / Tr0ub4dor&3", "user admin pass hunter2"."""

import re
from collections.abc import Iterator

from commonplace.text.redaction.phrases import is_remark
from commonplace.text.redaction.values import is_blank, is_branded, is_mixed, is_passphrase, tokens
from commonplace.text.redaction.view import Span, View
from commonplace.text.redaction.vocabulary import compiled, words

_DEGREE = re.compile(r"(?:[bm](?:s?c|a|e|ed|tech|com|eng|sci|phil|ba)|ph\.?d|ll[bm])\d{0,4}")
_HASHES = re.compile(r"sha-?\d+|md5|rsa|ed25519|ecdsa")
# Ways of saying it (`expressions.toml`): with a word for the password, and without.
_NAMED, _UNNAMED = ("named", "network", "with", "entered"), ("login", "email", "usual", "japanese")
_LEAST_THEN = 7
_WORDY = re.compile(r"[a-z][a-z._-]{5,}")


def find_pairs(view: View) -> Iterator[Span]:
    """Spans of passwords that stand behind a user name or an address; the name stays."""
    if not any(cue in view.folded for cue in words("login_cues")):
        return
    named = _NAMED if any(secret in view.folded for secret in words("login_secrets")) else ()
    for way in (*named, *_UNNAMED):
        for match in compiled(f"pairs.{way}").finditer(view.folded):
            part = tokens(view, match.start("value"), 1)[0]
            mixed = is_mixed(part.text) or is_passphrase(part.text)
            fits = mixed or (way in named and not _is_talk(part.word, part.text))
            if way == "named" and match["net"]:
                fits = fits and _is_called(view, match)
            if way == "email" and (is_branded(part.text) or len(part.text) < _LEAST_THEN):
                fits = False
            if match.groupdict().get("bare"):
                fits = mixed and compiled("pairs.credentials").search(view.folded) is not None
            if way == "login":
                fits = _fits_login(view, match, mixed, _is_talk(part.word, part.text))
            if fits and match.groupdict().get("user") not in words("function", "link"):
                yield Span(part.start, part.end, "password")


def _fits_login(view: View, match: re.Match[str], mixed: bool, talk: bool) -> bool:
    user = view.text[slice(*match.span("user"))]
    in_address = view.text[max(0, match.start() - 3) : match.start()] == "://"
    if in_address or _HASHES.fullmatch(user.lower()) or is_remark(user.lower()):
        return False
    # "wifi: TheBurrow / mischief-managed", not "wifi: free / fast" or "wifi: 5GHz / 2.4GHz".
    if match["net"] and not (_is_called(view, match) and (mixed or _WORDY.fullmatch(match["value"]))):
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
    return announced and joined and not talk


def _is_called(view: View, match: re.Match[str]) -> bool:
    return re.search(r"[A-Z\d_-]", view.text[match.start("user") + 1 : match.end("user")]) is not None


def _is_talk(word: str, text: str) -> bool:
    return is_remark(word) or is_blank(text) or word in words("compound", "link", "evasive")
