#!/bin/sh
# Brings a machine to where `make lab` and the others can start: system packages, .venv, lab kernel.
# Does nothing that is done already, and never takes a half for a whole. Run from the project's root.
#
#   setup.sh             for everything but the tests
#   setup.sh lab         for `make lab` alone: what serves the chapters; lab kernels are built beside it (lab.sh)
#   setup.sh test        for the tests too
#   setup.sh check       for `make check` alone: no lab kernel, and only the packages that it needs
#   setup.sh wheels      for `make wheels`, and so   setup.sh container   and   setup.sh vm
#
# PYTHON                 the interpreter to use (default: the first python3 of 3.11 to 3.13)
# LABKIT_KERNEL_SOURCE   a kernel tree or tarball: no kernel source is installed then
# LABKIT_KERNEL_WHEEL    a wheel of labkit-kernel: it goes into .venv, and no compilers are installed but for tests

set -eu
unset PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE
export PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1

VENV=.venv
purpose=${1:-}
apt_list=binder/apt.txt
lock=binder/requirements.lock

say() { printf '%s\n' "$@" >&2; }
die() { say "" "$@"; exit 1; }
digest() { sha256sum "$@" | sha256sum | cut -c1-64; }

# ---- System packages: named in binder/apt.txt ----

lines() {
    if [ "$purpose" = check ]; then grep '^[^#].*check' $apt_list
    elif compiles; then cat $apt_list
    else sed '/^# The lab kernel and the agent are compiled/,/^$/d' $apt_list
    fi
}
compiles() {
    case $purpose in
        test | wheels | container | vm) ;;
        *) [ -z "${LABKIT_KERNEL_WHEEL:-}" ] && ! kernel_is_packed ;;
    esac
}
packages() { echo $(lines | sed 's/#.*//'); }
# What makes the kernel in WebAssembly a program. Runs take less time then, but they can do without.
for_webassembly() { [ "$purpose" = check ] || ! compiles || sed -n 's/^# with-6.12: *//p' $apt_list; }
for_purpose() {
    case $purpose in
        test) name=tests ;;
        wheels) name=wheels ;;
        container | vm) name="\(wheels\|$purpose\)" ;; # which are made of wheels
        *) return 0 ;;
    esac
    sed -n "s/^# for-$name: *//p" $apt_list | while read -r package _ program; do
        [ -n "$program" ] && command -v "$program" >/dev/null || echo "$package"
    done
}
kernel_sources() { sed -n 's/^# kernel-source: *//p' $apt_list; }
installed() { dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p'; }
in_apt() { apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; }

missing_of() {
    have=$(installed "$@")
    for package in "$@"; do
        printf '%s\n' "$have" | grep -qxF "$package" || echo "$package"
    done
}

wants_kernel_source() {
    [ "$purpose" != check ] && compiles && [ -z "${LABKIT_KERNEL_SOURCE:-}" ] && ! kernel_is_ready && [ -z "$(installed $(kernel_sources))" ]
}

known() { for package in "$@"; do ! in_apt "$package" || echo "$package"; done; }

# The first kernel source that apt knows. None is no error: labkit can fetch one.
kernel_source() {
    for package in $(kernel_sources); do
        if in_apt "$package"; then echo "$package"; return; fi
    done
}

# The names given, where the lab kernel is built of Linux 6.12.
with_6_12() {
    named=${LABKIT_KERNEL_SOURCE:-$(installed $(kernel_sources))}
    case ${named:-$(kernel_source)} in *6.12*) echo "$@" ;; esac
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null >&2
}

apt_knows() {
    for package in $1; do in_apt "$package" || return 1; done
    [ -z "$2" ] || [ -n "$(kernel_source)" ]
}

to_install() { echo $wanted $(known $extra $(with_6_12 $faster)) ${source:+$(kernel_source)}; }

system_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        system_commands
        return
    fi
    wanted=$(missing_of $(packages))
    extra=$(missing_of $(for_purpose))
    faster=$(missing_of $(for_webassembly))
    source=$(if wants_kernel_source; then echo yes; fi)
    [ -n "$wanted$extra$faster$source" ] || return 0

    if ! as_root true 2>/dev/null; then
        # Nobody is sent to an administrator for faster runs alone.
        case $purpose in "" | lab) [ -n "$wanted$(known $extra)$source" ] || return 0 ;; esac
        names=$(to_install)
        [ -n "$names" ] || return 0
        die "System packages are missing, and installing them takes an administrator. Run this once:" "" \
            "    sudo apt-get update && sudo apt-get install --no-install-recommends $names" "" \
            "Then call make again."
    fi
    apt_knows "$wanted ${extra:+gcc} ${faster:+gcc}" "$source" || apt_get update # gcc: an apt that knows it has its lists
    names=$(to_install)
    [ -n "$names" ] || return 0
    say "Installing system packages: $names"
    apt_get install -y --no-install-recommends $names ||
        { apt_get update && apt_get install -y --no-install-recommends $names; } ||
        die "apt could not install: $names" "Its own words are above. Put that right, then call make again."
}

