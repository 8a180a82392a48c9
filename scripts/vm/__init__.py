"""`make vm`: the laboratory as a virtual machine, into dist/vm/."""
