#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# In how many of planted cases `backwall watch` names the culprit, for each recipe, one tab-separated line a figure: name value unit goal
# met peer peer_value conditions. JACK, LinuxCNC and PipeWire are Debian's, where they are installed; the others are loops of
# probe/bench/faults.c under the names that their recipes know. As root, on two processors. A case is a program of real-time priority 95
# that takes the processor of the thread for some milliseconds: it is right where a late response of that time is in late.log, and
# the largest share of it is that program's. Before that, how long the first sentence takes; and what JACK and PipeWire count themselves.
set -u
cd "$(dirname "$0")/.."
tool=$(realpath "${BACKWALL:-target/release/backwall}") times=${BACKWALL_TIMES:-20}
recipes=${BACKWALL_RECIPES:-linuxcnc jack pipewire klipper ros2_control ethercat franka kvm}
out=$PWD/target/bench/watch
rm -rf "$out" && mkdir -p "$out" && chmod 755 "$out"
gcc -O2 -std=c11 -Wall -Wextra -Werror -pthread -o "$out/faults" probe/bench/faults.c
started=()
away() {
    local one
    for one in "${started[@]}"; do
        kill -KILL -- "-$one" 2>/dev/null || kill -KILL "$one" 2>/dev/null
    done
    # LinuxCNC's real-time program is of a session of its own.
    [ ! -s "$out/apart" ] || kill -KILL $(cat "$out/apart") 2>/dev/null
    rm -f "$out/apart"
    started=()
}
trap away EXIT

# starts LOG COMMAND...: in a group of its own, which goes with the case.
starts() {
    local log=$1 && shift
    setsid "$@" >"$log" 2>&1 </dev/null &
    started+=($!)
}

# loop MICROSECONDS PRIORITY NAME THREAD...: a stand-in.
loop() { starts "$out/app.log" "$out/faults" loop "$1" 50 1 "$2" "${@:3}"; }

# begins RECIPE: starts the application, says what it is, how late is late, and how long a case holds; 1 where it is not here.
begins() {
    late=2ms held=8000 what='a stand-in with its names and priorities'
    case $1 in
        jack)
            command -v jackd >/dev/null || return 1
            what="Debian's jackd2, dummy driver, 64 frames at 48 kHz"
            starts "$out/app.log" env JACK_NO_AUDIO_RESERVATION=1 taskset -c 1 jackd -n bw-bench -R -P70 -d dummy -p 64 -r 48000
            ;;
        linuxcnc)
            command -v halrun >/dev/null || return 1
            what="Debian's linuxcnc-uspace, a servo thread of 1 ms, given FIFO 80"
            mkdir -p "$out/home" && chown 65534:65534 "$out/home"
            printf 'loadrt threads name1=servo-thread period1=1000000\nloadrt siggen\naddf siggen.0.update servo-thread\nstart\nloadusr -w sleep 600\n' >"$out/home/loop.hal"
            (cd "$out/home" && starts "$out/app.log" setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$out/home" halrun -f loop.hal)
            ;;
        pipewire)
            command -v pipewire wireplumber pw-play dbus-run-session >/dev/null && [ "$(command -v wireplumber)" ] || return 1
            what="Debian's pipewire and wireplumber, a stream into a null sink at 48 kHz, held longer than its quantum of 43 ms" held=60000 late=8ms
            export XDG_RUNTIME_DIR=$out/run && mkdir -p -m 700 "$out/run"
            python3 -c "import wave; w = wave.open('$out/silence.wav', 'wb'); w.setparams((2, 2, 48000, 0, 'NONE', '')); w.writeframes(bytes(48000 * 4 * 120))"
            starts "$out/app.log" dbus-run-session -- sh -c "pipewire & sleep 1; wireplumber & sleep 2
                pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=s media.class=Audio/Sink object.linger=true audio.position=[FL FR] }'
                sleep 1; pw-play $out/silence.wav; sleep 600"
            sleep 5
            ;;
        klipper)
            what='a stand-in: a Python loop of 5 ms, ordinary' held=20000 late=8ms
            printf 'import time\nat = time.monotonic()\nwhile True:\n    at += 0.005\n    time.sleep(max(0, at - time.monotonic()))\n' >"$out/klippy.py"
            starts "$out/app.log" python3 "$out/klippy.py"
            ;;
        ros2_control) loop 1000 50 ros2_control_no ;;
        ethercat) loop 1000 80 simple_test ;;
        franka) loop 1000 80 franka_control ;;
        kvm) loop 1000 1 qemu-system-x86 'CPU 0/KVM' ;;
    esac
    sleep 2
}

# pin PATTERN [MASK]: processes or threads of that name are held on processor 1, or on those of a mask.
pin() {
    local row
    local mask=${2:-2}
    ps -eLo pid=,lwp=,comm= | grep -E " $1" | while read -r row; do
        set -- $row
        taskset -p "$mask" "$2" >/dev/null
        [ "${priority:-}" = '' ] || chrt -f -p "$priority" "$2"
        [ "$recipe" != linuxcnc ] || echo "$1" >>"$out/apart"
    done
}

