"""Where a stranger's notebook runs: bubblewrap's walls, limits, a user and a group of processes of its
own."""
