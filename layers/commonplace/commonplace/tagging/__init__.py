"""Tags and concepts of a statement, the user's own tags for new ones, and other words for a search; all by rules."""

from commonplace.tagging.concepts import concepts_of
from commonplace.tagging.expansion import expansions
from commonplace.tagging.merging import consolidate
from commonplace.tagging.tags import tags_of

__all__ = ["concepts_of", "consolidate", "expansions", "tags_of"]
