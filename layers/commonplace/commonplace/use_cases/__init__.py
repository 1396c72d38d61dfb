"""The use cases of the tools. They depend only on ports, and every interface calls them through `dispatch`."""
