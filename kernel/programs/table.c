// SPDX-License-Identifier: MIT OR Apache-2.0
// The programs of the kernel's own image, one line each. Other images have other tables.
#include "programs/programs.h"

const struct program programs[] = {
    {"app_test",
     "[linkage=isr|ist] [priority=N] [load=NAME@PRIORITY] answers line 7 in the ISR, its thread and an application",
     app_test_run},
    {"crash", "address|divide|instruction|stack: breaks on purpose", crash_run},
    {"extremes", "the longest stretch without preemption with the kernel's tables full", extremes_run},
    {"figures", "the cost of the kernel's paths in executed instructions", figures_run},
    {"hostile", "what hostile or unlucky programs do; each must get an error code", hostile_run},
    {"iltiming", "[-h] interrupt latencies of the tick, as ILTiming", iltiming_run},
    {"isr_test", "[load=...] answers line 7 in the ISR", isr_test_run},
    {"ist_test", "[load=...] answers line 7 in the ISR and its thread", ist_test_run},
    {"model", "[all] the latency model and its predictions beside sweeps", model_run},
    {"polygons", "[memory] draws on the screen for five seconds and counts", polygons_run},
    {"profiles", "the settings, with what each profile sets", profiles_run},
    {"selftest", "checks of the kernel on this machine; exits with its result", selftest_run},
    {"storm_test", "[load=...] answers lines 7 and 5 in their ISRs and threads", storm_test_run},
};
const size_t programs_count = sizeof programs / sizeof programs[0];
