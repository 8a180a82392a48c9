"""Carrying out a lab program: run(), the results at hand, the C agent, and a room per place to run it in."""
