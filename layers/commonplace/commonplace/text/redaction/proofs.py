"""Find secrets by their format or by a checksum.

Keys and tokens have a service's format, or they look random and are near words for secrets. Private keys are blocks of text
(PEM, OpenSSH, PGP) or recovery phrases, or they have a checksum. Card numbers, IBANs and identity numbers are recognized by a
checksum or by nearby words."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from math import log2
from unicodedata import normalize

from commonplace.text.foundation.characters import LETTERS, bare_in_place
from commonplace.text.foundation.expressions import read_table
from commonplace.text.redaction.view import Span, View
from commonplace.text.redaction.vocabulary import compiled, expression, words

_RUN = re.compile(r"(?<![\w+/=.~@-])[A-Za-z0-9_+/=.~-]{20,}")
_NAME = re.compile(r"^[0-9A-Fa-f-]+$|\w\.(?:com|org|net|io|html?|py|js|png|jpe?g|pdf)\b")
_BEFORE, _AFTER = 60, 24
# Strings in a single case, such as hexadecimal, base 32 and licence keys. Hashes and identifiers look the same, so the text
# must contain a word for a secret nearby, and no word for a public value.
_PLAIN = re.compile(
    r"(?<![\w+/=.@:-])(?:[0-9a-f]{20,128}|[0-9A-F]{20,128}|[a-z2-7]{16,64}|[A-Z2-7]{16,64}|[a-z0-9]{24,64}|[A-Z0-9]{24,64}"
    r"|[0-9a-f]{32}(?:-[0-9a-f]{8}){2}|[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,15}|[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15}"
    r"|[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,8})"
    r"(?![\w+/=@-]|\.\w|:\w{3,}\.)"
)
_LONGEST_PUBLIC = 40

_FORMAT_RUN = re.compile(r"[\w\-+/=.:~]{16,}", re.ASCII)
# Hashes, identifiers, dates and version numbers. A text in which every long run is one of these isn't searched.
_ORDINARY = re.compile(
    r"(?:[0-9a-f]{7,128}|[0-9A-F]{7,128}|(?!\d{6}-\d{6}-\d{6}-)[\d.:/_-]+|[0-9A-HJKMNP-TV-Z]{26}"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})[.:]?"
)
_REST = re.compile(r"(?:[\w\-+/=~%]|\.(?=\w))*", re.ASCII)


def find_entropy(view: View) -> Iterator[Span]:
    """Find random-looking strings near a word for a secret, unless a word for a public value, such as a hash, is nearer."""
    for match in _RUN.finditer(view.text):
        run = match[0].rstrip(".=-~")
        if not _is_random(run):
            continue
        before = view.folded[max(0, match.start() - _BEFORE) : match.start()]
        after = view.folded[match.end() : match.end() + _AFTER].partition("\n")[0]
        secret, public = (
            max((word.start() for word in compiled(f"token_formats.{name}").finditer(before)), default=-1)
            for name in ("near", "public")
        )
        if secret > public or (public < 0 and compiled("token_formats.near").search(after)):
            yield Span(*match.span(), "api_key")
    for match in _PLAIN.finditer(view.text) if compiled("token_formats.named").search(view.folded) else ():
        if len(re.findall(r"\d", match[0])) >= 2 and re.search(r"[A-Za-z]", match[0]) and _is_named(view, match):
            yield Span(*match.span(), "api_key")


def _is_named(view: View, match: re.Match[str]) -> bool:
    """Return whether the words around a match suggest a secret. Words before the match count more than words after it."""
    before = view.folded[max(0, match.start() - _BEFORE) : match.start()]
    after = view.folded[match.end() : match.end() + _AFTER].partition("\n")[0]
    if compiled("token_formats.public").search(before[-_LONGEST_PUBLIC:]):
        return False
    if compiled("token_formats.beside").search(before):
        return True
    if compiled("token_formats.public").search(after):
        return False
    return bool(
        compiled("token_formats.named").search(before)
        or re.match(rf"\s(?:is|as|es|ist|est|como|als|comme|ist der|\W)[^.\n]*?{expression('token_formats.named')}", after)
    )


def _is_random(run: str) -> bool:
    """Return whether a run has capitals, small letters, digits and high entropy. A number only at the end doesn't count."""
    kinds = sum(bool(re.search(kind, run)) for kind in ("[a-z]", "[A-Z]", r"\d"))
    if kinds < 3 or _NAME.search(run):
        return False
    # Words joined by signs are names. A random string has digits within its longest piece.
    # "mockErrorResponse429" is a name that ends in a number.
    if not re.search(r"\d", run.rstrip("0123456789")):
        return False
    longest = max(re.split(r"[_\-./+=~]+", run), key=len)
    entropy = -sum(n / len(run) * log2(n / len(run)) for n in Counter(run).values())
    return entropy >= (3.5 if len(longest) >= 12 and re.search(r"\d", longest[1:-1]) else 4.4)


