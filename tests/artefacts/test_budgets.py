"""What the built functions weigh and what their start costs, held to budgets and reported in `.aws-sam/sizes.json`."""

import json
from pathlib import Path

import pytest

from cloud.built import folders, unzipped, zipped
from cloud.lambda_runtime import PYTHON, other_handler, started
from tests.stack import ROOT, Stack

FUNCTIONS = tuple(Stack().functions())
ARCHITECTURES = ("arm64", "x86_64")
LIMIT = 250.0
"""MB that Lambda takes unzipped of a function with its layers."""
EMBEDDING = {"normalize", "store", "search", "discover", "write", "read", "summarize", "transfer", "maintenance", "night"}
ASKING_CLAUDE = {"normalize", "summarize", "night"}
UNZIPPED, ENCODERS_UNZIPPED, CLAUDE_UNZIPPED, MCP_UNZIPPED = 90.5, 118.0, 30.0, 31.0
ZIPPED, ENCODERS_ZIPPED = 30.0, 84.5  # vectors and weights hardly shrink
INIT_SECONDS = {"search": 0.4, "discover": 0.4, "record": 0.7, "plan": 0.7, "night": 0.7, "maintenance": 0.8, "mcp": 1.2}
OTHERS_SECONDS = 0.5
INIT_MEMORY = 100.0
HANDLERS = {"empty": "", "libraries": "import numpy, pydantic\nclass Model(pydantic.BaseModel):\n    x: int\n"}
USUAL_SECONDS = 0.2
"""What a start that imports the libraries takes on the machine of the budgets; budgets grow with it on a slower one."""
_FEWEST_ROUNDS, _MOST_ROUNDS = 4, 20
_SIZES = ROOT / ".aws-sam" / "sizes.json"


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_with_its_layers_is_small(function: str, architecture: str) -> None:
    weight = sum(unzipped(built) for built in folders(function, architecture))
    tell(f"{function} {architecture} unzipped MB", weight)
    encoders = ENCODERS_UNZIPPED if function in EMBEDDING else 0.0
    asking = CLAUDE_UNZIPPED if function in ASKING_CLAUDE else MCP_UNZIPPED if function == "mcp" else 0.0
    assert weight <= UNZIPPED + encoders + asking < LIMIT - 11.0


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(
    "layer", ["DependenciesLayer", "ClaudeLayer", "TracingLayer", "CommonplaceLayer", "EncodersLayer", "McpLayer"]
)
def test_a_layer_can_be_uploaded(layer: str, architecture: str) -> None:
    (built,) = (path for path in folders("mcp" if layer == "McpLayer" else "night", architecture) if path.name == layer)
    weight = zipped(built)
    tell(f"{layer} {architecture} unzipped MB", unzipped(built))
    tell(f"{layer} {architecture} zipped MB", weight)
    assert weight <= (ENCODERS_ZIPPED if layer == "EncodersLayer" else ZIPPED)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_everything_is_built_for_the_architecture_that_it_runs_on(architecture: str) -> None:
    machine = {"arm64": b"\xb7", "x86_64": b"\x3e"}[architecture]
    built = {*folders("night", architecture), *folders("mcp", architecture)}
    libraries = [path for each in built for path in each.rglob("*.so*")]
    assert len(libraries) > 20
    assert not [path for path in libraries if path.read_bytes()[18:19] != machine]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_layers_are_compiled_before_they_are_read_only(architecture: str) -> None:
    sources = [
        path
        for package in folders("mcp", architecture)
        if package.name in ("CommonplaceLayer", "McpLayer")
        for path in (package / "python").rglob("*.py")
    ]
    assert sources
    assert not [path for path in sources if not any((path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"))]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(
    "package", ["boto3", "botocore", "grpc", "mcp", "starlette", "uvicorn", "pytest", "numpy/_core/tests", "google"]
)
def test_nothing_is_carried_that_the_runtime_has_or_nobody_calls(package: str, architecture: str) -> None:
    assert not [built for built in folders("night", architecture) if (built / "python" / package).exists()]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_starts_soon(function: str, tmp_path: Path) -> None:
    """Processor time until the handler is imported, beyond what the interpreter and the runtime client take.

    Other work on the machine can only make a start slower, so the fastest of several starts count. There are more rounds
    while they are over the budget.
    """
    nothing, libraries = (other_handler(tmp_path / name, text) for name, text in HANDLERS.items())
    rounds: list[list[tuple[float, float]]] = []
    while True:
        rounds.append([cost(function, handler, tmp_path) for handler in (nothing, libraries, {})])
        (empty, _), (usual, _), (whole, memory) = (
            map(min, zip(*starts, strict=True)) for starts in zip(*rounds, strict=True)
        )
        seconds, budget = whole - empty, INIT_SECONDS.get(function, OTHERS_SECONDS) * max(1.0, usual / USUAL_SECONDS)
        is_within = seconds <= budget and memory <= INIT_MEMORY
        if len(rounds) >= (_FEWEST_ROUNDS if is_within else _MOST_ROUNDS):
            break
    tell(f"{function} init s", seconds)
    tell(f"{function} init MB", memory)
    assert memory <= INIT_MEMORY
    assert seconds <= budget


def test_the_runtime_client_is_the_real_one() -> None:
    assert list(PYTHON.parent.parent.glob("lib/python3.13/site-packages/awslambdaric/bootstrap.py"))


def cost(function: str, environment: dict[str, str], folder: Path) -> tuple[float, float]:
    """Seconds of processor time and MB of a container that waits for its first invocation."""
    with started(function, environment, folder / "start.log") as container:
        return container.cpu(), container.memory()


def tell(what: str, number: float) -> None:
    told = json.loads(_SIZES.read_text("utf-8")) if _SIZES.exists() else {}
    _SIZES.write_text(json.dumps(told | {what: round(number, 3)}, indent=1, sort_keys=True) + "\n", "utf-8")
