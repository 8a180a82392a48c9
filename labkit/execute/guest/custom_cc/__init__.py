"""A congestion control of one's own, written in a cell: from its text to a module, and from a crash to its
line."""