@cache
def _load_formats() -> list[tuple[str, tuple[str, ...], re.Pattern[str]]]:
    """Return the kind, hints and pattern for each key format. Every text that matches a pattern contains one of its hints."""
    rows = read_table(__package__, "formats.toml")["format"]
    return [(row["kind"], tuple(row["hint"]), re.compile(row["pattern"], re.ASCII)) for row in rows]


def find_formats(view: View) -> Iterator[Span]:
    """Find keys and tokens with a known format. Each span extends to the end of its run of token characters."""
    text = view.text
    if all(_ORDINARY.fullmatch(match[0]) for match in _FORMAT_RUN.finditer(text)):
        return
    for kind, hints, pattern in _load_formats():
        done = 0
        for match in pattern.finditer(text) if any(hint in text for hint in hints) else ():
            if match.start() >= done:
                span = _extend_span(text, Span(*_get_secret_span(match), kind))
                done = span.end
                yield span


def _get_secret_span(match: re.Match[str]) -> tuple[int, int]:
    """Return the span of the last group, or of the whole match if the pattern has no words before the secret."""
    if match.re.groups and match.start(match.re.groups) > match.start():
        return match.span(match.re.groups)
    return match.span()


def _extend_span(text: str, span: Span) -> Span:
    """Extend `span` to the end of its last token, because patterns with a fixed length match only part of a longer key."""
    match = _REST.match(text, span.end)
    return span._replace(end=match.end()) if match else span


_LANGUAGES = ("english", "spanish", "french", "italian", "japanese")
_BETWEEN = re.compile(r"(?:[\s,;|/\-\"'`.):]|\d{1,2}(?!\d))+")
_NEAR = 40
_LENGTHS = (12, 15, 18, 21, 24)
_LEAST, _LEAST_ANNOUNCED = 12, 6
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_SEPARATE = r"(?<![A-Za-z0-9])(?:{})(?![A-Za-z0-9])"
_CHECKED = re.compile(_SEPARATE.format(f"[5KL9c][{_BASE58}]{{50,51}}|[a-z]prv[{_BASE58}]{{107}}"))
_HEX = re.compile(_SEPARATE.format("(?:0x)?[0-9a-fA-F]{64}"))
_EDGE = re.compile(r"-{2,5} ?(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{2,5}")
_PUTTY = re.compile(r"Private-Lines: *\d+")
_MAC = re.compile(r"\s*Private-MAC:\s*[0-9a-fA-F]+")
_PIECE = re.compile(r"(?:\\[nrt]|[^\s\\])+|\\")
# A block may have header lines, and quoting marks around its lines.
_HEADER = re.compile(r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Encryption):[^\n]*")
_WRAPPING = "\"'>|,`"
# Key material is a long run, or a run that isn't a word, because it contains a digit, a sign or an inner capital.
_MATERIAL = re.compile(r"(?:[\w+/=\\-]{16,}|(?=[A-Za-z]*[0-9+/=])[\w+/=\\-]+|[A-Za-z]+[a-z][A-Z][A-Za-z]*|\.\.\.|…|>)")

# Every entry of a Kubernetes secret is redacted, whatever its name.
_SECRET = re.compile(r"(?:\\n|\b)kind[\"']?\s{0,3}:\s{0,3}[\"']?Secret\b")
_DATA = re.compile(r"(?:\\n|\b)(?:data|stringData)[\"']?\s{0,3}:(?:\\n|[\s{])*(?=[\w\"'])")
_ENTRY = re.compile(r"(?:\\n|[\s,\"'])*([A-Za-z_][\w.-]{0,60})[\"']?\s{0,3}:[ ]{0,3}[\"']?([\w+/=.-]{4,4000})[\"']?")


