"""One run: from an experiment to its result, its limits, and what is said of one that fails."""
