/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A BPF program that writes each thread switch to a BPF ring: time, thread and, if requested, the number of the kernel's stack.
 *
 * bpf(2), bpf-helpers(7); the helpers' numbers are those of linux/bpf.h.
 */
#define _GNU_SOURCE
#include "recorder.h"

#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bytes of a record in the ring, including the ring's own header. */
enum {
    RECORD_BYTES = 24,
    HEADER_BYTES = 8,
    STACK_FRAMES = 64,
    STACKS_MAX = 4096,
    LEAST_RING_BYTES = 4096,
    LOG_BYTES = 8192
};

/* Offsets of the record's fields from the frame pointer: time, thread, stack. */
enum { TIME_AT = -24, THREAD_AT = -16, STACK_AT = -8 };

static int ring, stacks, page_bytes;

static int bpf(int command, union bpf_attr *attributes)
{
    return (int)syscall(SYS_bpf, command, attributes, sizeof *attributes);
}

static int map_new(const union bpf_attr *attributes)
{
    union bpf_attr copy = *attributes;
    int map = bpf(BPF_MAP_CREATE, &copy);
    if (map < 0)
        record_fail("a map of BPF");
    return map;
}

static struct bpf_insn copy_register(uint8_t to, uint8_t from)
{
    return (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = to, .src_reg = from};
}

static struct bpf_insn set_register(uint8_t to, int32_t value)
{
    return (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = to, .imm = value};
}

static struct bpf_insn add_to(uint8_t to, int32_t value)
{
    return (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = to, .imm = value};
}

static struct bpf_insn call(int32_t helper)
{
    return (struct bpf_insn){.code = BPF_JMP | BPF_CALL, .imm = helper};
}

/* Stores the result of the last call. */
static struct bpf_insn keep(int16_t at)
{
    return (struct bpf_insn){
        .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_0, .off = at};
}

/* A load of a map's number takes two instructions; the second holds the number's upper half. */
static struct bpf_insn map_into(uint8_t to, int map)
{
    return (struct bpf_insn){
        .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = to, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map};
}

static unsigned stack_written(struct bpf_insn *into, bool stack)
{
    unsigned count = 0;
    if (stack) {
        into[count++] = copy_register(BPF_REG_1, BPF_REG_6);
        into[count++] = map_into(BPF_REG_2, stacks);
        into[count++] = (struct bpf_insn){0};
        into[count++] = set_register(BPF_REG_3, BPF_F_FAST_STACK_CMP);
        into[count++] = call(BPF_FUNC_get_stackid);
    } else {
        into[count++] = set_register(BPF_REG_0, 0);
    }
    into[count++] = keep(STACK_AT);
    return count;
}

static unsigned written(struct bpf_insn *into, bool stack)
{
    unsigned count = 0;
    into[count++] = copy_register(BPF_REG_6, BPF_REG_1);
    count += stack_written(into + count, stack);
    into[count++] = call(BPF_FUNC_ktime_get_ns);
    into[count++] = keep(TIME_AT);
    into[count++] = call(BPF_FUNC_get_current_pid_tgid);
    into[count++] = keep(THREAD_AT);
    into[count++] = map_into(BPF_REG_1, ring);
    into[count++] = (struct bpf_insn){0};
    into[count++] = copy_register(BPF_REG_2, BPF_REG_10);
    into[count++] = add_to(BPF_REG_2, TIME_AT);
    into[count++] = set_register(BPF_REG_3, RECORD_BYTES);
    into[count++] = set_register(BPF_REG_4, BPF_RB_NO_WAKEUP);
    into[count++] = call(BPF_FUNC_ringbuf_output);
    into[count++] = set_register(BPF_REG_0, 0);
    into[count++] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
    return count;
}

void bpf_begin(bool stack, uint64_t events)
{
    static char log[LOG_BYTES];
    struct bpf_insn program[32];
    uint32_t ring_bytes = LEAST_RING_BYTES;
    page_bytes = (int)sysconf(_SC_PAGESIZE);
    while (ring_bytes < events * (RECORD_BYTES + HEADER_BYTES))
        ring_bytes *= 2;
    ring = map_new(&(union bpf_attr){.map_type = BPF_MAP_TYPE_RINGBUF, .max_entries = ring_bytes});
    if (stack)
        stacks = map_new(&(union bpf_attr){.map_type = BPF_MAP_TYPE_STACK_TRACE,
                                           .key_size = sizeof(uint32_t),
                                           .value_size = STACK_FRAMES * sizeof(uint64_t),
                                           .max_entries = STACKS_MAX});
    union bpf_attr load = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
                           .insns = (uintptr_t)program,
                           .insn_cnt = written(program, stack),
                           .license = (uintptr_t) "Dual MIT/GPL",
                           .log_buf = (uintptr_t)log,
                           .log_size = sizeof log,
                           .log_level = 1};
    int loaded = bpf(BPF_PROG_LOAD, &load);
    if (loaded < 0)
        record_fail(log[0] ? log : "a program of BPF");
    union bpf_attr attach = {.raw_tracepoint = {.name = (uintptr_t) "sched_switch", .prog_fd = (uint32_t)loaded}};
    if (bpf(BPF_RAW_TRACEPOINT_OPEN, &attach) < 0)
        record_fail("attaching a program of BPF to thread switches");
}

/* The ring's write position is at the beginning of its second page. */
uint64_t bpf_written(void)
{
    volatile const uint64_t *position = mmap(NULL, (size_t)page_bytes, PROT_READ, MAP_SHARED, ring, page_bytes);
    if (position == MAP_FAILED)
        record_fail("the ring of BPF");
    return *position / (RECORD_BYTES + HEADER_BYTES);
}
