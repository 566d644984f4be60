// SPDX-License-Identifier: MIT OR Apache-2.0
// ISR_TEST answers the stimulus in the ISR, IST_TEST in the ISR and its thread, both for ever. STORM_TEST is an IST_TEST on two
// lines.
#include "programs/answer.h"
#include "programs/load.h"
#include "programs/programs.h"

int isr_test_run(int count, char **arguments)
{
    if (!loads_create(count, arguments))
        return 2;
    answer_start(ANSWER_ISR, NULL);
    loads_start();
    Sleep(INFINITE);
    return 0;
}

int ist_test_run(int count, char **arguments)
{
    if (!loads_create(count, arguments))
        return 2;
    answer_start(ANSWER_IST, NULL);
    loads_start();
    Sleep(INFINITE);
    return 0;
}

int storm_test_run(int count, char **arguments)
{
    if (!loads_create(count, arguments))
        return 2;
    answer_start(ANSWER_IST, NULL);
    answer_start_2();
    loads_start();
    Sleep(INFINITE);
    return 0;
}
