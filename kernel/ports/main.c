// SPDX-License-Identifier: MIT OR Apache-2.0
// Initializes the machine in order, and becomes the idle thread, on the boot stack.
#include "core/create.h"
#include "core/panic.h"
#include "core/profile.h"
#include "core/ready.h"
#include "core/start.h"
#include "machine.h"
#include "main_inline.h"
#include "port.h"
#include "programs/programs.h"
#include "programs/prompt.h"

_Noreturn void machine_stop(bool failed)
{
    interrupts_mask();
    machine_exit(failed);
}

_Noreturn void kernel_main(void);

_Noreturn void kernel_main(void)
{
    machine_init();
    programs_init(boot_command_line());
    interrupts_nest(profile.nesting);
    kernel_init();
    interrupts_unmask();
    clock_start();
    if (thread_create(programs_main, NULL, PROGRAMS_PRIORITY, false) == NULL)
        panic(__func__, "no thread for the prompt");
    idle_run();
}
