// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks processes on the running machine: prints PASS or FAIL for each check, and a summary.
#include "process/processes.h"
#include "process/registry.h"
#include "process/frames.h"
#include "programs/processes/processes.h"

#include "core/irq.h"
#include "ways.h"

static unsigned passed, failed;

static void check(bool ok, const char *sentence, const char *of)
{
    NKDbgPrintfW("%s %s%s\n", ok ? "PASS" : "FAIL", sentence, of);
    ok ? passed++ : failed++;
}

static void run_to_the_end(void)
{
    DWORD exit_code = 0;
    check(process_finish("hello", "two words", &exit_code) && exit_code == 9, "a program gets its command line", "");
    check(!process_finish("nobody", "", &exit_code) && GetLastError() == ERROR_FILE_NOT_FOUND,
          "a program that is not there is an error", "");
}

// Several programs run at the same time; each must keep its own registers.
static void compute_beside(void)
{
    static const char *const begins[] = {"1", "4", "7"};
    struct process *all[sizeof begins / sizeof begins[0]];
    bool right = true;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        all[i] = process_create("floats", begins[i], PROGRAMS_PRIORITY + 1, false);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        right &=
            all[i] != NULL && WaitForSingleObject(all[i]->ended, INFINITE) == WAIT_OBJECT_0 && all[i]->exit_code == 0;
        process_close(all[i]);
    }
    check(right, "processes keep their floating-point registers", "");
}

// Programs that check in user mode. Each prints its findings and exits with the number of errors.
static void check_within(void)
{
    static const char *const programs_of_checks[] = {"objects", "threads", "sections", "memory",
                                                     "shared",  "heap",    "heaps",    "server"};
    for (size_t i = 0; i < sizeof programs_of_checks / sizeof programs_of_checks[0]; i++) {
        DWORD wrong = 1;
        check(process_finish(programs_of_checks[i], "", &wrong) && wrong == 0, "all is well in user mode of ",
              programs_of_checks[i]);
    }
}

#define SYSINTR_FREE 45 // the same number as in user/programs/interrupts.c
#define SYSINTR_TAKEN 46

// Starts a process with the right to two SYSINTRs. The kernel already uses one of them.
static void check_interrupts(void)
{
    DWORD wrong = 1;
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
    bool taken = InterruptInitialize(SYSINTR_TAKEN, event, NULL, 0);
    check(taken && process_finish("interrupts", "", &wrong) && wrong == 0, "all is well in user mode of ",
          "interrupts");
    check(process_finish_permitted("interrupts", "free", 1ull << SYSINTR_FREE | 1ull << SYSINTR_TAKEN, &wrong)
              && wrong == 0,
          "all is well in user mode of interrupts, ", "two of them permitted");
    struct process *permitted = process_begin("threads", "waits", UINT64_MAX);
    Sleep(2); // the thread runs, and waits
    check(process_finish("interrupts", "", &wrong) && wrong == 0,
          "what the kernel starts has nothing of what was permitted to who ran before it", "");
    process_end(permitted, 0);
    process_close(permitted);
    check(irqs[SYSINTR_TAKEN].event != NULL && irqs[SYSINTR_FREE].event == NULL,
          "the kernel's interrupt is still its own, and that of a process that has ended nobody's", "");
    InterruptDisable(SYSINTR_TAKEN);
    CloseHandle(event);
}

// A forbidden action ends the process, and the kernel continues.
static void break_rules(void)
{
#define NAMED(name, ...) #name,
    static const char *const ways[] = {"stack",    "kernel-write", "kernel-read",      "kernel-jump",
                                       "null",     "nowhere",      "constant",         "code",
                                       "data-run", "far-address",  MACHINE_WAYS(NAMED)};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        DWORD exit_code = 0;
        check(process_finish("breaks", ways[i], &exit_code) && exit_code == EXCEPTION_EXIT_CODE,
              "a process is ended by ", ways[i]);
    }
}

int processes_run(int count, char **arguments)
{
    (void)count, (void)arguments;
    if (!processes_ready())
        return 1;
    uint32_t free = frames_free();
    run_to_the_end();
    compute_beside();
    check_within();
    check_interrupts();
    break_rules();
    check(frames_free() == free, "no page is lost", "");
    NKDbgPrintfW("processes: %u passed, %u failed; %u of %u pages free\n", passed, failed, frames_free(), frames_all);
    return failed != 0;
}
