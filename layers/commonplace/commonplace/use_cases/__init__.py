"""The use cases of the tools. Use cases depend only on ports, and every interface calls them through `dispatch`."""
