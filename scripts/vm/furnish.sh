#!/bin/sh
# In the new system, once, when its packages are there: the user, Python's packages, the chapters, what starts at boot.
# Expects lab.txt, a part of the lock, in /lab-wheels, and the wheels of it and of labkit.
set -eu
umask 022
export TMPDIR=/var/tmp PIP_DISABLE_PIP_VERSION_CHECK=1
export PYTHONHASHSEED=0 # the order of sets is in bytecode
export PYTHONDONTWRITEBYTECODE=1
useradd --create-home --uid 1000 --shell /bin/bash student
passwd --quiet --delete student

python3 -m venv /opt/lab
install="/opt/lab/bin/pip install --quiet --no-index --find-links /lab-wheels --no-deps --no-compile --no-cache-dir"
$install --require-hashes --requirement /lab-wheels/lab.txt
$install labkit labkit-kernel labkit-kernel-tree
/opt/lab/bin/pip check
# By the content of a source, not by its time, which is another one in the image. -f: some was compiled before, by time, and
# Debian's debpython now one way and now the other.
/opt/lab/bin/python -m compileall -q -f --invalidation-mode checked-hash /opt/lab/lib /usr/share/python3
chown -R student:student /opt/lab
setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/home/student /opt/lab/bin/labkit chapters /home/student/lost-packets

systemctl enable --quiet lab-token jupyter systemd-networkd systemd-resolved
ln -sf ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf
rm -f /etc/.resolv.conf.systemd-resolved.bak # the builder's
dpkg-query -W >/usr/share/lost-packets.txt
/opt/lab/bin/pip freeze --all >>/usr/share/lost-packets.txt

# Each machine makes its own.
: >/etc/machine-id
# /tmp is mmdebstrap's: apt's settings for this system lie there until it has cleaned up. Without them it would clean the host.
rm -rf /var/lib/systemd/random-seed /lab-wheels /home/student/.cache /var/tmp/*
