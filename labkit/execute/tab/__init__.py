"""The place "tab": the lab kernel for 32 bits under an emulator, as in a browser tab, here in node."""
