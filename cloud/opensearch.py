"""OpenSearch with k-NN and neural-search as one node on the loopback: `python -m cloud.opensearch --port 9250`."""

import json
import random
import uuid
from collections.abc import Sequence
from pathlib import Path

from cloud.fetch import fetch, java
from cloud.foreground import run
from cloud.process import QUICK_START, Server, free_port

_SETTINGS = """\
discovery.type: single-node
network.host: 127.0.0.1
cluster.routing.allocation.disk.threshold_enabled: false
action.auto_create_index: false
"""
_PLUGINS = "org.opensearch.knn.plugin.KNNPlugin,org.opensearch.neuralsearch.plugin.NeuralSearch"
_RUNNER = "org.codelibs.opensearch.runner.OpenSearchRunner"


_PORTS = range(9201, 9300)  # the runner takes no others, and the next one when one is in use
_HEALTH = "/_cluster/health?wait_for_status=yellow&timeout=2s"


class OpenSearch(Server):
    """A node on a free port of 9201 to 9299, or a given one of these; `heap` as Java's -Xmx takes it, `flags` for the JVM.

    There is no native library for faiss here: the k-NN engine is lucene.
    """

    def __init__(
        self, port: int | None = None, data: Path | None = None, heap: str = "1g", flags: Sequence[str] = QUICK_START
    ) -> None:
        if port is not None and port not in _PORTS:
            raise ValueError(f"port: must be {_PORTS[0]} to {_PORTS[-1]}")
        super().__init__(port or free_port(random.sample(_PORTS, len(_PORTS))), data)
        self._heap, self._flags = heap, flags
        self._name = f"commonplace-{uuid.uuid4().hex[:12]}"

    def command(self) -> Sequence[str | Path]:
        """The runner with its jars; it counts ports from one above the base."""
        jars = fetch("opensearch")
        settings = self.data / "conf" / "opensearch.yml"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(_SETTINGS, "utf-8")
        classes = ":".join([f"{jars}/*", *(f"{plugin}/*" for plugin in sorted((jars / "plugins").iterdir()))])
        return [
            java(), *self._flags, f"-Xms{self._heap}", f"-Xmx{self._heap}", "-cp", classes, _RUNNER,
            "-basePath", self.data / "home", "-confPath", settings.parent, "-clusterName", self._name, "-numOfNode", "1",
            "-baseHttpPort", str(self.port - 1), "-pluginTypes", _PLUGINS, "-printOnFailure",
        ]  # fmt: skip

    def answers(self) -> bool:
        """Whether it is this very node that answers, and with every primary shard at hand."""
        status, body = self.ask(_HEALTH)
        return status == 200 and json.loads(body)["cluster_name"] == self._name


if __name__ == "__main__":
    run(OpenSearch, 9250)