# Servers for the lab's hosts: out of their packages into .venv, where nothing starts them.
unpack() {
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 0
    for package in $(sed -n 's/^# unpacked: *//p' $apt_list); do
        place=$PWD/$VENV/unpacked
        [ ! -d "$place/$package" ] && in_apt "$package" || continue
        say "Unpacking $package into $VENV/unpacked"
        rm -rf "$place/part" && mkdir -p "$place/part/files"
        if (cd "$place/part" && apt-get -qq download "$package" >&2 && dpkg-deb -x ./*.deb files); then
            mv "$place/part/files" "$place/$package"
        else
            say "apt could not fetch $package: tests that need it are skipped."
        fi
        rm -rf "$place/part"
    done
}
# No apt here: look for the programs that the packages would bring.
system_commands() {
    missing=$(lines | sed -n 's/^\([a-z0-9.+-]*\).*#.*command: *\(.*\)/\1 \2/p' | while read -r package program; do
        command -v "$program" >/dev/null || echo "$package"
    done)
    [ -z "$missing" ] || die "Some programs are missing, and this machine has no apt to install them with." \
        "Install what your system calls these Debian packages, then call make again:" "" "    $(echo $missing)"
}

# ---- .venv: from the lock, then the project itself ----

is_python() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; }

find_python() {
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if is_python "$candidate"; then echo "$candidate"; return; fi
    done
    die "Python 3.11, 3.12 or 3.13 is needed; ${PYTHON:-python3} is $("${PYTHON:-python3}" -V 2>/dev/null || echo missing)." \
        "Install one and name it:  make lab PYTHON=/path/to/python3.12"
}

stamp_is() { [ "$(cat "$VENV/$1" 2>/dev/null)" = "$2" ]; }
origin() { "$1" -c 'import sys; print(sys.base_prefix, *sys.version_info[:2])' 2>/dev/null; }

# A stamp says of which lock, and in which folder (its scripts name it); a Python that is gone does not run.
venv_has() {
    stamp_is ".$1-installed" "$key" && made_of=$(origin $VENV/bin/python) &&
        { [ -z "${PYTHON:-}" ] || [ "$(origin "$PYTHON")" = "$made_of" ]; }
}

empty_venv() {
    python=$(find_python)
    "$python" -c 'import ensurepip, venv' 2>/dev/null || die "$python has no ensurepip." \
        "Install it (Debian, Ubuntu: apt-get install $(basename "$python")-venv), or name another Python:" \
        "    make lab PYTHON=/path/to/python3.12"
    rm -rf "$VENV"
    "$python" -m venv "$VENV"
    # Packages bring programs for node (JupyterLab: yarn.js) that are no ES modules, whatever our package.json says.
    echo '{"type": "commonjs"}' >"$VENV/package.json"
}

pip() { "$VENV/bin/python" -m pip "$@"; }
pin() { sed -n "/^$1==/,/^    # via/p" $lock; }

# uv asks where pip is set to ask.
uv_as_pip() {
    settings=$(pip config list)
    for name in index-url=UV_DEFAULT_INDEX extra-index-url=UV_INDEX find-links=UV_FIND_LINKS cert=SSL_CERT_FILE; do
        value=$(printf '%s\n' "$settings" | sed -n "s/^[^=]*\.${name%=*}='\(.*\)'$/\1/p" | sed '$!d')
        [ -z "$value" ] || export "${name#*=}=$value"
    done
    export UV_SYSTEM_CERTS=1
}

# By uv, which takes a tenth of pip's time and is in the lock itself; by pip where uv cannot.
# --no-deps: the lock names everything. An old pip would look for newer ones of what asks for extras.
install_locked() {
    set -- --quiet --no-deps --require-hashes --only-binary :all: -r "$1"
    pin uv >"$VENV/uv.txt"
    if [ -x "$VENV/bin/uv" ] || pip install --quiet --no-deps --require-hashes --only-binary :all: -r "$VENV/uv.txt"; then
        uv_as_pip
        if "$VENV/bin/uv" pip install --python "$VENV/bin/python" "$@"; then return; fi
    fi
    say "uv could not; pip takes a minute or two."
    pip install "$@"
}

virtual_environment() {
    key="$(digest $lock) $PWD"
    if [ "$purpose" = lab ]; then part=lab; else part=lock; fi
    if ! venv_has lock && ! venv_has $part; then
        venv_has lab || empty_venv
        say "Installing the locked Python packages into $VENV ($("$VENV/bin/python" -V))"
        case $part in
            # What serves the chapters, what builds lab kernels, and what installs labkit itself.
            lab) { "$VENV/bin/python" binder/locked.py lab build && pin setuptools; } >"$VENV/lab.txt" && wanted=$VENV/lab.txt ;;
            lock) wanted=$lock ;;
        esac
        install_locked "$wanted"
        echo "$key" >"$VENV/.$part-installed"
    fi
    key=$(digest pyproject.toml)
    if ! stamp_is .project-installed "$key"; then
        pip install --quiet --no-deps --no-index --no-build-isolation --editable .
        echo "$key" >"$VENV/.project-installed"
    fi
}

# What compiles for other systems, beside what the lock has.
cross_compiler() {
    key=$(digest scripts/wheels/requirements.txt)
    stamp_is .cross-compiler-installed "$key" && return 0
    pip install --quiet --no-deps --require-hashes --only-binary :all: -r scripts/wheels/requirements.txt
    echo "$key" >$VENV/.cross-compiler-installed
}

# ---- web/node_modules: what a browser tab runs, and what checks the JavaScript, from the lock ----

npm=web/node_modules

javascript() {
    if ! command -v npm >/dev/null; then
        say "No npm here: what runs in a browser tab is not tested."
        return
    fi
    key=$(digest web/package.json web/package-lock.json)
    [ "$(cat $npm/.lock-installed 2>/dev/null)" != "$key" ] || return 0
    say "Installing the locked npm packages into $npm"
    (cd web && npm ci --silent --no-audit --no-fund --ignore-scripts)
    echo "$key" >$npm/.lock-installed
}

# Pyodide's own build of pydantic's core, which the site hands to its pages. npm empties its folder when it changes.
core_for_pages() {
    key=$(digest web/programs/requirements.txt)
    place=$npm/.pyodide
    [ -d $npm/pyodide ] && [ "$(cat $place/.lock-installed 2>/dev/null)" != "$key" ] || return 0
    rm -rf $place
    if "$VENV/bin/python" -m pip download --quiet --no-deps --require-hashes --only-binary :all: \
        --platform pyemscripten_2026_0_wasm32 --python-version 3.14 --implementation cp --abi cp314 \
        --dest $place -r web/programs/requirements.txt >&2; then
        echo "$key" >$place/.lock-installed
    else
        say "pip could not fetch it: pages of the site will not compile experiments."
    fi
}

# ---- The lab kernel: labkit builds it, once per user ----

# Both forms of an installed labkit-kernel, and its programs, are of this labkit: nothing is left to compile.
kernel_is_packed() {
    [ -x $VENV/bin/labkit ] && $VENV/bin/python -P -c '
import sys
from labkit.execute.artifacts.binaries import sources_key
from labkit.execute.artifacts.ready import ready, ready_program
from labkit.execute.guest.kernel.config import recipe
from labkit.execute.wasm.sources import sources_key as of_program
made, program = ready(), ready_program()
sys.exit(
    made is None or program is None
    or (made.recipe, made.sources, program.sources) != (recipe(), sources_key(), of_program())
)' 2>/dev/null
}

ready_made_kernel() {
    [ -n "${LABKIT_KERNEL_WHEEL:-}" ] || return 0
    key=$(digest "$LABKIT_KERNEL_WHEEL")
    if ! stamp_is .kernel-installed "$key"; then
        pip install --quiet --no-deps --no-index --force-reinstall "$LABKIT_KERNEL_WHEEL"
        echo "$key" >$VENV/.kernel-installed
    fi
    kernel_is_packed || die "LABKIT_KERNEL_WHEEL=$LABKIT_KERNEL_WHEEL is not the lab kernel of this labkit." \
        "Name one that was made of this checkout (make wheels), or none: then the kernel is built here."
}

kernel_is_ready() { [ -x $VENV/bin/labkit ] && $VENV/bin/labkit kernel status >/dev/null 2>&1; }

# As pages and node run it. It needs clang 19 and Linux 6.12: where these are not, its tests are skipped and say so.
kernel_for_pages() {
    $VENV/bin/labkit kernel status --wasm >/dev/null 2>&1 || $VENV/bin/labkit kernel build --wasm ||
        say "There will be no tests of the lab kernel in pages and in node."
}

# ---- All of it, one set-up at a time ----

case $purpose in
    "" | lab | test | check | wheels | container | vm) ;;
    *) die "$purpose: setup.sh knows lab, test, check, wheels, container and vm." ;;
esac
[ -f $lock ] || die "Run me from the project's root: scripts/setup.sh"
if command -v flock >/dev/null; then
    exec 9>.setup.lock
    flock -n 9 || { say "Another set-up is at work here; waiting for it."; flock 9; }
fi
[ -x "$VENV/bin/python" ] || find_python >/dev/null
system_packages
virtual_environment
ready_made_kernel
case $purpose in wheels | container | vm) cross_compiler ;; esac
[ "$purpose" != test ] || unpack
case $purpose in test | check) javascript && core_for_pages ;; esac
case $purpose in "" | test) kernel_is_ready || $VENV/bin/labkit kernel build ;; esac
[ "$purpose" != test ] || kernel_for_pages
