// SPDX-License-Identifier: MIT OR Apache-2.0
// What a PC's CPU forbids a program: WAY(name, instruction). The program `breaks` executes them; its starter needs the names.
#ifndef DETENT_USER_WAYS_H
#define DETENT_USER_WAYS_H

#define MACHINE_WAYS(WAY) \
    WAY(divide, "divl %0" : : "r"(0) : "eax", "edx", "cc") \
    WAY(mask, "cli") \
    WAY(port, "outb %%al, $0xf4" : : "a"(0)) \
    WAY(halt, "hlt") \
    WAY(interrupt, "int $0xe7") \
    WAY(instruction, "ud2") \
    WAY(step, "pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tnop" : : : "memory") \
    WAY(root, "movq %0, %%cr3" : : "r"(0ull))

#endif
