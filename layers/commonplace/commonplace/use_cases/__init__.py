"""The use cases of the tools. They depend on ports only, and all interfaces call them through `dispatch`."""
