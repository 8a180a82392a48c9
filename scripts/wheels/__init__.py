"""`make wheels`: what pip installs, and the source that belongs to it, into dist/."""
