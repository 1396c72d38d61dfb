"""What models are told, how others' words travel to them, and what is read of an answer."""
