"""What the use cases need of the world, as protocols, one file each; every adapter of one passes one suite."""
