"""What is made once and kept: compiled programs, results, what packages bring ready-made; and its folder."""
