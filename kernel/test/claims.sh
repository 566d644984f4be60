#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# usage: test/claims.sh FIGURES EXTREMES DOCUMENT: what the kernel has printed of its figures (two logs) against the table of
# figures in the document. The table is one compiler's: call this for an image by it. One line for each row that is stale.
set -eu
awk '
    FILENAME != ARGV[ARGC - 1] { sub(/\r$/, ""); if ($1 == "figure") found[$2] = $3; next }
    function row(text, name) { figure[text] = name }
    BEGIN {
        row("interrupt to ISR", "interrupt-isr")
        row("interrupt to IST, the interrupted thread in the ready queue", "interrupt-ist")
        row("interrupt to IST, the interrupted thread just woken", "interrupt-ist-woken")
        row("the same, its equals woken with it", "interrupt-ist-woken-crowd")
        row("interrupt to IST from idle", "interrupt-ist-idle")
        row("ISR back to the interrupted thread", "isr-interrupted")
        row("IST blocking back to the preempted thread", "ist-interrupted")
        row("yield with switch", "yield-switch")
        row("yield, no equal ready", "yield-alone")
        row("event set waking a higher thread, with switch", "event-set-switch")
        row("wait that blocks, with switch", "wait-block-switch")
        row("manual event set waking a higher thread, with switch", "manual-event-set-switch")
        row("semaphore give waking a higher thread, with switch", "semaphore-give-switch")
        row("semaphore take that blocks, with switch", "semaphore-take-block-switch")
        row("resume of a higher thread, with switch", "resume-switch")
        row("suspend self, with switch", "suspend-self-switch")
        row("thread created by one call, with switch", "thread-create-switch")
        row("thread created suspended, raised and resumed, with switch", "thread-create-raise-resume-switch")
        row("thread end with switch", "thread-end-switch")
        row("event set without waiter", "event-set-free")
        row("wait satisfied", "wait-satisfied")
        row("first use of floating point in a turn, the registers another'"'"'s", "fpu-first-use-of-another")
        row("the same, the registers its own still", "fpu-first-use-again")
        row("yield with switch, from a thread that has used floating point", "yield-switch-after-fpu")
        row("semaphore give and take", "semaphore-give-take")
        row("mutex lock and unlock", "mutex-lock-unlock")
        row("mutex pend without boost, with switch", "mutex-pend")
        row("mutex pend with boost, with switch", "mutex-pend-boost")
        row("unlock that hands over, with switch", "unlock-hands-over")
        row("longest masked stretch, over all calls, tick and idling included", "masked-longest")
        row("longest wait of an interrupt thread for a call or tick to end (preemption held)", "held-longest")
        row("the same, with the tables full", "held-longest-extreme")
    }
    /^\| path \| gcc/ { table = 1; next }
    table && !/^\|/ { table = 0 }
    table && !/^\|---/ {
        split($0, cells, / *\| */)
        name = figure[cells[2]]
        if (name == "") print "claims: no figure is known for the row: " cells[2]
        else if (!(name in found)) print "claims: the kernel has not printed " name
        else if (found[name] != cells[3]) print "claims: " cells[2] ": " cells[3] " is written, " found[name] " is found"
        else good++
        rows++
    }
    END {
        print "claims: " good + 0 " of " rows + 0 " rows hold"
        exit rows == 0 || good != rows
    }' "$@"
