// SPDX-License-Identifier: MIT OR Apache-2.0
// osbench as a process of Detent. The probe and its rows are the C code that the other guests run.
//
//   PROFILE [-all|-t NUM ...] [-n NUM] [-m ADDR] [-v]    the first process; each row a stream to the channel, or a block on the console
//   partner ID, spawned ID                               another, started by the first (probe/port/detent_processes.h)
#include "../../bench/osbench.h"
#include "../osbench_block.h"

#include "../../../../probe/exit.h"
#include "../../../../probe/port/detent_processes.h"
#include "../../../../probe/port/port.h"
#include "../../../../probe/session.h"
#include "../../../../wire/connector.h"

#include "board.h"
#include "machine.h"

#include <string.h>

DWORD program_main(LPCTSTR command); // user/program.h

#define WORDS_MAX 40
#define MAIN_PRIORITY 48 // the same as in the other guests

static char line[PROCESS_COMMAND_CHARS];
static char *words[WORDS_MAX];

static int words_read(LPCTSTR command)
{
    int count = 0;

    for (size_t i = 0; i + 1 < sizeof line && command[i]; i++)
        line[i] = command[i] == ' ' ? '\0' : command[i];
    for (size_t i = 0; i + 1 < sizeof line && count < WORDS_MAX; i++) {
        if (line[i] && (i == 0 || !line[i - 1]))
            words[count++] = &line[i];
    }
    return count;
}

static uint32_t number_read(const char *digits)
{
    uint32_t number = 0;

    while (*digits >= '0' && *digits <= '9')
        number = number * 10 + (uint32_t)(*digits++ - '0');
    return number;
}

static bool host_listens(void)
{
    return connector_in(CONNECTOR_CHANNEL_PORT) == CONNECTOR_PRESENT;
}

const char *system_lacks(const struct operation *of)
{
    return of->place & OPERATION_ORDINARY ? "Detent has one scheduler" : NULL;
}

bool system_measure(const struct osbench *asked, const struct operation *of, const struct plan *plan)
{
    return host_listens() ? session_run(plan) == PROBE_EXIT_DONE : osbench_block(asked, of, plan);
}

static int first_process(int count)
{
    struct osbench asked;
    const char *refusal = NULL;

    machine_begin(words[0]);
    if (!osbench_read(&asked, count, words))
        return PROBE_EXIT_USAGE;
    refusal = port_thread_realtime(MAIN_PRIORITY, PORT_FIFO);
    if (refusal)
        return port_complain(refusal), PROBE_EXIT_MACHINE;
    bool good = osbench_run(&asked);

    if (host_listens())
        port_exit(good ? PROBE_EXIT_DONE : PROBE_EXIT_FAILED);
    return good && asked.failed == 0 ? PROBE_EXIT_DONE : PROBE_EXIT_FAILED;
}

DWORD program_main(LPCTSTR command)
{
    int count = words_read(command);
    bool partner = count == 2 && strcmp(words[0], DETENT_PARTNER) == 0;

    if (!partner && !(count == 2 && strcmp(words[0], DETENT_SPAWNED) == 0))
        return (DWORD)first_process(count);
    detent_process_run(number_read(words[1]), partner);
    return 0;
}
