#!/bin/sh
# Makes a Debian 13 that boots already, with a network, into what the image is: Vagrant and Lima call it.
#   into-debian.sh CHECKOUT       whose dist/ has the wheels of `make wheels`; as root
set -eu
checkout=$1
programs=$(sed -n '/^# Programs that run inside the lab/,/^$/s/^\([a-z].*\)#.*/\1/p' "$checkout/binder/apt.txt")
apt-get -qq update
# shellcheck disable=SC2086 # one word for each package
DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends python3-venv gcc libc6-dev make $programs
id student >/dev/null 2>&1 || useradd --create-home --shell /bin/bash student

mkdir -p /opt/lab
chown student:student /opt/lab
as_student() { setpriv --reuid=student --regid=student --init-groups --reset-env "$@"; }
as_student python3 -m venv /opt/lab
as_student /opt/lab/bin/pip install --quiet --find-links "$checkout/dist" 'labkit[kernel,modules]' jupyterlab
as_student /opt/lab/bin/labkit chapters ~student/lost-packets

# Settings of JupyterLab and its token; what is the image's alone (disks, network, sudo) is not taken.
settings=$checkout/scripts/vm/settings
for path in etc/jupyter etc/systemd/system/jupyter.service etc/systemd/system/lab-token.service \
    usr/local/sbin/lab-token opt/lab/share; do
    mkdir -p "/$(dirname $path)"
    cp -r "$settings/$path" "/$(dirname $path)/"
done
systemctl daemon-reload
systemctl enable --now lab-token jupyter
