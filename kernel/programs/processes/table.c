// SPDX-License-Identifier: MIT OR Apache-2.0
// The programs of the image with processes: its own, and programs of the other image that show that the kernel is the same.
#include "programs/processes/processes.h"

const struct program programs[] = {
    {"figures", "the cost of the kernel's paths in executed instructions, after a process has run", kernel_figures_run},
    {"iltiming", "[-h] interrupt latencies of the tick, as ILTiming; here -i5 too", iltiming_run},
    {"process_churn", "[PROCESSES]: made and ended in every way; nothing may be left of them", process_churn_run},
    {"process_fuzz",
     "[CALLS [stops]]: system calls at random from user mode, beside an interrupt of 1 kHz, which may stop",
     process_fuzz_run},
    {"process_figures", "the cost of what processes do, in executed instructions", process_figures_run},
    {"process_sweep",
     "[all]: interrupts at every instruction of what a process asks of the kernel; all: at more instants with a tick",
     process_sweep_run},
    {"process_tables", "[SIZE [held]]: of the pool of page tables; what zeroing one costs an interrupt thread",
     process_tables_run},
    {"processes", "checks of processes on this machine; exits with their result", processes_run},
    {"selftest", "checks of the kernel on this machine; exits with its result", selftest_run},
    {"start", "PROGRAM [ARGUMENTS]: runs a program of the boot module as a process and waits for its end", start_run},
};
const size_t programs_count = sizeof programs / sizeof programs[0];
