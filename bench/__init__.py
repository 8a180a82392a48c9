"""How fast labkit is on this machine: `python -m bench`. Knows what was asked for; judges nothing else."""
