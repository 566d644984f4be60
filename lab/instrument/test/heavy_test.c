/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the kinds of instructions, with bytes as an assembler writes them. */
#include "heavy.h"

#include <stdio.h>
#include <stdlib.h>

struct instruction {
    const char *text;
    enum heavy kind;
    size_t count;
    uint8_t bytes[15];
};

static const struct instruction INSTRUCTIONS[] = {
    {"mov %rax,%cr3", HEAVY_CR3, 3, {0x0F, 0x22, 0xD8}},
    {"mov %r9,%cr3", HEAVY_CR3, 4, {0x41, 0x0F, 0x22, 0xD9}},
    {"mov %rax,%cr0", HEAVY_NONE, 3, {0x0F, 0x22, 0xC0}},
    {"mov %cr3,%rax", HEAVY_NONE, 3, {0x0F, 0x20, 0xD8}},
    {"wrmsr", HEAVY_MSR, 2, {0x0F, 0x30}},
    {"rdmsr", HEAVY_MSR, 2, {0x0F, 0x32}},
    {"rdtsc", HEAVY_STAMP, 2, {0x0F, 0x31}},
    {"out %al,%dx", HEAVY_PORT, 1, {0xEE}},
    {"out %ax,%dx", HEAVY_PORT, 2, {0x66, 0xEF}},
    {"in $0x71,%al", HEAVY_PORT, 2, {0xE4, 0x71}},
    {"rep insw", HEAVY_PORT, 3, {0xF3, 0x66, 0x6D}},
    {"div %rcx", HEAVY_DIVIDE, 3, {0x48, 0xF7, 0xF1}},
    {"idivb (%rax)", HEAVY_DIVIDE, 2, {0xF6, 0x38}},
    {"imul %rcx", HEAVY_NONE, 3, {0x48, 0xF7, 0xE9}},
    {"not %eax", HEAVY_NONE, 2, {0xF7, 0xD0}},
    {"cli", HEAVY_FLAG, 1, {0xFA}},
    {"sti", HEAVY_FLAG, 1, {0xFB}},
    {"popf", HEAVY_FLAG, 1, {0x9D}},
    {"pushf", HEAVY_NONE, 1, {0x9C}},
    {"lock incl (%rax)", HEAVY_LOCKED, 3, {0xF0, 0xFF, 0x00}},
    {"lock cmpxchg %rcx,(%rdi)", HEAVY_LOCKED, 5, {0xF0, 0x48, 0x0F, 0xB1, 0x0F}},
    {"xchg %eax,(%rdi)", HEAVY_LOCKED, 2, {0x87, 0x07}},
    {"xchg %eax,%edi", HEAVY_NONE, 2, {0x87, 0xC7}},
    {"cmpxchg %rcx,(%rdi)", HEAVY_NONE, 4, {0x48, 0x0F, 0xB1, 0x0F}},
    {"bts %rax,0x1000", HEAVY_BIT, 9, {0x48, 0x0F, 0xAB, 0x04, 0x25, 0x00, 0x10, 0x00, 0x00}},
    {"btr $31,(%rdi)", HEAVY_NONE, 4, {0x0F, 0xBA, 0x37, 0x1F}},
    {"bts %rax,%rcx", HEAVY_NONE, 4, {0x48, 0x0F, 0xAB, 0xC1}},
    {"fxsave64 (%rdi)", HEAVY_FPU, 4, {0x48, 0x0F, 0xAE, 0x07}},
    {"xsave (%rdi)", HEAVY_FPU, 3, {0x0F, 0xAE, 0x27}},
    {"xsaveopt (%rdi)", HEAVY_FPU, 3, {0x0F, 0xAE, 0x37}},
    {"xsavec (%rdi)", HEAVY_FPU, 3, {0x0F, 0xC7, 0x27}},
    {"fnsave (%rdi)", HEAVY_FPU, 2, {0xDD, 0x37}},
    {"clwb (%rdi)", HEAVY_NONE, 4, {0x66, 0x0F, 0xAE, 0x37}},
    {"clflush (%rdi)", HEAVY_NONE, 3, {0x0F, 0xAE, 0x3F}},
    {"lfence", HEAVY_NONE, 3, {0x0F, 0xAE, 0xE8}},
    {"ldmxcsr (%rdi)", HEAVY_NONE, 3, {0x0F, 0xAE, 0x17}},
    {"cmpxchg8b (%rdi)", HEAVY_NONE, 3, {0x0F, 0xC7, 0x0F}},
    {"fldl (%rdi)", HEAVY_NONE, 2, {0xDD, 0x07}},
    {"iretq", HEAVY_RETURN, 2, {0x48, 0xCF}},
    {"iret", HEAVY_RETURN, 1, {0xCF}},
    {"inc %eax, 32-bit", HEAVY_NONE, 1, {0x40}},
    {"inc %ax, 32-bit", HEAVY_NONE, 2, {0x66, 0x40}},
    {"nop", HEAVY_NONE, 1, {0x90}},
    {"mov $0xFAFB,%eax", HEAVY_NONE, 5, {0xB8, 0xFB, 0xFA, 0x00, 0x00}},
};

static void each_instruction_has_its_kind(void)
{
    for (size_t i = 0; i < sizeof INSTRUCTIONS / sizeof INSTRUCTIONS[0]; i++) {
        const struct instruction *instruction = &INSTRUCTIONS[i];
        if (heavy_of(instruction->bytes, instruction->count) == instruction->kind)
            continue;
        fprintf(stderr, "FAIL heavy: %s\n", instruction->text);
        exit(EXIT_FAILURE);
    }
}

/* Random bytes, in memory of their exact size so that the sanitizer detects each read beyond their end. */
static void random_bytes_are_read_to_their_end_only(void)
{
    srand(1);
    for (int i = 0; i < 1000000; i++) {
        size_t count = (size_t)rand() % 16;
        uint8_t *bytes = malloc(count ? count : 1);
        for (size_t j = 0; j < count; j++)
            bytes[j] = (uint8_t)(rand() >> 8);
        if (heavy_of(bytes, count) > HEAVY_NONE)
            exit(EXIT_FAILURE);
        free(bytes);
    }
}

int main(void)
{
    each_instruction_has_its_kind();
    random_bytes_are_read_to_their_end_only();
    puts("PASS heavy: 2 tests");
    return EXIT_SUCCESS;
}
