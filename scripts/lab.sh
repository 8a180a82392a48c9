#!/bin/sh
# Serves JupyterLab on the chapters. A browser is opened only where there is a screen to open it on.
# More options for JupyterLab: make lab LAB="--port 9000"

set -eu
set -- --ServerApp.root_dir=chapters
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || set -- "$@" --no-browser
[ "$(id -u)" != 0 ] || set -- "$@" --allow-root
exec .venv/bin/jupyter lab "$@" ${LAB:-}
