"""What the use cases need of the world, as protocols; every adapter of one passes one suite."""
