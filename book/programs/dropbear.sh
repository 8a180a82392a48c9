# An SSH server. It lets in whose shell stands in /etc/shells, which programs in the lab do not see: so it gets a copy
# of /etc that has one. Mounting takes a command that is privileged. $1: its host key.
mkdir /tmp/etc
cp -r /etc/. /tmp/etc
getent passwd root | cut -d: -f7 > /tmp/etc/shells
mount --bind /tmp/etc /etc
exec dropbear -F -E -s -r "$1" -P /tmp/dropbear.pid 2> /tmp/dropbear.log
