"""What works on this machine, what to do about the rest, and whether its figures are true."""
