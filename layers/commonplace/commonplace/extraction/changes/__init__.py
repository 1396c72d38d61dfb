"""Which memories a statement leaves untrue, and what of them stays."""
