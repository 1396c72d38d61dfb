"""The composition root: the only package that imports adapters, each when it is first needed."""
