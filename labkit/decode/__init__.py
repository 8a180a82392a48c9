"""Raw files to tables: the only part that knows the agent's and the kernel's bytes.

raw.py finds the records; the others each read one kind of them. Each documents its columns in UNITS.
Nothing is imported here: raw.py must not wait for pandas.
"""
