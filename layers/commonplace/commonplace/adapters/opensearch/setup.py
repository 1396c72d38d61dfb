"""Creates what the index needs and leaves what exists: safe to run at every deployment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import RequestError

from commonplace.adapters.opensearch.client import WRITE_SECONDS, as_index_unavailable
from commonplace.adapters.opensearch.document import ALIAS, Layout, mappings, mark, settings
from commonplace.adapters.opensearch.queries import PIPELINE

_WAIT = {"request_timeout": WRITE_SECONDS}
_TOLD = "*.mappings._meta,*.mappings.dynamic"
_COPIES = "index.number_of_replicas"
_FUSION = {
    "description": "Both legs brought to 0..1 and averaged, for FUSION=engine.",
    "phase_results_processors": [
        {
            "normalization-processor": {
                "normalization": {"technique": "min_max"},
                "combination": {"technique": "arithmetic_mean", "parameters": {"weights": [0.6, 0.4]}},
            }
        }
    ],
}


def set_up(client: OpenSearch, layout: Layout, alias: str = ALIAS, kept: Callable[[], bool] = lambda: False) -> bool:
    """Pipeline, index template, first index and alias, and the copies. Raises `IndexUnavailable`.

    True when all is as laid out. False when a reindex has to follow: the index that is asked was made by another layout and
    holds memories, or it holds none while memories are `kept`. Where none is asked yet and memories are kept, none will be
    until the reindex has filled one: an empty index would answer that there is nothing.
    """
    prepare(client, layout, alias)
    with as_index_unavailable():
        _copy(client, layout, alias)
        live = versions(client, alias)
        if not live:
            if kept():
                return False
            create(client, next_name(client, alias), alias)
            return True
        (old,) = live
        if old.metadata == mark(layout):
            return not kept() or _holds_some(client, old)
        if _holds_some(client, old):
            return False
        new = next_name(client, alias)
        create(client, new)
        switch(client, alias, old.name, new)
        return not kept()


def prepare(client: OpenSearch, layout: Layout, alias: str) -> None:
    """Pipeline and template, by which each new version of the index is made."""
    template = {
        "index_patterns": [f"{alias}-v*"],
        "template": {"settings": {"index": settings(layout)}, "mappings": mappings(layout)},
    }
    with as_index_unavailable():
        client.transport.perform_request("PUT", f"/_search/pipeline/{PIPELINE}", body=_FUSION, params=dict(_WAIT))
        client.indices.put_index_template(name=alias, body=template, params=_WAIT)


def _holds_some(client: OpenSearch, version: "Version") -> bool:
    return bool(client.count(index=version.name, params=_WAIT)["count"])


def _copy(client: OpenSearch, layout: Layout, alias: str) -> None:
    """Gives each version of the index, one being filled too, as many copies as the next would get."""
    indices = client.indices.get_settings(index=f"{alias}-v*", name=_COPIES, params={"flat_settings": "true", **_WAIT})
    for name, index in indices.items():
        if index["settings"][_COPIES] != str(layout.replicas):
            client.indices.put_settings(index=name, body={_COPIES: layout.replicas}, params=_WAIT)


def model_of_layout(client: OpenSearch, alias: str) -> str | None:
    """The embedding model that the next version is laid out for; None before anything was set up."""
    templates = client.indices.get_index_template(name=alias, params={"ignore": 404, **_WAIT}).get("index_templates", [])
    return next((one["index_template"]["template"]["mappings"]["_meta"]["embedding_model"] for one in templates), None)


def create(client: OpenSearch, name: str, alias: str | None = None) -> None:
    """An empty index by the template, known by an alias at once; one that another run has made meanwhile will do."""
    try:
        client.indices.create(index=name, body={"aliases": {alias: {}} if alias else {}}, params=_WAIT)
    except RequestError as error:
        if error.error != "resource_already_exists_exception":
            raise


def switch(client: OpenSearch, alias: str, old: str | None, new: str, *more: dict[str, Any]) -> None:
    """In one step the alias means the new index; the old one goes."""
    gone = [{"remove_index": {"index": old}}] if old else []
    actions = [{"add": {"index": new, "alias": alias}}, *gone, *more]
    client.indices.update_aliases(body={"actions": actions}, params=_WAIT)


@dataclass(frozen=True)
class Version:
    """An index that aliases mean, and what it tells of itself."""

    name: str
    aliases: frozenset[str]
    metadata: Mapping[str, str]


def versions(client: OpenSearch, *aliases: str) -> list[Version]:
    """The indices that these aliases mean; those that are not there are left out.

    One request an alias, by the path that the roles name, and the last alias first: an alias that takes another's index
    over between two requests is then seen with it.
    """
    found: dict[str, Version] = {}
    for alias in reversed(aliases):
        params = {"ignore_unavailable": "true", "filter_path": _TOLD, **_WAIT}
        for name, index in client.indices.get_mapping(index=alias, params=params).items():
            before = found[name].aliases if name in found else frozenset()
            found[name] = Version(name, before | ({alias} - {name}), index["mappings"].get("_meta", {}))
    return list(found.values())


def next_name(client: OpenSearch, alias: str) -> str:
    """The name of the version after the newest there is."""
    names = client.indices.get(index=f"{alias}-v*", params={"filter_path": "*.aliases", **_WAIT})
    numbers = [int(name.removeprefix(f"{alias}-v")) for name in names]
    return f"{alias}-v{max(numbers, default=0) + 1}"
