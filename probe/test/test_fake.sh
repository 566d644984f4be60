#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# test_fake.sh BUILD: whole runs on the scripted clock whose every number can be worked out by hand.
#
# The script (port/fake.c) runs the measured thread to its end before the writer looks, so the ring of 32,768 entries fills.
set -eu
build=$1
failures=0

# account NAME COUNT EXPECTED: the LOST, TOTALS and END lines of a run of COUNT releases.
account() {
    found=$("$build/probe-fake" measure wakeup --count "$2" | "$build/wire_dump" | grep -E '^(LOST|TOTALS|END)' | cut -d' ' -f1-5 |
        sed 's/ records=.*//' | paste -sd';')
    if [ "$found" = "$3" ]; then
        echo "PASS $1"
    else
        echo "FAIL $1: '$found' instead of '$3'" >&2
        failures=$((failures + 1))
    fi
}

account every_release_is_answered 500 'TOTALS 0 due=500 done=500 lost=0;END reason=0'
# The response to release 500 comes 3.5 periods late.
account three_releases_pass_a_late_response 1000 \
    'LOST 0 reason=1 first_seq=501 count=3;TOTALS 0 due=1000 done=997 lost=3;END reason=0'
# One entry of the ring is the loss above, the others are samples.
account a_full_ring_is_a_counted_loss 40000 \
    'LOST 0 reason=1 first_seq=501 count=3;LOST 0 reason=2 first_seq=32770 count=7230;TOTALS 0 due=40000 done=32767 lost=7233;END reason=0'
# Ctrl-C at wait 60,000, which would be for release 60,003: what was not due is not counted.
account ctrl_c_ends_the_schedule_early 70000 \
    'LOST 0 reason=1 first_seq=501 count=3;LOST 0 reason=2 first_seq=32770 count=27233;TOTALS 0 due=60003 done=32767 lost=27236;END reason=1'
exit $failures
