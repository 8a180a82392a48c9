"""Which walls stand around a guest on this machine, by trying to get out."""
