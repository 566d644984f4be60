#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# tools/install.sh on systems that this machine is not: what it finds on PATH is all that it knows of them.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# system NAME PROGRAMS...: a folder of programs; each is this machine's, or the script of that name below.
system() {
    path=$scratch/$1
    mkdir -p "$path"
    shift
    for program in sh dirname cut sort head awk id grep env sed "$@"; do
        rm -f "$path/$program"
        if [ -f "$scratch/scripts/$program" ]; then cp "$scratch/scripts/$program" "$path/"; else
            ln -s "$(command -v "$program")" "$path/"
        fi
    done
}

script() {
    mkdir -p "$scratch/scripts"
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/scripts/$1"
    chmod +x "$scratch/scripts/$1"
}

# expect NAME CODE TEXT: `install.sh run` there ends with this code and says the text.
expect() {
    code=0
    said=$(env -i PATH="$path" HOME="$scratch" tools/install.sh run 2>&1) || code=$?
    if [ "$code" != "$2" ] || ! echo "$said" | grep -qF -- "$3" || { [ "$2" = 4 ] && [ "$(echo "$said" | tail -n 1 | cut -c 1-9)" != "install: " ]; }; then
        echo "FAIL install: $1: exit code $code: $said"
        failed=1
    else echo "PASS install: $1"; fi
}

touch "$scratch/libc.a"
script cargo 'echo "cargo 1.85.0"'
script rustc 'echo "host: x86_64-unknown-linux-gnu"'
script make :
script gcc "echo $scratch/libc.a"
script objcopy :
script gzip :
system fedora gcc make objcopy gzip cargo rustc
expect "without apt-get, all there" 0 ""

script cargo '[ "$1" != fetch ] || { echo "error: failed to download"; exit 101; }; echo "cargo 1.85.0"'
system offline gcc make objcopy gzip cargo rustc
expect "no network for the libraries" 4 "cannot fetch the Rust libraries"
script cargo 'echo "cargo 1.85.0"'

system bare gcc objcopy cargo
expect "without apt-get, two missing" 4 "missing here: make gzip"

script gcc 'echo libc.a'
system dynamic gcc make objcopy gzip cargo
expect "no static C library" 4 "missing here: libc.a"

script gcc "echo $scratch/libc.a"
script cargo 'echo "cargo 1.75.0"'
system old gcc make objcopy gzip cargo
expect "Rust too old, without apt-get" 4 "missing here: Rust-1.85-or-newer"

script apt-get 'echo "$@"'
script sudo 'exec "$@"'
script dpkg-query 'echo "install ok installed"'
script dpkg '[ "$(printf "%s\n%s\n" "$4" "$2" | sort -V | head -n 1)" = "$4" ]'
script apt-cache 'case $2 in rustc | cargo) echo "  Candidate: 1.75" ;; *) echo "  Candidate: (none)" ;; esac'
system ubuntu gcc cargo apt-get sudo dpkg-query dpkg apt-cache
expect "Rust too old, and no newer package" 4 "install it from https://rustup.rs"

script rustup :
system rustup gcc cargo rustup apt-get sudo dpkg-query dpkg apt-cache
expect "Rust of rustup too old" 4 "here is cargo 1.75.0: rustup update"

script apt-cache 'echo "  Candidate: 1.85"'
system debian13 gcc cargo rustc apt-get sudo dpkg-query dpkg apt-cache
expect "Rust of the system's own" 0 "install -y -q --no-install-recommends rustc cargo"

script apt-cache 'case $2 in *-web) echo "  Candidate: 1.96" ;; *) echo "  Candidate: 1.63" ;; esac'
system debian12 gcc cargo rustc apt-get sudo dpkg-query dpkg apt-cache
expect "Rust of the security archive" 0 "install -y -q --no-install-recommends rustc-web cargo-web"

script apt-get '[ "$1" = update ] || { echo "E: Unable to locate package"; exit 100; }'
script dpkg-query 'exit 1'
system unreachable gcc cargo apt-get sudo dpkg-query dpkg apt-cache
expect "no network for apt-get" 4 "apt-get cannot install gcc libc6-dev make"

script id 'echo 1000'
system nobody gcc cargo apt-get dpkg-query dpkg apt-cache id
expect "neither root nor sudo" 4 "this needs root, and there is no sudo: apt-get update"
exit $failed
