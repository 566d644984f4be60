/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Receives the bench's interrupt through uio_pci_generic, the kernel's driver for any PCI device. The driver's handler
 * masks the device's interrupt and wakes the reader of /dev/uio0. The reader unmasks the interrupt again
 * (Documentation/driver-api/uio-howto.rst). This is the same on every machine.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../bench/ports.h"

/* In a device's configuration space: the command register, and its bit that masks the interrupt. */
enum { COMMAND_AT = 4, COMMAND_INTERRUPT_MASKED = 1 << 10 };

static const char DRIVER[] = "/sys/bus/pci/drivers/uio_pci_generic/new_id";
static const char DEVICE_ID[] = "1234 11e8";
static const char DEVICE[] = "/dev/uio0";
static const char CONFIGURATION[] = "/sys/class/uio/uio0/device/config";

static int device_file, configuration_file;
static uint16_t command;

static int file_open(const char *path, int how, const char *wants)
{
    int file = open(path, how);
    if (file < 0)
        boot_fail(path, wants ? wants : strerror(errno));
    return file;
}

void interrupt_prepare(void)
{
    int driver = file_open(DRIVER, O_WRONLY, "the kernel needs UIO and UIO_PCI_GENERIC");
    if (write(driver, DEVICE_ID, sizeof DEVICE_ID - 1) < 0 && errno != EEXIST)
        boot_fail(DRIVER, strerror(errno));
    close(driver);
    device_file = file_open(DEVICE, O_RDONLY, "the driver took no PCI device 1234:11e8 with an interrupt");
    configuration_file = file_open(CONFIGURATION, O_RDWR, NULL);
    if (pread(configuration_file, &command, sizeof command, COMMAND_AT) != sizeof command)
        boot_fail(CONFIGURATION, strerror(errno));
    command &= (uint16_t)~COMMAND_INTERRUPT_MASKED;
}

const char *interrupt_open(void)
{
    port_write(CONNECTOR_A_PORT + CONNECTOR_CONTROL, CONNECTOR_ARMED);
    return NULL;
}

bool interrupt_wait(void)
{
    uint32_t interrupts;
    return read(device_file, &interrupts, sizeof interrupts) == sizeof interrupts;
}

/* Lowers the device's interrupt before unmasking it. If it were still raised, another interrupt would come at once. */
void interrupt_done(void)
{
    port_write(CONNECTOR_ACKNOWLEDGE_PORT, 1);
    if (pwrite(configuration_file, &command, sizeof command, COMMAND_AT) != sizeof command)
        boot_fail(CONFIGURATION, strerror(errno));
}
