"""The machine that runs take place on: its processors, memory and limits, and our processes on it."""
