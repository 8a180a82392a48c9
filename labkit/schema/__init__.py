"""How every description is made: frozen, validated, JSON in and out. Knows nothing of networks."""
