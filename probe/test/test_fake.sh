#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# test_fake.sh BUILD: whole runs on the scripted clock, all of whose numbers can be computed by hand.
#
# The script (port/fake.c) runs the measured thread to its end before the writer reads the ring, so the ring of 32,768 entries fills.
set -eu
build=$1
failures=0

# account NAME COUNT EXPECTED: compares the LOST, TOTALS and END lines of a run of COUNT releases with the expected ones.
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
# One entry of the ring is the loss of three releases, the others are samples.
account a_full_ring_is_a_counted_loss 40000 \
    'LOST 0 reason=1 first_seq=501 count=3;LOST 0 reason=2 first_seq=32770 count=7230;TOTALS 0 due=40000 done=32767 lost=7233;END reason=0'
# Ctrl-C comes at wait 60,000, which would be for release 60,003. Releases that were not due are not counted.
account ctrl_c_ends_the_schedule_early 70000 \
    'LOST 0 reason=1 first_seq=501 count=3;LOST 0 reason=2 first_seq=32770 count=27233;TOTALS 0 due=60003 done=32767 lost=27236;END reason=1'
# same NAME EXPECTED FOUND: checks that the two texts are equal.
same() {
    if [ "$2" = "$3" ]; then
        echo "PASS $1"
    else
        echo "FAIL $1: '$3' instead of '$2'" >&2
        failures=$((failures + 1))
    fi
}

dummy() { "$build/probe-dummy" "$@" | "$build/wire_dump"; }
same a_measure_of_forty_series_accounts_for_each '40 due=20 done=20 lost=0' \
    "$(dummy measure dummy --count 15 --warmup 5 | sed -n 's/^TOTALS [0-9]* //p' | sort | uniq -c | sed 's/^ *//')"
same a_series_has_the_name_and_field_that_were_declared 'name=dummy-copy size=128' \
    "$(dummy measure dummy --count 1 | sed -n 's/^SERIES 38 \(name=[^ ]*\).* \(size=.*\)/\1 \2/p')"
same a_load_is_one_file_and_one_line 'LOAD 0 name=dummy unit=questions whether to go on;END reason=1' \
    "$(dummy load dummy | grep -E '^(LOAD|END)' | sed 's/ records=.*//' | paste -sd';')"

# operation TEST EXPECTED: checks how many samples had each length, in counts of the scripted clock. The length of a sample in batches is
# the third batch minus the first, which is 2n iterations.
operation() {
    found=$("$build/probe-fake" operation "$1" --count 5 --warmup 2 --priority 80 --partner-cpu 1 | "$build/wire_dump" |
        awk '/^ [0-9]+:/ { print NF == 3 ? $3 - $2 : ($7 - $6) - ($3 - $2) } /^TOTALS/ { print $3, $4, $5 }' |
        sort | uniq -c | sed 's/^ *//' | paste -sd';')
    same "operation_$1_costs_what_the_script_says" "7 $2;1 due=7 done=7 lost=0" "$found"
}
# Each expected length is one clock reading, the scripted cost, and a switch of 20. The scripted costs: leaving a critical section 2,
# setting an event 3, releasing a semaphore 5, releasing a mutex 7, a yield 4.
operation 0.00 23
operation 0.01 21
operation 1.00 24
operation 1.03 24
operation 2.00 26
operation 3.01 28
operation 4.00 25
# The script is the same across two CPUs and at ordinary priority.
operation 7.00 24
operation 7.01 24
# 5.00 and 5.05: ten iterations of two events and two switches each. 0.02: twenty iterations of one count. 5.06: two hundred of two counts.
# 6.00: interlocked operations take no scripted time.
operation 5.00 460
operation 5.05 460
operation 0.02 20
operation 5.06 400
operation 6.00 0
# Ten rounds, each with a release and a switch in both directions.
operation 7.49 1000
# Creating a thread, and one clock reading.
operation 9.00 101
exit $failures