@cache
def _load_recovery_word_lists() -> tuple[frozenset[str], ...]:
    from mnemonic import Mnemonic

    return tuple(frozenset(bare_in_place(normalize("NFKC", word)) for word in Mnemonic(name).wordlist) for name in _LANGUAGES)


def find_wallets(view: View) -> Iterator[Span]:
    """Find wallets' private keys, and recovery phrases of at least 12 words, or 6 words after "recovery phrase"."""
    yield from _find_recovery_phrases(view)
    for match in _CHECKED.finditer(view.text):
        if _has_valid_base58_checksum(match[0]):
            yield Span(*match.span(), "wallet_key")
    for match in _HEX.finditer(view.text):
        if compiled("keys.hex_word").search(view.folded, max(0, match.start() - 60), match.start()):
            yield Span(*match.span(), "wallet_key")


def _find_recovery_phrases(view: View) -> Iterator[Span]:
    """Yield recovery phrases. A phrase directly after its name may use an unknown word list."""
    announced: list[int] | None = None
    for stretches in _split_stretches(view.folded):
        if len(stretches) < _LEAST_ANNOUNCED:
            continue
        if announced is None:
            announced = [match.end() for match in compiled("keys.announced").finditer(view.folded)]
        ends = [end for end in announced if stretches[0].start() - _NEAR < end <= stretches[-1].start()]
        near = bool(ends)
        stretches = [word for word in stretches if word.start() >= ends[0]] if ends else stretches
        if near and len(stretches) in _LENGTHS and stretches[0].start() - ends[0] < 8:
            # A complete phrase directly after its name may use an unknown word list.
            yield Span(stretches[0].start(), stretches[-1].end(), "recovery_phrase")
            continue
        least = _LEAST_ANNOUNCED if near else _LEAST
        if len(stretches) < least:
            continue
        for vocabulary in _load_recovery_word_lists():
            for first, last in _find_member_runs([word[0] in vocabulary for word in stretches], least):
                # The last word in a complete phrase may be misspelt or from a different list.
                last = len(stretches) - 1 if near and len(stretches) - first in _LENGTHS else last
                if near or not _is_prose(stretches[first : last + 1]):
                    yield Span(stretches[first].start(), stretches[last].end(), "recovery_phrase")


def _is_prose(phrase: list[re.Match[str]]) -> bool:
    """Return whether at least 40 % of the words are common, because the lists also contain "just", "that" and "you"."""
    common = words("function", "qualifier", "filler", "leadin", "remark", "number")
    return sum(word[0] in common for word in phrase) * 5 >= len(phrase) * 2


