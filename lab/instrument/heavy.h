/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heavy instructions take far longer on a real CPU than the single instruction that they count as here. This file finds
 * the kind of an x86 instruction from its bytes.
 */
#ifndef HEAVY_H
#define HEAVY_H

#include <stddef.h>
#include <stdint.h>

enum heavy {
    HEAVY_CR3,    /* loads of the page root */
    HEAVY_MSR,    /* rdmsr, wrmsr */
    HEAVY_PORT,   /* in, out and their string forms */
    HEAVY_DEVICE, /* memory accesses that a device answers, including the local APIC; detected at execution */
    HEAVY_DIVIDE, /* div, idiv */
    HEAVY_FLAG,   /* cli, sti, popf */
    HEAVY_LOCKED, /* lock prefix, or xchg with memory, which implies it */
    HEAVY_BIT,    /* bt, bts, btr, btc of a register's bit number in memory */
    HEAVY_FPU,    /* saves and restores of the floating-point state */
    HEAVY_RETURN, /* iret */
    HEAVY_KINDS,
    HEAVY_STAMP = HEAVY_KINDS, /* rdtsc: not heavy itself, but counts begin and end at it */
    HEAVY_NONE,
};

/* The kind's name in the counts that the guest reads. */
extern const char *const HEAVY_NAMES[HEAVY_KINDS];

/*
 * The kind of one instruction of 16-, 32- or 64-bit code. `bytes` must be the whole instruction. The mode need not be known: the
 * bytes 0x40 to 0x4F are prefixes if more bytes follow, and otherwise whole instructions.
 */
enum heavy heavy_of(const uint8_t *bytes, size_t count);

#endif
