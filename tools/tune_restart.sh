#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# A trial of the boot line over a real restart of an emulated Debian: `backwall tune boot nohz=off --apply` is killed in its third slice,
# gone on with, and the machine is started again with the option, as its boot loader would do; there the unit goes on by itself and
# decides. As root, with mmdebstrap, which brings the Debian. BACKWALL is the tool. Consoles stay in target/restart.
set -euo pipefail
cd "$(dirname "$0")/.."
option=${BACKWALL_OPTION:-nohz=off}
out=$PWD/target/restart
for program in mmdebstrap mke2fs qemu-system-x86_64; do
    command -v $program >/dev/null 2>&1 || { echo "SKIP tune_restart: no $program; on Debian: tools/install.sh soak" && exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "SKIP tune_restart: a Debian is made as root here" && exit 0; }
tool=${BACKWALL:-}
[ -n "$tool" ] || { . tools/rust.sh && cargo build --quiet --locked && tool=target/debug/backwall; }
rm -rf "$out" && mkdir -p "$out"
emulator=
trap '[ -z "$emulator" ] || kill -9 "$emulator" 2>/dev/null || true; rm -rf "$out/root" "$out/disk"' EXIT

# What each start of the machine does: the first begins the trial, loses its tool in the middle, and restarts; the second waits for the unit.
guest() {
    cat <<'S'
#!/bin/bash
exec >/dev/ttyS0 2>&1
echo "START $(cat /proc/sys/kernel/random/boot_id) $(cat /proc/cmdline)"
if [ -e /root/second ]; then
    until journalctl -u backwall-tune -o cat | grep -q -e 'Deactivated\|Failed\|Main process exited'; do sleep 1; done
    journalctl -u backwall-tune -o cat | sed 's/^/UNIT /'
    backwall tune boot --resume | sed 's/^/AFTER /'
    ls /var/lib/backwall | sed 's/^/LEFT /'
    sync && systemctl poweroff --force --force
fi
backwall tune boot OPTION --apply --duration 1s -- --load none >/root/killed 2>&1 &
trial=$!
until ls /var/lib/backwall/boot-*/003.log >/dev/null 2>&1 || [ ! -e /proc/$trial ]; do sleep 0.2; done
kill -KILL $trial && echo KILLED
wait
sed 's/^/SAID /' /root/killed
backwall tune boot --resume 2>&1 | sed 's/^/RESUMED /'
backwall tune status | sed 's/^/STATUS /'
touch /root/second && sync && systemctl reboot --force --force
S
}

# A Debian with systemd, the tool, its unit as it is shipped, and a unit that carries out what stands above.
machine() {
    local unit
    mmdebstrap --quiet --variant=minbase --include=systemd-sysv,udev,linux-image-amd64 \
        "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$out/root" >"$out/debian.log" 2>&1 || { tail -n 5 "$out/debian.log" && return 1; }
    strip -o "$out/root/usr/bin/backwall" "$tool"
    install -m 644 contrib/backwall-tune.service "$out/root/etc/systemd/system/"
    guest | sed "s/OPTION/$option/g" >"$out/root/usr/local/bin/restarts" && chmod +x "$out/root/usr/local/bin/restarts"
    printf '[Unit]\nAfter=multi-user.target\n[Service]\nExecStart=/usr/local/bin/restarts\n[Install]\nWantedBy=multi-user.target\n' \
        >"$out/root/etc/systemd/system/restarts.service"
    for unit in restarts backwall-tune; do
        ln -sf "/etc/systemd/system/$unit.service" "$out/root/etc/systemd/system/multi-user.target.wants/$unit.service"
    done
    # It blocks any writer to that line.
    ln -s /dev/null "$out/root/etc/systemd/system/serial-getty@ttyS0.service"
    echo guest >"$out/root/etc/hostname"
    tr -d - </proc/sys/kernel/random/uuid >"$out/root/etc/machine-id"
    mv "$out"/root/boot/vmlinuz-* "$out/vmlinuz" && mv "$out"/root/boot/initrd.img-* "$out/initrd"
    mke2fs -q -t ext4 -d "$out/root" "$out/disk" 2G
    rm -rf "$out/root"
}

# starts CONSOLE WORDS...: the machine, until it restarts or ends; every start of it has these words for its kernel.
starts() {
    local console=$1
    shift
    timeout 1500 qemu-system-x86_64 -accel tcg -smp 2 -m 1024 -cpu max -nodefaults -display none -no-reboot -drive "file=$out/disk,format=raw,if=virtio" \
        -kernel "$out/vmlinuz" -initrd "$out/initrd" -append "root=/dev/vda rw console=ttyS0 quiet panic=-1 $*" -serial "file:$console" </dev/null &
    emulator=$!
    wait "$emulator" || true
    emulator=
}

machine
starts "$out/first.console"
starts "$out/second.console" "$option"
tr -d '\r' <"$out/first.console" >"$out/console" && tr -d '\r' <"$out/second.console" >>"$out/console"

failed=0
# wanted WHAT PATTERN: a line of the console.
wanted() {
    grep -q -e "$2" "$out/console" && echo "tune_restart: $1" && return
    echo "tune_restart: FAILED: $1: no line of $out/console fits $2" >&2
    failed=1
}
wanted "a trial was killed in its third slice" '^KILLED'
wanted "the next call went on with it, and asked for the restart" "^RESUMED $option"
wanted "the machine was started with the option" "^START .* $option\$"
wanted "after the restart the unit decided" "^UNIT .*$option: "
wanted "no trial is under way after it" '^AFTER no trial of options'
starts=$(sed -n 's/^START \([^ ]*\).*/\1/p' "$out/console" | sort -u | wc -l)
[ "$starts" = 2 ] || { echo "tune_restart: FAILED: $starts starts of the machine, and not 2" >&2 && failed=1; }
exit $failed
