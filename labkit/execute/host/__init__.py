"""The place "host": namespaces on the machine's own kernel, in real time."""
