"""The first view: all memories, newest first, and those that match a question."""

from werkzeug.wrappers import Response

from commonplace.interfaces.ui.visit import Route, Visit

PAGE = 20


def memories(visit: Visit) -> Response:
    """Memories for a question, or a page of all."""
    given = visit.arguments
    listed = visit.memory.list_memories(limit=PAGE, cursor=given.get("cursor"))
    return visit.show("search.html", given=given, listed=listed)


ROUTES = (Route("/ui", memories),)
