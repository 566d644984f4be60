/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Receives the bench's interrupt through the GPIO character device, by which a program on a board waits for a line's edge. */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../bench/ports.h"

static const char CHIP[] = "/dev/gpiochip0";

static int line_file;

void interrupt_prepare(void)
{
    struct gpio_v2_line_request request = {
        .offsets = {CONNECTOR_ARM64_GPIO},
        .consumer = "bench",
        .config = {.flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING},
        .num_lines = 1,
    };
    int chip = open(CHIP, O_RDONLY);
    if (chip < 0)
        boot_fail(CHIP, "the kernel needs GPIO_PL061 and GPIO_CDEV");
    if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) != 0)
        boot_fail(CHIP, strerror(errno));
    close(chip);
    line_file = request.fd;
}

const char *interrupt_open(void)
{
    port_write(CONNECTOR_A_PORT + CONNECTOR_CONTROL, CONNECTOR_ARMED);
    return NULL;
}

/* Each read returns one edge; the kernel keeps the edges that have not been read. */
bool interrupt_wait(void)
{
    struct gpio_v2_line_event event;
    return read(line_file, &event, sizeof event) == sizeof event;
}

void interrupt_done(void)
{
}
