# SPDX-License-Identifier: MIT OR Apache-2.0
# Sourced by tools/bench_guests.sh: the emulated machine that a guest boots on, by BACKWALL_MACHINE: x86_64 (this one's kind) or aarch64.
# machine_for MACHINE sets compiler, strip, emulator, console, debian and tool; machine_lacks says what is missing here.
# machine_programs ROOT WORK puts what the guests call below ROOT.

machine_for() {
    debian=$(. tools/target.sh && debian_of "$1")
    case "$1" in
    x86_64)
        compiler=gcc strip=strip console=ttyS0
        emulator_of_machine=(qemu-system-x86_64 -cpu max)
        tool=${BACKWALL:-target/release/backwall}
        ;;
    aarch64)
        compiler=$1-linux-gnu-gcc strip=$1-linux-gnu-strip console=ttyAMA0
        emulator_of_machine=(qemu-system-aarch64 -machine virt,gic-version=3 -cpu cortex-a57,cntfrq=1000000000)
        tool=${BACKWALL:-target/cross/aarch64/backwall}
        ;;
    *)
        echo "bench: want x86_64 or aarch64, not \"$1\"" >&2
        return 2
        ;;
    esac
}

# What is not here, in one line; nothing where all is.
machine_lacks() {
    local program
    for program in "$compiler" "$strip" "${emulator_of_machine[0]}" cpio; do
        type -P "$program" >/dev/null || { echo "$program is not installed" && return; }
    done
    [ -x "$tool" ] || echo "there is no $tool: $([ "$1" = x86_64 ] && echo cargo build --release || echo "tools/cross.sh $1")"
}

# Programs of the guests' first process, by name.
PROGRAMS="sh awk bash basename cat cut dirname grep head kill mkdir mkfifo mount rm rmdir sed sleep sort tail tr uname wc yes"

# put PROGRAM PLACE ROOT: a program and the libraries that it asks for.
put() {
    local library
    install -D "$1" "$3/$2"
    for library in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*' || true); do
        [ -e "$3$library" ] || install -D "$library" "$3$library"
    done
}

# This machine's own; for another machine Debian's static busybox and bash.
machine_programs() {
    local root=$1 program
    if [ "$debian" = "$(dpkg --print-architecture)" ]; then
        for program in $PROGRAMS; do put "$(type -P "$program")" "bin/$program" "$root"; done
        return
    fi
    static_package busybox-static "$2" && static_package bash-static "$2" || return
    install -D "$2/bin/busybox" "$root/bin/busybox"
    for program in $PROGRAMS; do ln -sf busybox "$root/bin/$program"; done
    rm "$root/bin/bash" && install "$2/bin/bash-static" "$root/bin/bash"
}

# static_package NAME WORK: unpacks Debian's package of the machine's architecture, with the lists that the lab keeps for its kernels.
static_package() {
    local lists=${XDG_CACHE_HOME:-$HOME/.cache}/backwall/linux/lists-$debian
    [ -d "$lists/lists" ] || { echo "bench: no package lists for $debian: backwall lab run linux-stock-arm64 reads them" >&2 && return 4; }
    local options=(-o "APT::Architecture=$debian" -o "APT::Architectures=$debian" -o "Dir::State::lists=$lists/lists"
        -o "Dir::Cache=$lists" -o Dir::State::status=/dev/null)
    mkdir -p "$2"
    (cd "$2" && apt-get "${options[@]}" download -q "$1" >"$1.said" 2>&1) || { echo "bench: $1 for $debian: $(tail -n 1 "$2/$1.said")" >&2 && return 4; }
    dpkg-deb -x "$2/$1"_*.deb "$2"
}
