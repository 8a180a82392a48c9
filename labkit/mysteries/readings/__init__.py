"""What the tools print, read: one file per tool. Each function takes a transcript and knows nothing else."""
