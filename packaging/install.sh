#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Installs backwall from the unpacked archive that this script lies in, on any Linux:
#   ./install.sh [--prefix DIR] [--remove]
# DIR is /usr/local for root and ~/.local for anybody else. --remove takes away what the same line has installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=
remove=no

usage() {
    echo "install.sh: $1: usage: install.sh [--prefix DIR] [--remove]" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case "$1" in
    --prefix)
        [ $# -gt 1 ] || usage "--prefix needs a folder"
        prefix=$2
        shift
        ;;
    --remove) remove=yes ;;
    *) usage "$1 is not known" ;;
    esac
    shift
done

if [ -z "$prefix" ]; then
    if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:?install.sh: name a folder with --prefix}/.local; fi
fi
[ -f "$here/bin/backwall" ] || {
    echo "install.sh: $here/bin/backwall is not there: run this script in the unpacked archive" >&2
    exit 2
}
"$here/bin/backwall" --version >/dev/null 2>&1 || {
    echo "install.sh: this machine ($(uname -s) on $(uname -m)) does not run $here/bin/backwall: take the archive for it" >&2
    exit 4
}

files() {
    (cd "$here" && find bin share -type f)
}

# Gives the file the two rights with which it measures at real-time priority; only root can.
permit() {
    if [ "$(id -u)" = 0 ] && setcap cap_sys_nice,cap_ipc_lock=p "$prefix/bin/backwall" 2>/dev/null; then
        echo "install.sh: ordinary users measure at real-time priority with it"
    else
        echo "install.sh: for real-time priority as an ordinary user: sudo setcap cap_sys_nice,cap_ipc_lock=p $prefix/bin/backwall"
    fi
}

if [ "$remove" = yes ]; then
    files | while read -r file; do rm -f "$prefix/$file"; done
    rmdir "$prefix/share/doc/backwall" 2>/dev/null || true # its own; the others are everybody's
    echo "install.sh: removed from $prefix"
    exit 0
fi

files | while read -r file; do
    mode=644
    case "$file" in bin/*) mode=755 ;; esac
    mkdir -p "$prefix/$(dirname "$file")"
    # Moved into place: a running tool keeps its file.
    cp "$here/$file" "$prefix/$file.new"
    chmod $mode "$prefix/$file.new"
    mv "$prefix/$file.new" "$prefix/$file"
done
echo "install.sh: $prefix/bin/backwall"
permit
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "install.sh: $prefix/bin is not on PATH" ;; esac
