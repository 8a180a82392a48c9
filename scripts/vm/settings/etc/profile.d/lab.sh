# shellcheck shell=sh
export PATH="/opt/lab/bin:$PATH"
