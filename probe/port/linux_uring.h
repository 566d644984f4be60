// SPDX-License-Identifier: MIT OR Apache-2.0
// linux_uring.h — an empty request to io_uring and its completion.
#ifndef BACKWALL_PORT_LINUX_URING_H
#define BACKWALL_PORT_LINUX_URING_H

#include <stdint.h>

const char *linux_uring_make(void *room);
void linux_uring_repeat(void *room, uint32_t times);

#endif
