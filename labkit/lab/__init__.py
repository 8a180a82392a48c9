"""The open laboratory: a network to try things in, whose clock stands still between two calls."""
