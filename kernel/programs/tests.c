// SPDX-License-Identifier: MIT OR Apache-2.0
// ISR_TEST and IST_TEST: the stimulus answered in the ISR, and in the ISR and its thread, until the bench ends;
// STORM_TEST: as IST_TEST, on two lines.
#include "programs/bench.h"
#include "programs/load.h"
#include "programs/programs.h"

int isr_test_run(int count, char **arguments)
{
    if (!loads_create(count, arguments))
        return 2;
    bench_start(BENCH_ISR, NULL);
    loads_start();
    Sleep(INFINITE);
    return 0;
}

int ist_test_run(int count, char **arguments)
{
    if (!loads_create(count, arguments))
        return 2;
    bench_start(BENCH_IST, NULL);
    loads_start();
    Sleep(INFINITE);
    return 0;
}

int storm_test_run(int count, char **arguments)
{
    if (!loads_create(count, arguments))
        return 2;
    bench_start(BENCH_IST, NULL);
    bench_start_2();
    loads_start();
    Sleep(INFINITE);
    return 0;
}
