"""The kernel's half of the module: its architecture, its configuration, and how it is compiled."""
