"""What flows over a network: one file per kind of traffic, with its spec, its record and its decoder."""
