#!/bin/sh
# Serves JupyterLab on the chapters, and meanwhile builds the lab kernels, if there are none. A browser is opened
# only where there is a screen to open it on.
# Options for JupyterLab itself: make lab LAB="--port 9000"

set -eu
# Beside the reader's own settings, ours: a chapter's .md opens as a notebook. Binder takes the same folder.
export JUPYTER_CONFIG_PATH="$PWD/binder/jupyter${JUPYTER_CONFIG_PATH:+:$JUPYTER_CONFIG_PATH}"
set -- --ServerApp.root_dir=chapters --LabApp.extension_manager=readonly --log-level=WARN
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || set -- "$@" --no-browser
[ "$(id -u)" != 0 ] || set -- "$@" --allow-root
if ! .venv/bin/labkit kernel status >/dev/null 2>&1; then
    nice .venv/bin/labkit kernel build --beside $$ </dev/null >/dev/null & # on standard error it says what is ready
fi
export PATH="$PWD/.venv/bin:$PATH" # labkit in JupyterLab's terminals
exec .venv/bin/jupyter lab "$@" ${LAB:-}