# judged FOLDER: of all strikes those that made a response late, and of these those with the right first share.
judged() {
    python3 - "$1/late.log" "$out/struck" "$held" <<'P'
import datetime, re, sys
struck = [float(line.split()[1]) for line in open(sys.argv[2]) if line.startswith("struck")]
held = int(sys.argv[3]) / 1e6
late = []
try:
    for line in open(sys.argv[1]):
        if ": of " not in line:
            continue
        at = datetime.datetime.fromisoformat(line.split()[0].replace("Z", "+00:00")).timestamp()
        took = re.search(r" ([0-9.,]+) (us|ms|s): of ", line)
        length = float(took[1].replace(",", "")) * {"us": 1e-6, "ms": 1e-3, "s": 1}[took[2]]
        late.append((at, length, line.split(": of ", 1)[1].split(": ", 1)[1].split(";")[0]))
except FileNotFoundError:
    pass
hit = right = 0
for begin in struck:
    own = [one for one in late if one[0] < begin + held and one[0] + one[1] > begin]
    if own:
        hit += 1
        right += "bf-strike (" in max(own, key=lambda one: one[1])[2]
print(len(struck), hit, right)
P
}

# first NAME WORDS...: how long it takes from the command to its first sentence, with nobody's settings and recipes.
first() {
    local name=$1 begun watching waited=0 met=no
    shift
    begun=$(date +%s%N)
    starts "$out/first" env -i PATH="$PATH" HOME="$out/nobody" "$tool" watch --out "$out/first-$name" "$@"
    watching=$!
    until grep -qs ' responses, worst ' "$out/first" || [ $waited -ge 1200 ]; do sleep 0.1 && waited=$((waited + 1)); done
    grep -qs ' responses, worst ' "$out/first" && met=yes
    awk -v OFS='\t' -v name="watch.first_sentence.$name" -v begun="$begun" -v ended="$(date +%s%N)" -v seen=$met 'BEGIN {
        seconds = (ended - begun) / 1e9
        print name, sprintf("%.1f", seconds), "s", "<= 60", (seen == "yes" && seconds <= 60 ? "yes" : "no"), "-", "-", "from the command on, with no settings and no recipes of the user"
    }'
    # It takes its command along.
    kill -TERM "$watching" && wait "$watching" 2>/dev/null
}

# What an application counted itself of what was late, beside what was counted here.
own() {
    local itself ours
    itself=$(sed -n 's/.* itself counted \([0-9,]*\).*/\1/p' "$1.said" | tr -d , | awk '{ all += $1 } END { print all + 0 }')
    ours=$(sed -n 's/.*; \([0-9,]*\) later than .*/\1/p' "$1.said" | tr -d , | awk '{ all += $1 } END { print all + 0 }')
    printf 'watch.own.%s\t%s\tof %s\t>= 1\t%s\t-\t-\t%s\n' "$recipe" "$itself" "$ours" "$([ "$itself" -ge 1 ] && echo yes || echo no)" \
        "what it counted itself, of those later than $late here; $what"
}

mkdir -p "$out/nobody"
if [ "${BACKWALL_FIRST:-yes}" = yes ]; then
    loop 1000 80 bw-first
    sleep 1
    first process bw-first
    away
    first command -- "$out/faults" loop 1000 50 1 80
    away
fi
for recipe in $recipes; do
    priority=''
    if ! begins "$recipe"; then
        printf 'watch.culprit.%s\t-\tof %s\t-\t-\t-\t-\tnot installed here\n' "$recipe" "$times"
        continue
    fi
    case $recipe in
        linuxcnc) priority=80 pin 'rtapi_app:T#0' ;;
        jack) ;;
        pipewire) pin 'pipewire' ;;
        klipper) pin 'python3' ;;
    esac
    starts "$out/said" "$tool" watch "$recipe" --every 1s --deadline "$late" --out "$out/$recipe"
    watching=$!
    until grep -qs ' watched: ' "$out/said" || [ ! -e /proc/$watching ]; do sleep 0.1; done
    sleep 3
    "$out/faults" strike "$times" "$held" 1 95 >"$out/struck"
    if [ "$recipe" = pipewire ]; then
        # What it counts is a client that is late while its driver is not.
        pin pipewire 1 && pin pw- && "$out/faults" strike "$times" "$held" 1 95 >/dev/null
        # Its counter is asked every five seconds.
        sleep 6
    fi
    sleep 2
    kill -TERM $watching && wait $watching 2>/dev/null
    read -r planted hit right <<<"$(judged "$out/$recipe")"
    cp "$out/said" "$out/$recipe.said"
    cp "$out/struck" "$out/$recipe.struck"
    away
    case $recipe in jack | pipewire) own "$out/$recipe" ;; esac
    met=no && [ "$planted" = "$times" ] && [ $((right * 100)) -ge $((hit * 95)) ] && [ "$hit" -gt 0 ] && met=yes
    printf 'watch.culprit.%s\t%s\tof %s\t>= 95 %%\t%s\t-\t-\t%s; %s cases, %s of them made a response later than %s\n' \
        "$recipe" "$right" "$hit" $met "$what" "$planted" "$hit" "$late"
done
