#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# usage: test/claims.sh KERNEL PROCESS LOGS DOCUMENT: compares the figures, latency model and profiles that the kernel has printed (LOGS,
# one file) with the tables in the document. It also compares the size of the kernel's text, and of the text that PROCESS, the image
# with processes, has for processes. For the other port, arm64, the document has columns of figures, and sentences.
# The figures are those of one compiler: call this for an image that this compiler made. It prints one line for each stale row.
set -eu
text=$(size -A "$1" | awk '$1 == ".text" { print $2 }')
arm64=0
case "$1" in *-arm64.elf) arm64=1 ;; esac
process=$(size -A "$2" | awk '$1 == ".process" { print $2 }')
more=$(size -A "$2" | awk '$1 == ".process_more" { print $2 }')
shift 2
awk -v arm64="$arm64" -v text="$text" -v process="$process" -v more="$more" '
    # --- what the kernel has printed ---
    FILENAME != ARGV[ARGC - 1] {
        sub(/\r$/, "")
        if ($1 == "figure") found[$2] = $3
        if ($1 == "model" && $3 ~ /^[0-9]+$/) letter[$2] = $3
        if ($1 == "model" && $2 == "process") for (i = 3; i < NF; i += 2) letter["process", $i] = $(i + 1)
        if ($1 == "model" && /; ISR of/) letter["ISR"] = $NF
        if ($1 == "predict") prediction_read()
        if ($1 == "setting") for (i = 4; i < NF; i += 2) set[$2, $i] = $(i + 1)
        next
    }
    function prediction_read(   name, i) {
        for (i = 2; $(i + 1) != "found"; i++) name = name (i > 2 ? " " : "") $i
        predicted[name] = $i; seen[name] = $(i + 2); ratio[name] = $(i + 4)
    }

    # --- the rows of the document ---
    function row(text, name) { figure[text] = name }
    function prediction(name, text) { model[text] = name }
    function wrong(what) { print "claims: " what; stale++ }
    BEGIN {
        row("interrupt to ISR", "interrupt-isr")
        row("interrupt to IST, the interrupted thread in the ready queue", "interrupt-ist")
        row("interrupt to IST, the interrupted thread just woken", "interrupt-ist-woken")
        row("the same, threads of equal priority woken with it", "interrupt-ist-woken-crowd")
        row("interrupt to IST from idle", "interrupt-ist-idle")
        row("ISR back to the interrupted thread", "isr-interrupted")
        row("IST blocking back to the preempted thread", "ist-interrupted")
        row("yield with switch", "yield-switch")
        row("yield, no ready thread of equal priority", "yield-alone")
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
        row("first use of floating point in a turn, another thread'"'"'s values in the registers", "fpu-first-use-of-another")
        row("the same, its own values still in the registers", "fpu-first-use-again")
        row("yield with switch, from a thread that has used floating point", "yield-switch-after-fpu")
        row("semaphore give and take", "semaphore-give-take")
        row("mutex lock and unlock", "mutex-lock-unlock")
        row("mutex pend without boost, with switch", "mutex-pend")
        row("mutex pend with boost, with switch", "mutex-pend-boost")
        row("unlock that hands over, with switch", "unlock-hands-over")
        row("longest section with interrupts disabled, over all calls, the tick and idling", "masked-longest")
        row("longest wait of an interrupt thread for a call or tick to end (preemption held)", "held-longest")
        row("the same, with the tables full", "held-longest-extreme")
    }
    BEGIN {
        row("null system call", "process-null-call")
        row("event set without waiter, by a process", "process-event-set-free")
        row("wait satisfied, by a process", "process-wait-satisfied")
        row("semaphore ping-pong between two processes, a round", "process-semaphore-round")
        row("critical section entered and left, by a process", "process-section")
        row("a page from the pool, filled with zeros", "page-taken-zero")
        row("the first touch of a page of a process'\''s stack", "process-stack-first-touch")
        row("a page committed by a process (VirtualAlloc)", "process-page-commit")
        row("a page table from the pool", "table-taken-pool")
        row("a page table beyond the pool, filled with zeros", "table-taken-zero")
        row("longest wait of an interrupt thread while a process is created and ended, page tables from the pool (preemption held)", "tables-held-pool")
        row("the same, page tables filled with zeros, the gate open", "tables-held-zero")
        row("the same, filled with zeros as in CE .NET, the gate closed", "tables-held-as-ce.net")
        row("call of a server and return, without arguments", "server-call-0")
        row("call of a server and return, seven arguments", "server-call-7")
        row("longest section with interrupts disabled for a process'"'"'s request, page faults and a tick included", "process-masked-longest")
        row("longest wait of an interrupt thread for a process'"'"'s request (preemption held)", "process-held-longest")
        row("the same, with a tick and the timeout that it answers within it", "process-held-longest-tick")
        row("interrupt to an IST in user mode", "interrupt-process-ist")
        row("the same, the interrupted thread just woken", "interrupt-process-ist-woken")
    }
    # The text of a prediction contains the values of its letters, so the text is known only when all letters have been read.
    function predictions_name(   b) {
        if (arm64) {
            prediction("isr-start A+B", "arm64: start of ISR")
            prediction("ist-start A+B+ISR+C+L+M", "arm64: start of IST")
            prediction("ist-start fixed-point", "arm64: the same as a fixed point")
            prediction("process-isr-start", "arm64, processes: start of ISR")
            prediction("process-ist-start", "arm64, processes: start of IST")
            prediction("process-ist-start-fixed-point", "arm64, processes: the same as a fixed point")
            return
        }
        b = letter["A"] " + " letter["B"]
        prediction("isr-start A+B", "start of ISR = A + B = " b)
        prediction("ist-start A+B+ISR+C+L+M", "start of IST = A + B + ISR + C + L + M = " letter["A"] + letter["B"] " + " \
                   letter["ISR"] " + " letter["C"] " + " letter["L"] " + " letter["M"])
        prediction("ist-start fixed-point", "the same as a fixed point, with a tick and the timeout that it answers inside the longest call that does not idle")
        prediction("process-isr-start", "processes: start of ISR = A + B = " letter["process", "A"] + 0 " + " letter["process", "B"] + 0)
        prediction("process-ist-start", "processes: start of IST = A + B + ISR + C + L + M = " \
                   letter["process", "A"] + letter["process", "B"] " + " letter["ISR"] " + " letter["process", "C"] " + " \
                   letter["process", "L"] " + " letter["process", "M"])
        prediction("process-ist-start-fixed-point", "processes: the same as a fixed point, with a tick and the timeout that it answers")
        prediction("lines isr-start-7 A+B", "two lines: start of the ISR of line 7")
        prediction("lines isr-start-5 A+B+N*(B+ISR+C)", "two lines: start of the ISR of line 5")
        prediction("lines ist-start-7 A+B+ISR+C+L+M+N*(B+ISR+C)", "two lines: start of the IST of line 7")
        prediction("lines ist-start-5 A+B+ISR+C+L+M+N*all", "two lines: start of the IST of line 5")
    }
    FNR == 1 { predictions_name() }
    /^\| path \| gcc/ { table = "figures"; column = arm64 ? /\| arm64 \|/ ? 6 : 0 : 3; next }
    arm64 && /^\| setting/ { table = ""; next }
    /^\| +\| predicted \| found/ { table = "model"; next }
    /^\| setting \| meaning/ { table = "profiles"; columns = split($0, profile, / *\| */); next }
    /The text of core and x86/ && !arm64 || /The text of core and arm64/ && arm64 { prose = 1 }
    !arm64 && /The x86-64 code for processes/ || arm64 && /The arm64 code for processes/ { process_prose = 1 }
    !arm64 && /The code that limits what processes may use/ { more_prose = 1 }
    process_prose && match($0, /[0-9,]+ bytes/) {
        said = substr($0, RSTART, RLENGTH - 6)
        gsub(/,/, "", said)
        if (said != process) wrong("processes have " process " bytes of text, and " said " is written")
        process_prose = 0
        process_sized = 1
    }
    more_prose && match($0, /[0-9,]+ bytes/) {
        said = substr($0, RSTART, RLENGTH - 6)
        gsub(/,/, "", said)
        if (said != more) wrong("what processes may use has " more " bytes of text, and " said " is written")
        more_prose = 0
        more_sized = 1
    }
    prose && match($0, /[0-9,]+ bytes/) {
        said = substr($0, RSTART, RLENGTH - 6)
        gsub(/,/, "", said)
        if (said != text) wrong("the text has " text " bytes, and " said " is written")
        prose = 0
        sized = 1
    }
    !/^\|/ { table = ""; next }
    /^\|---/ || table == "" { next }
    { count = split($0, cells, / *\| */) }
    table == "model" && arm64 != (cells[2] ~ /^arm64/) { next }
    { rows[table]++ }
    table == "figures" && column {
        beside++
        name = figure[cells[2]]
        if (name == "") wrong("no figure is known for the row: " cells[2])
        else if (!(name in found)) wrong("the kernel has not printed " name)
        else if (found[name] != cells[column]) wrong(cells[2] ": " cells[column] " is written, " found[name] " is found")
    }
    arm64 && table == "figures" && column && sprintf("%.2f", cells[6] / cells[3]) != cells[8] {
        wrong(cells[2] ": " cells[8] " of x86-64 is written, " sprintf("%.2f", cells[6] / cells[3]) " it is")
    }
    table == "model" {
        name = model[cells[2]]
        if (name == "") wrong("no prediction is known for the row: " cells[2])
        else if (predicted[name] " " seen[name] " " ratio[name] != cells[3] " " cells[4] " " cells[5])
            wrong(cells[2] ": " cells[3] ", " cells[4] ", " cells[5] " is written, " predicted[name] ", " seen[name] ", " ratio[name] " is found")
    }
    table == "profiles" {
        name = cells[2]
        gsub(/`/, "", name)
        for (i = 4; i < columns; i++)
            if (set[name, profile[i]] != cells[i]) wrong(name " of " profile[i] ": " cells[i] " is written, " set[name, profile[i]] " is set")
    }
    END {
        if (arm64) {
            if (!sized) wrong("the document does not say how many bytes the text of arm64 has")
            if (!process_sized) wrong("the document does not say how many bytes of text processes have on arm64")
            if (!rows["model"]) wrong("the document has no predictions of arm64")
            if (!beside) wrong("the document has no figures of arm64")
            print "claims: " beside " figures of arm64, " stale + 0 " stale"
            exit stale > 0
        }
        if (!process_sized) wrong("the document does not say how many bytes of text processes have")
        if (!more_sized) wrong("the document does not say how many bytes of text what processes may use has")
        if (!sized) wrong("the document does not say how many bytes the text has")
        if (!rows["figures"] || !rows["model"] || !rows["profiles"]) wrong("a table is missing")
        print "claims: " rows["figures"] " figures, " rows["model"] " predictions and " rows["profiles"] " settings, " stale + 0 " stale"
        exit stale > 0
    }' "$@"
