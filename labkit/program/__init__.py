"""A lab program: its records as bytes, one after another. Knows the agent's format; knows no networks."""