def _split_stretches(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield the runs of words that are as long as listed words, with only spaces, punctuation or numbers between them."""
    # In ordinary text, "I", "a", "to" or "of" ends a run before the twelfth word, so the lists need not be loaded.
    stretch: list[re.Match[str]] = []
    for word in LETTERS.finditer(text):
        fits = (3 if word[0].isascii() else 2) <= len(word[0]) <= 8
        if stretch and not (fits and _BETWEEN.fullmatch(text, stretch[-1].end(), word.start())):
            yield stretch
            stretch = []
        if fits:
            stretch.append(word)
    yield stretch


def _find_member_runs(flags: list[bool], least: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last index of each run of `least` true flags. After these, single false flags don't end it."""
    first: int | None = None
    last = count = 0
    for place, member in enumerate([*flags, False, False]):
        if member:
            first, last, count = (place if first is None else first), place, count + 1
        elif first is not None and (place - last > 1 or count < least):
            # A single unlisted word may be a typing error, if all others are listed.
            if count >= least:
                yield first, last
            first, count = None, 0


def _has_valid_base58_checksum(key: str) -> bool:
    number = 0
    for char in key:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


def find_blocks(view: View) -> Iterator[Span]:
    """Find private key blocks, whose first or last line may be missing, and the values of Kubernetes secrets."""
    if "PRIVATE KEY" in view.text:
        yield from _find_armored_keys(view.text)
    if "Private-Lines" in view.text:
        for match in _PUTTY.finditer(view.text):
            end = _find_material_end(view.text, match.end())
            mac = _MAC.match(view.text, end)
            yield Span(match.end(), mac.end() if mac else end, "private_key")
    if "Secret" in view.text and _SECRET.search(view.text):
        yield from _find_kubernetes_values(view.text)


def _find_kubernetes_values(text: str) -> Iterator[Span]:
    for data in _DATA.finditer(text):
        at = data.end()
        while (entry := _ENTRY.match(text, at)) and entry[1] not in ("kind", "metadata", "type", "apiVersion"):
            yield Span(*entry.span(2), "token")
            at = entry.end()


def _find_armored_keys(text: str) -> Iterator[Span]:
    """Yield private key blocks. If the BEGIN or END line is missing, a block is as long as the key material."""
    begin: re.Match[str] | None = None
    done = 0
    for edge in _EDGE.finditer(text):
        if edge[1] == "END":
            yield Span(begin.start() if begin else _find_material_start(text, done, edge.start()), edge.end(), "private_key")
            begin, done = None, edge.end()
        else:
            if begin:
                yield Span(begin.start(), _find_material_end(text, begin.end()), "private_key")
            begin, done = edge, edge.end()
    if begin:
        yield Span(begin.start(), _find_material_end(text, begin.end()), "private_key")


def _find_material_end(text: str, start: int) -> int:
    """Return the end of the key material that begins at `start`."""
    end = at = start
    while piece := _PIECE.search(text, at):
        header = _HEADER.match(text, piece.start())
        if header:
            at = header.end()
            continue
        bare = piece[0].strip(_WRAPPING)
        if bare and not _MATERIAL.fullmatch(bare):
            break
        at = piece.end()
        end = at if bare else end
    return end


def _find_material_start(text: str, floor: int, end: int) -> int:
    """Return the start of the key material that ends at `end`."""
    start = end
    for piece in reversed(list(_PIECE.finditer(text, floor, end))):
        if not _MATERIAL.fullmatch(piece[0].strip(_WRAPPING) or ">"):
            break
        start = piece.start()
    return start


_IDENTITY_DIGITS = re.compile(r"\d(?:\D{0,3}\d){3}")  # an identity number has at least four digits
_NUMBER_BEFORE, _NUMBER_AFTER = 60, 40
_SPANISH_LETTERS = "trwagmyfpdxbnjzsqvhlcke"

_DIGITS = re.compile(r"(?<![A-Za-z0-9_.+])\d(?:[ \-.\u2010-\u2015/]{0,3}\d){11,}")
_DECIMAL = re.compile(r"\d{1,3}\.\d{6}")
_LONG = re.compile(r"\d(?:\D{0,3}\d){8}")
# The first digits of each issuer's cards, and the lengths at which a number is a card even without a word for cards nearby.
_ISSUERS = (
    (re.compile(r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|6(?:011|5|4[4-9])|35(?:2[89]|[3-8])|62|81"), (16,)),
    (re.compile(r"3[47]|1800|2131"), (15,)),
    (re.compile(r"3(?:0[0-5]|[689])"), (14,)),
)
_IN_FOURS = re.compile(r"\d{4}([ \-.])\d{4}\1\d{4}\1\d{4}(?!\d)")
_DOUBLED = dict(zip("0123456789", (0, 2, 4, 6, 8, 1, 3, 5, 7, 9), strict=True))
_EXPIRY = re.compile(r"(?<!\d)(?:0?[1-9]|1[0-2])\s?[/\-.]\s?(?:20)?[2-4]\d(?![\d/])")
_IBAN = re.compile(r"(?i)(?<![a-z0-9])[a-z]{2}\d{2}(?:[ \-.]?[a-z0-9]){11,30}(?![a-z0-9])")


def find_identities(view: View) -> Iterator[Span]:
    """Find identity and insurance numbers that a word nearby or check digits confirm."""
    if not _IDENTITY_DIGITS.search(view.text):
        return
    for number, word, proves_itself in _load_identities():
        for match in number.finditer(view.folded):
            near = view.folded[max(0, match.start() - _NUMBER_BEFORE) : match.end() + _NUMBER_AFTER]
            if word.search(near) or proves_itself(re.sub(r"[^a-z0-9]", "", match[0])):
                yield Span(*match.span(), "ssn")


@cache
def _load_identities() -> list[tuple[re.Pattern[str], re.Pattern[str], Callable[[str], bool]]]:
    """Return the number pattern, word pattern and check for each kind. A nearby word or a passed check proves a number."""
    rows = read_table(__package__, "identities.toml")["identity"]
    checks = {"french": _has_french_check_digits, "spanish": _is_valid_spanish_nie}
    return [
        (
            re.compile(rf"(?<![a-z0-9.-])(?:{row['pattern']})(?![a-z0-9])"),
            re.compile(rf"(?<![a-z])(?:{row['word']})(?![a-z])"),
            checks.get(row.get("check", ""), lambda _: False),
        )
        for row in rows
    ]


def _has_french_check_digits(number: str) -> bool:
    if len(number) != 15:
        return False
    plain = number[:13].replace("2a", "19").replace("2b", "18")
    return number[0] in "12" and plain.isdigit() and 97 - int(plain) % 97 == int(number[13:])


def _is_valid_spanish_nie(number: str) -> bool:
    """Return whether a lower-case number is a NIE, which starts with x, y or z, with a valid check letter."""
    plain = number[:-1].replace("x", "0").replace("y", "1").replace("z", "2")
    return plain.isdigit() and number[0] in "xyz" and _SPANISH_LETTERS[int(plain) % 23] == number[-1]


def find_numbers(view: View) -> Iterator[Span]:
    """Find IBANs, and card numbers with their expiry and CVV."""
    if not _LONG.search(view.text):
        return
    for run in _DIGITS.finditer(view.text):
        for card in _find_cards(view, run):
            yield card
            yield from _find_card_details(view, card)
    for match in _IBAN.finditer(view.text):
        yield from _find_iban(match)


def _find_cards(view: View, run: re.Match[str]) -> Iterator[Span]:
    """Yield card numbers with a valid checksum. With a word like "card" nearby, four groups of four digits need none."""
    groups = [(match.start(), match.end()) for match in re.finditer(r"\d+", run[0])]
    if _DECIMAL.match(run[0]):
        return
    digits, ends, at = "", {}, 0
    for start, end in groups:
        digits += run[0][start:end]
        ends[len(digits)] = run.start() + end
    if re.match(r"[A-Za-z0-9_]", view.text[run.end() : run.end() + 1]):
        del ends[len(digits)]
    before = view.folded[max(0, run.start() - 48) : run.start()]
    named = compiled("numbers.card_word").search(before + view.folded[run.end() : run.end() + 24])
    if not named and compiled("numbers.other_word").search(before):
        return
    done = 0
    for start, end in groups:
        # Next to a word for a card, any number with a valid checksum is a card, even outside the issuers' ranges.
        lengths = (16, 15, 14, 13, 12, 17, 18, 19) if named else _get_issuer_lengths(digits, at)
        length = next((n for n in lengths if at + n in ends and at >= done and _matches_luhn(digits[at : at + n])), 0)
        if named and at >= done and _get_issuer_lengths(digits, at) and _IN_FOURS.match(run[0], start):
            length = 16  # a mistyped number still reveals most of the card
        if length:
            done = at + length
            yield Span(run.start() + start, ends[done], "card")
        at += end - start


def _get_issuer_lengths(digits: str, at: int) -> tuple[int, ...]:
    return next((lengths for prefix, lengths in _ISSUERS if prefix.match(digits, at)), ())


def _matches_luhn(digits: str) -> bool:
    """Return whether the digits pass the Luhn check and are not all equal."""
    total = sum(map(int, digits[-1::-2])) + sum(_DOUBLED[digit] for digit in digits[-2::-2])
    return total % 10 == 0 and len(set(digits)) > 1


def _find_card_details(view: View, card: Span) -> Iterator[Span]:
    """Yield the expiry date and the security code in the 80 characters after a card number."""
    after = view.folded[card.end : card.end + 80]
    expiry = _EXPIRY.search(after)
    if expiry:
        yield Span(card.end + expiry.start(), card.end + expiry.end(), "card_expiry")
    code = compiled("numbers.cvv").search(after) or compiled("numbers.bare_cvv").match(after, expiry.end() if expiry else 0)
    if code:
        yield Span(card.end + code.start(1), card.end + code.end(1), "card_code")


def _find_iban(match: re.Match[str]) -> Iterator[Span]:
    """Yield the longest prefix with a valid checksum, if any, because words after an IBAN can look like part of it."""
    ends = [at for at in range(len(match[0]), 14, -1) if not match[0][at : at + 1].isalnum()]
    for end in ends:
        plain = re.sub(r"[ \-.]", "", match[0][:end]).upper()
        number = int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4]))
        if len(plain) <= 34 and sum(map(str.isdigit, plain)) >= 8 and number % 97 == 1:
            yield Span(match.start(), match.start() + end, "iban")
            return
