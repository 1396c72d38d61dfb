"""The steps of the Dockerfile, run in a bare environment in the place of a container, and the server that comes of them."""

import http.client
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dockerfile import ROOT, stages

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]
VENV = "/opt/commonplace"


def test_its_steps_install_a_server_that_serves_by_tokens(tmp_path: Path) -> None:
    build, shipped = stages()
    source, venv, data = (tmp_path / name for name in ("source", "venv", "data"))
    source.mkdir()
    data.mkdir()
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    for word, rest in build.instructions:
        if word == "COPY":
            *named, target = shlex.split(rest)
            for name in named:
                whole, to = ROOT / name, source / (name if target == "./" else target)
                shutil.copytree(whole, to) if whole.is_dir() else shutil.copy(whole, to)
        elif word == "RUN":
            step = re.sub(r"^python ", f"{shlex.quote(sys.executable)} ", rest.replace(VENV, str(venv)))
            subprocess.run(["/bin/sh", "-c", step], cwd=source, env=bare, check=True)
    env = {**bare, "PATH": f"{venv}/bin:/usr/bin:/bin", "COMMONPLACE_DB": str(data / "memory.db")}
    tokens = str(data / "tokens.json")
    add = ["commonplace", "token", "add", "ana", "--tokens", tokens, "--json"]
    token = json.loads(subprocess.run(add, env=env, check=True, capture_output=True).stdout)["token"]
    command = json.loads(shipped.all("ENTRYPOINT")[0]) + json.loads(shipped.all("CMD")[0])
    told = {"/data/tokens.json": tokens, "0.0.0.0": "127.0.0.1"}  # nothing is opened to others by a test
    with subprocess.Popen(
        [*(told.get(part, part) for part in command), "--port", "0"], env=env, cwd=data, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            first = server.stdout.readline()
            assert "/mcp" in first
            port = re.findall(r"127\.0\.0\.1:(\d+)", first)[0]
            check = json.loads(shipped.all("HEALTHCHECK")[0].partition("CMD ")[2])
            subprocess.run([part.replace("8787", port) for part in check], env=env, check=True)
            connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
            for given, status in ((f"Bearer {token}", 200), ("Bearer x", 401)):
                connection.request("POST", "/tools/search_memory", '{"query": "tea"}', {"Authorization": given})
                answer = connection.getresponse()
                answer.read()
                assert answer.status == status
            connection.close()
        finally:
            server.terminate()
