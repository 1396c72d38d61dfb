"""Find possible forms of English words, make verbs agree with "the user" or "they", and load word tables."""

from functools import cache, lru_cache
from typing import Any

from commonplace.domain.loading import loaded_once
from commonplace.text.foundation.expressions import table_of

_CACHED_WORDS = 4_096


@cache
def table(name: str) -> frozenset[str]:
    """Return the words in the table `name` ("section.key"), with spaces for underscores. Raises KeyError if it is unknown."""
    section, key = name.split(".")
    return frozenset(word.replace("_", " ") for word in table_of(__package__, "english.toml")[section][key].split())


@cache
def mapping(name: str) -> dict[str, tuple[str, ...]]:
    """Map each word in the table `name` ("section.key") to its values, with spaces for underscores."""
    section, key = name.split(".")
    pairs = (pair.replace("_", " ").partition("=") for pair in table_of(__package__, "english.toml")[section][key].split())
    return {word: tuple(values.split(",")) for word, _, values in pairs}


@loaded_once
def _load_dictionary() -> Any:
    """Load the whole dictionary of inflections at once, because threads share it and must not load it bit by bit."""
    import lemminflect

    lemminflect.getAllInflections("be")
    lemminflect.getAllInflectionsOOV("be", "VERB")
    return lemminflect


@lru_cache(maxsize=_CACHED_WORDS)
def _list_inflections(lemma: str) -> dict[str, tuple[str, ...]]:
    forms: dict[str, tuple[str, ...]] = _load_dictionary().getAllInflections(lemma)
    return forms


@cache
def everyday_verbs() -> frozenset[str]:
    """Return the base forms that count as verbs although the dictionary lists them mainly as nouns."""
    return table("verbs.transitive") | table("verbs.intransitive") | table("verbs.states")


def with_apostrophe(word: str) -> str:
    """Return a contraction with its apostrophe ("don't" for "dont"). Other words are returned unchanged."""
    return mapping("auxiliaries.unapostrophed").get(word, (word,))[0]


def is_known(word: str) -> bool:
    """Return whether the dictionary contains a word as a base form."""
    return bool(_list_inflections(word))


def is_modal(word: str) -> bool:
    return with_apostrophe(word) in table("auxiliaries.modals")


def is_auxiliary(word: str) -> bool:
    return with_apostrophe(word) in mapping("auxiliaries.agreeing") or is_modal(word) or word == "had"


def is_base(word: str) -> bool:
    """Return whether a word is a full verb in the present form used after "I" ("go", but not "am", "went" or "can")."""
    if word in table("verbs.past") or is_auxiliary(word) or word in table("verbs.never"):
        return word in ("do", "have")
    return "VBP" in _list_inflections(word) or word in everyday_verbs()


def is_finite(word: str) -> bool:
    """Return whether a word is a verb form that can follow "I", except for plural and subjunctive forms of "be"."""
    return is_base(word) or is_auxiliary(word) or is_past(word)


def is_unheard_of(word: str) -> bool:
    """Return whether a word is missing from the dictionary but may be a verb ("doomscroll")."""
    if not (word.islower() and word.isalpha()) or word.endswith("s") or is_known(word):
        return False
    tables = ("function.determiners", "function.nominatives", "function.subordinators", "function.conjunctions")
    return not any(word in table(name) for name in tables)


def is_noun(word: str) -> bool:
    return "NN" in _list_inflections(word)


def is_adjective(word: str) -> bool:
    return "JJ" in _list_inflections(word)


def is_describing(word: str) -> bool:
    """Return whether a word is clearly an adjective. The dictionary lists many nouns as adjectives ("house", "formula")."""
    return is_adjective(word) and (not is_noun(word) or "JJR" in _list_inflections(word))


def _is_inflection(word: str, tags: tuple[str, ...], stems: tuple[str, ...]) -> bool:
    return any(word in _list_inflections(stem).get(tag, ()) for stem in stems if len(stem) > 1 for tag in tags)


def is_past(word: str) -> bool:
    """Return whether a word is a past form that cannot be a present form ("went" or "moved", but not "put")."""
    if word in table("verbs.past"):
        return True
    if not word.endswith("ed") or is_base(word):
        return False
    stems = (word[:-2], word[:-1], word[:-3], word[:-3] + "y")
    return _is_inflection(word, ("VBD",), stems) or (len(word) > 4 and not _list_inflections(word))


def is_participle(word: str) -> bool:
    return word in table("verbs.participles") or (word.endswith("ed") and is_past(word))


def is_s_form(word: str) -> bool:
    """Return whether a word is a verb in the third person singular ("goes"). Many of these forms are also plural nouns."""
    return word.endswith("s") and _is_inflection(word, ("VBZ",), (word[:-1], word[:-2], word[:-3] + "y"))


def is_everyday_s_form(word: str) -> bool:
    """Return whether a word is more likely a verb ("likes", "meets") than a plural noun ("tickets")."""
    return is_s_form(word) and (not is_plural(word) or any(word[:-end] in everyday_verbs() for end in (1, 2)))


def is_plural(word: str) -> bool:
    """Return whether a word means several people ("men") or is a dictionary plural in "s" ("cats", but not "mice")."""
    if word in table("people.plural"):
        return True
    stems = (word[:-1], word[:-2], word[:-3] + "y", word[:-3] + "f", word[:-3] + "fe")
    return word.endswith("s") and not word.endswith("ss") and _is_inflection(word, ("NNS",), stems)


def is_english(word: str) -> bool:
    """Return whether the dictionary contains the word or its base form. Unknown words that end in "ed" also count."""
    return is_known(word) or is_past(word) or is_plural(word) or is_s_form(word) or is_ing_form(word)


def is_ing_form(word: str) -> bool:
    return word.endswith("ing") and len(word) >= 5 and _is_inflection(word, ("VBG",), (word[:-3], word[:-3] + "e", word[:-4]))


def agreed(word: str, plural: bool) -> str:
    """Convert a verb form used after "I" to the one that agrees with "the user", or with "they" if `plural` is true."""
    word = with_apostrophe(word)
    if word in mapping("auxiliaries.agreeing"):
        return mapping("auxiliaries.agreeing")[word][plural]
    fixed = is_modal(word) or is_past(word) or word in table("auxiliaries.unchanged")
    return word if plural or fixed or not word.isalpha() else _build_third_person(word)


@lru_cache(maxsize=_CACHED_WORDS)
def _build_third_person(word: str) -> str:
    forms = _list_inflections(word)
    if "VBZ" not in forms:
        forms = _load_dictionary().getAllInflectionsOOV(word, "VERB")
    return forms["VBZ"][0]
