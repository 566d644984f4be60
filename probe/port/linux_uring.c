// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: io_uring by its system calls alone (io_uring_setup(2), io_uring_enter(2)), one request at a time.
#define _GNU_SOURCE
#include "linux_uring.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct uring {
    int file;
    struct io_uring_sqe *requests;
    uint32_t *request_tail;
    uint32_t *request_mask;
    uint32_t *request_array;
    uint32_t *completion_head;
};

static void *uring_map(int file, size_t bytes, uint64_t offset)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, (off_t)offset);
}

static const char *uring_refuse(void)
{
    static char why[160];

    snprintf(why, sizeof why,
             "this kernel provides no io_uring (%s): see sysctl kernel.io_uring_disabled or the container's filter",
             strerror(errno));
    return why;
}

const char *linux_uring_make(void *room)
{
    struct uring *own = room;
    struct io_uring_params given = {0};

    own->file = (int)syscall(SYS_io_uring_setup, 1, &given);
    if (own->file < 0)
        return uring_refuse();
    char *requests = uring_map(own->file, given.sq_off.array + given.sq_entries * sizeof(uint32_t), IORING_OFF_SQ_RING);
    char *completions =
        uring_map(own->file, given.cq_off.cqes + given.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);

    own->requests = uring_map(own->file, given.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
    if (requests == MAP_FAILED || completions == MAP_FAILED || own->requests == MAP_FAILED)
        return uring_refuse();
    own->request_tail = (uint32_t *)(requests + given.sq_off.tail);
    own->request_mask = (uint32_t *)(requests + given.sq_off.ring_mask);
    own->request_array = (uint32_t *)(requests + given.sq_off.array);
    own->completion_head = (uint32_t *)(completions + given.cq_off.head);
    return NULL;
}

void linux_uring_repeat(void *room, uint32_t times)
{
    struct uring *own = room;

    while (times-- > 0) {
        uint32_t tail = *own->request_tail;
        uint32_t place = tail & *own->request_mask;

        own->requests[place] = (struct io_uring_sqe){.opcode = IORING_OP_NOP};
        own->request_array[place] = place;
        __atomic_store_n(own->request_tail, tail + 1, __ATOMIC_RELEASE);
        if (syscall(SYS_io_uring_enter, own->file, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1)
            __atomic_store_n(own->completion_head, *own->completion_head + 1, __ATOMIC_RELEASE);
    }
}
