"""Words as hurried fingers spell them: "pasword", "passowrd", "contrseña", "Kenwort"."""


def misspellings(word: str) -> set[str]:
    """`word` with a letter left out, doubled or swapped with the next; its first letter stays."""
    places = range(1, len(word))
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in places[:-1]}
    return swapped | {word[:at] + word[at + 1 :] for at in places} | {word[: at + 1] + word[at:] for at in places}
