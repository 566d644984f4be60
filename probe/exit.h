// SPDX-License-Identifier: MIT OR Apache-2.0
// exit.h — how the process ends.
#ifndef BACKWALL_PROBE_EXIT_H
#define BACKWALL_PROBE_EXIT_H

// The host tool maps these to its own exit codes.
enum probe_exit {
    PROBE_EXIT_DONE = 0,
    PROBE_EXIT_FAILED = 1,  // the run began and could not finish: the stream ends as failed, or is cut
    PROBE_EXIT_USAGE = 2,   // the arguments are wrong
    PROBE_EXIT_MACHINE = 4, // the machine refuses a requested setting
    PROBE_EXIT_RIGHT = 5,   // like 4: the machine refuses real-time priority because a right is missing
};

// The exit code for a refusal by the machine.
enum probe_exit exit_of_refusal(const char *refusal);

#endif
