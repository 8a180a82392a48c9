"""The lab kernel as WebAssembly: one module of kernel and agent, the same in every engine."""
