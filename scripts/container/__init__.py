"""`make container`: the image of the Containerfile, built by podman, and tried by tests/container."""
