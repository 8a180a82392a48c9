"""The place "guest": a User-Mode Linux kernel in virtual time, an ordinary process of the user."""
