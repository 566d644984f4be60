// SPDX-License-Identifier: MIT OR Apache-2.0
// What an arm64 CPU forbids a program: WAY(name, instruction). The program `breaks` executes them; its starter needs the names.
#ifndef DETENT_USER_WAYS_H
#define DETENT_USER_WAYS_H

#define MACHINE_WAYS(WAY) \
    WAY(breakpoint, "brk #0") \
    WAY(mask, "msr daifset, #2") \
    WAY(device, "strb wzr, [%0]" : : "r"(0x09000000ull) : "memory") \
    WAY(halt, "wfi") \
    WAY(monitor, "hvc #0") \
    WAY(firmware, "smc #0") \
    WAY(debugger, "hlt #0xF000") \
    WAY(instruction, "udf #0") \
    WAY(timer, "msr cntv_ctl_el0, xzr") \
    WAY(levels, "eret") \
    WAY(alignment, "adr x1, 1f + 2\n\tbr x1\n1:" : : : "x1") \
    WAY(root, "msr ttbr0_el1, %0" : : "r"(0ull))

#endif
