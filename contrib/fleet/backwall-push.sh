#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Measures, keeps the run in a spool on this device, and pushes all that the spool holds: backwall-push.sh DESTINATION COMMAND [OPTION...]
# DESTINATION is the device's folder in the spool of the fleet: a folder, or HOST:FOLDER over ssh. What cannot be pushed stays until it can.
# A run gets its name at its end, here and there, so that nobody takes a part of one.
set -eu
to=$1
shift
spool=${STATE_DIRECTORY:-/var/lib/backwall}/spool
now=$(date -u +%Y%m%dT%H%M%SZ)-$$
mkdir -p "$spool"
# Runs whose script was killed: a folder of this user's, whose script is gone and which no run holds. A link is none.
find "$spool" -maxdepth 1 -type d -user "$(id -u)" -name '.2???????T??????Z-*' | while IFS= read -r left; do
    [ -d "/proc/${left##*-}" ] || flock -n "$left" rm -rf "$left" || :
done
code=0
backwall "$@" --quiet --output "$spool/.$now" || code=$?
# 1 and 3 are results, too.
if [ -f "$spool/.$now/run.json" ]; then mv "$spool/.$now" "$spool/$now"; else rm -rf "$spool/.$now"; fi

pushed() {
    case $to in
    *:*)
        host=${to%%:*} folder=${to#*:}
        ssh -oBatchMode=yes "$host" "mkdir -p '$folder' && rm -rf '$folder/.$2'" &&
            scp -Bqr "$1" "$host:$folder/.$2" &&
            ssh -oBatchMode=yes "$host" "if [ -e '$folder/$2' ]; then rm -rf '$folder/.$2'; else mv '$folder/.$2' '$folder/$2'; fi"
        ;;
    *)
        [ -d "$to" ] && rm -rf "$to/.$2" && cp -r "$1" "$to/.$2" &&
            if [ -e "$to/$2" ]; then rm -rf "$to/.$2"; else mv "$to/.$2" "$to/$2"; fi
        ;;
    esac
}

kept=0
for run in "$spool"/*; do
    [ -d "$run" ] || continue
    if pushed "$run" "${run##*/}"; then rm -rf "$run"; else kept=$((kept + 1)); fi
done
[ "$kept" = 0 ] || echo "backwall-push: $to: $kept runs could not be pushed and wait in $spool" >&2
case $code in 0 | 1 | 3) [ "$kept" = 0 ] ;; *) exit "$code" ;; esac
