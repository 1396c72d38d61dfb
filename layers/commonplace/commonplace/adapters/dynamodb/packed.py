"""Longer texts as they are kept: compressed, since an item has 400 KB at the most."""

import gzip

from commonplace.adapters.dynamodb.actions import Item


def packed(text: str) -> Item:
    """A text as an attribute."""
    return {"B": gzip.compress(text.encode(), mtime=0)}


def unpacked(attribute: Item) -> str:
    """The text of an attribute."""
    return gzip.decompress(bytes(attribute["B"])).decode()
