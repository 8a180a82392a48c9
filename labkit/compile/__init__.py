"""An experiment becomes a lab program. The bytes of netlink are made in netlink/ and qdiscs/."""
