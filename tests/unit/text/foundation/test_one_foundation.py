"""Who reads language by means of its own, and why; and that words of languages stand in tables, not in Python."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import commonplace

PACKAGE = Path(commonplace.__file__).parent
ROOMS_OF_LANGUAGE = ("domain", "extraction", "memories", "retrieval", "text")
MOST_WORDS = 12
"""In one list or one alternation: beyond that it is a table."""
Reasons = Mapping[str, tuple[str, ...]]

SENTENCE_ENDS: Reasons = {
    "the foundation": ("text/foundation/sentences.py",),
    "gives every token back, byte for byte": ("text/third_person/tokens.py",),
    "offsets in a folded view, nothing left out": tuple(f"text/redaction/{name}.py" for name in ("answers", "spoken", "values")),
    "the features of trained models": ("text/classifier/model.py", "text/classifier/model.py"),
    'a date goes on behind "Apt." and "Dec."': ("extraction/grounding/evidence.py",),
    "a capital behind a stop is no name": ("extraction/grounding/evidence.py",),
    "any mark ends it, commas too": (
        "adapters/claude/reader.py", "extraction/changes/figure_replacement.py", "extraction/forgetting/requests.py",
        "text/redaction/openers.py", "text/tagging/__init__.py", "text/time_ranges/language.py",
    ),
    "no text: how a password looks": ("extraction/worthiness.py",),
}  # fmt: skip
TOKENS: Reasons = {
    "the foundation": tuple(f"text/foundation/{name}.py" for name in ("characters", "languages", "sentences", "tokenizer")),
    "the tokens of a room, measured with it; no two agree": (
        "text/classifier/model.py", "text/tagging/tokens.py", "text/third_person/tokens.py",
    ),
    "one kind of word: a name, a number, a no, a topic": (
        "extraction/changes/attributes.py", "extraction/changes/contradictions.py", "extraction/changes/corrections.py",
        "extraction/grounding/evidence.py", "extraction/grounding/numbers.py",
        "extraction/grounding/polarity.py", "text/paraphrase/pair_side.py", "text/time_ranges/find.py",
    ),
    "a law over whole files, in any script: which words of an import are in no memory": ("use_cases/left_out.py",),
    "how somebody's words look that are not the user's": ("extraction/own_words/code.py", "extraction/own_words/forwarded.py"),
    "whether a value has letters": tuple(f"text/redaction/{name}.py" for name in ("answers", "spoken", "values")),
}  # fmt: skip
LANGUAGES: Reasons = {
    "the foundation": ("text/foundation/languages.py",),
    "tags: those of 28 texts of 2,029 would change": ("text/tagging/tokens.py",),
    "all whose times may be meant, not the one it is in": ("text/time_ranges/language.py", "text/time_ranges/reader.py"),
}
WORDS: Reasons = {
    "the vocabularies of a record, and a wording: this room reads no file": ("domain/taxonomy.py",),
    "words of programs": (
        "extraction/own_words/code.py", "extraction/own_words/quotations.py", "extraction/own_words/structured_data.py",
        "text/redaction/assignments.py", "text/redaction/values.py",
    ),
    "codes of languages": ("extraction/patterns.py",),
    "names of rows": ("text/time_ranges/reading.py",),
    "small words inside one grammar": (
        "text/foundation/languages.py", "text/tagging/__init__.py", "text/third_person/tokens.py",
    ),
}  # fmt: skip
_CLASS = re.compile(r"\[(?!\^)(?:\\.|[^\]\\])*\]")
_LETTERS = re.compile(r"\[\^\\W(?:\\d)?_")
_WORD = re.compile(r"(?<!\w)[^\W\d_]{2,}(?!\w)")
_NO_WORD = re.compile(r"\\[a-zA-Z]|\(\?P?<\w+>")
_DETECTOR = re.compile(r"(?:^|_)languages?(?:_of)?$")


@cache
def trees() -> Mapping[str, ast.Module]:
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree))


@cache
def strings(tree: ast.Module) -> tuple[str, ...]:
    """The text of each string, docstrings left out; of an f-string what is written in it."""
    return tuple(_strings(tree))


def _strings(tree: ast.Module) -> Iterator[str]:
    told = {id(node.value) for node in nodes(tree) if isinstance(node, ast.Expr)}
    for node in nodes(tree):
        if id(node) in told:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def lists(tree: ast.Module) -> Iterator[str]:
    """What is a list of words: a collection, a string that is split, an alternation of a regular expression."""
    yield from (_NO_WORD.sub(" ", text) for text in strings(tree) if "|" in text)
    for node in nodes(tree):
        if isinstance(node, ast.Set | ast.List | ast.Tuple | ast.Dict):
            parts = [*node.keys, *node.values] if isinstance(node, ast.Dict) else node.elts
            yield " ".join(part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
        elif isinstance(node, ast.Attribute) and node.attr == "split" and isinstance(node.value, ast.Constant):
            yield str(node.value.value)


def ends_sentences(tree: ast.Module) -> bool:
    return any(set(".!?") <= set(found) for text in strings(tree) for found in _CLASS.findall(text))


def cuts_words(tree: ast.Module) -> bool:
    return any(map(_LETTERS.search, strings(tree)))


def detects_languages(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.FunctionDef) and _DETECTOR.search(node.name) for node in nodes(tree))


def holds_words(tree: ast.Module) -> bool:
    return any(len(set(_WORD.findall(found))) > MOST_WORDS for found in lists(tree))


@pytest.mark.parametrize(
    ("does", "known", "rooms"),
    [
        (ends_sentences, SENTENCE_ENDS, ()), (cuts_words, TOKENS, ()), (detects_languages, LANGUAGES, ()),
        (holds_words, WORDS, ROOMS_OF_LANGUAGE),
    ],
)  # fmt: skip
def test_a_file_that_reads_language_by_itself_is_known_with_its_reason(
    does: Callable[[ast.Module], bool], known: Reasons, rooms: tuple[str, ...]
) -> None:
    """A new one takes what the foundation has, or is named above with why it can't."""
    found = {path for path, tree in trees().items() if does(tree) and (not rooms or path.startswith(rooms))}
    assert found <= {path for paths in known.values() for path in paths}


@pytest.mark.parametrize(
    "path", sorted({path for known in (SENTENCE_ENDS, TOKENS, LANGUAGES, WORDS) for path in sum(known.values(), ())})
)
def test_what_is_named_is_there(path: str) -> None:
    assert path in trees()


@pytest.mark.parametrize(
    ("does", "source"),
    [
        (ends_sentences, r'CUT = re.compile(r"(?<=[.!?])\s+")'),
        (cuts_words, r'WORDS = re.compile(r"[^\W_]+")'),
        (detects_languages, "def language_of(text): ..."),
        (
            holds_words,
            f"SMALL = frozenset('{' '.join(['und', 'oder', 'aber', 'nicht'] + [chr(97 + n) * 3 for n in range(9)])}'.split())",
        ),
    ],
)
def test_a_new_one_would_be_seen(does: Callable[[ast.Module], bool], source: str) -> None:
    assert does(ast.parse(source))
    assert not does(ast.parse('"""Only told of: [.!?] and [^\\\\W_]."""'))
