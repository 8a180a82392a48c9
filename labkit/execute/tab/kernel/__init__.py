"""The kernel of the tab, over that of the guest."""
