#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Faults that really make a loop late, planted here and in guests, found and mended by `backwall tune`; and how long the lab's matrix of 20
# options on 2 kernels takes. One tab-separated line a figure: name value unit goal met peer peer_value conditions. As root.
set -u
# Faults take a minute each, and the matrix ten.
BENCH_SECONDS=2400
cd "$(dirname "$0")/.."
tool=$(realpath "${BACKWALL:-target/release/backwall}")
out=$PWD/target/bench/tune
rm -rf "$out" && mkdir -p "$out"
gcc -O2 -std=c11 -Wall -Wextra -Werror -static -o "$out/faults" probe/bench/faults.c
HERE='daemon-at-99 low-priority no-priority beside-a-hog cpuset huge-pages page-merging kernel-thread'
here=${BACKWALL_FAULTS-$HERE}
# A guest has one processor and counts instructions: RT throttling of 6.1 and the fair server that came after it, a quota with nobody else
# there, and the thread of an interrupt, of a serial line that is written to.
guests=${BACKWALL_GUESTS-6.1:throttling 6.1:quota 6.12:fair-server 6.1:interrupt-thread}
BACKWALL=$tool FAULTS=$out/faults tools/tune_faults.sh "$out/here" $here >"$out/here.tsv"

# image FAULT...: a guest's first files: busybox, the tool with its libraries, and a first process that plants these faults.
image() {
    local root=$out/root library
    rm -rf "$root" && mkdir -p "$root"/{bin,proc,sys,dev,tmp,var/lib,etc,root}
    cp "$(command -v busybox)" "$root/bin/busybox" && cp "$out/faults" "$root/bin/"
    strip -o "$root/bin/backwall" "$tool"
    for library in $(ldd "$tool" 2>/dev/null | grep -o '/[^ ]*'); do
        mkdir -p "$root/$(dirname "$library")" && cp -L "$library" "$root/$library"
    done
    cp tools/tune_faults.sh "$root/bin/"
    echo guest >"$root/etc/machine-id"
    cat >"$root/init" <<I
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root BACKWALL=/bin/backwall FAULTS=/bin/faults BACKWALL_SLICE=1s
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
mount -t debugfs debug /sys/kernel/debug; mount -t tracefs trace /sys/kernel/tracing; mount -t cgroup2 none /sys/fs/cgroup
cd /tmp && tune_faults.sh /tmp/faults $* | sed 's/^/FAULT /'
cat /tmp/faults/log
poweroff -f
I
    chmod +x "$root/init"
    (cd "$root" && find . | cpio -o -H newc --quiet) >"$out/image"
}

# in_guest KERNEL FAULT: the newest kernel of that kind which the lab has fetched.
in_guest() {
    local kernel
    kernel=$(ls -d "${XDG_CACHE_HOME:-$HOME/.cache}"/backwall/linux/linux-image-"$1".*/boot/vmlinuz-* 2>/dev/null | grep -v -e -rt- -e arm64 | sort -V | tail -n 1)
    [ -n "$kernel" ] || { printf '%s-in-a-guest\t-\tno\tno kernel %s is here: backwall lab run fetches it\n' "$2" "$1" && return; }
    image "$2"
    local more=''
    [ "$2" != interrupt-thread ] || more='threadirqs preempt=full'
    timeout 900 qemu-system-x86_64 -accel tcg -icount shift=0,sleep=off,align=off -rtc clock=vm -smp 1 -m 1536 -nodefaults -display none -no-reboot \
        -cpu max -append "console=ttyS0 quiet panic=-1 rdinit=/init $more" -kernel "$kernel" -initrd "$out/image" -serial "file:$out/$2.console" -serial null </dev/null
    tr -d '\r' <"$out/$2.console" | sed -n "s/^FAULT \([^\t]*\)/\1-in-a-guest-of-$1/p"
}

for one in $guests; do in_guest "${one%%:*}" "${one##*:}"; done >"$out/guests.tsv"

cat "$out/here.tsv" "$out/guests.tsv" | tee "$out/faults.tsv" | awk -F '\t' -v OFS='\t' '
    { tried++; mended += $3 == "yes"; print "tune.mended " $1, ($3 == "yes" ? 1 : 0), "of 1", "1", $3, "-", "-", $2 ": " $4 }
    END { print "tune.mended", mended + 0, "of " tried, ">= 11 of 12", (tried > 0 && mended * 12 >= tried * 11 ? "yes" : "no"), "-", "-", "faults planted with a real effect" }'

[ "${BACKWALL_MATRIX:-yes}" = yes ] || exit 0
begun=$(date +%s)
if "$tool" lab tune linux-stock linux-rt >"$out/matrix.txt" 2>"$out/matrix.err"; then
    seconds=$(($(date +%s) - begun))
    met=$([ $seconds -le 600 ] && echo yes || echo no)
    printf 'tune.matrix\t%s\ts\t<= 600\t%s\t-\t-\t20 options on 2 kernels, by function; %s processors\n' $seconds "$met" "$(nproc)"
else
    printf 'tune.matrix\t-\ts\t<= 600\tno\t-\t-\t%s\n' "$(tail -n 1 "$out/matrix.err")"
fi
