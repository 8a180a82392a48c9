"""How this session runs what it runs: recorded, shaken, hardened; and whether somebody watches it."""
