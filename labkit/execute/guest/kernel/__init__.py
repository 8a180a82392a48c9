"""The lab kernel as a thing to build: where its source is, its configuration and patches, modules for it."""
