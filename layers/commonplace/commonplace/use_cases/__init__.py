"""The tools' use cases, a file per family. They depend on ports only; all interfaces call them through `dispatch`."""
