/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Does what a first process must do: mounts file systems, loads modules, and stops with a readable message if something is
 * missing.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_BYTES = 512, COMPRESSED = 4 /* MODULE_INIT_COMPRESSED_FILE of finit_module(2) */ };

static const char MODULES[] = "/modules";

static const struct mount_point {
    const char *type, *path;
} MOUNTS[] = {{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}};

void boot_fail(const char *what, const char *why)
{
    printf("bench: %s: %s\n", what, why);
    fflush(stdout);
    lines_end(1);
    _exit(1);
}

#define TEXT_OF(number) #number
#define TEXT(name) TEXT_OF(name)

/* Gives the port's driver the address and the interrupt of the port. By itself, the driver would find only the address. */
static const char *module_parameters(const char *name)
{
    return strstr(name, "parport_pc") ? "io=" TEXT(CONNECTOR_A_PORT) " irq=" TEXT(CONNECTOR_A_IRQ) : "";
}

static void module_load(const char *name)
{
    char path[PATH_BYTES];
    const char *ending = strrchr(name, '.');
    int flags = ending && strcmp(ending, ".ko") == 0 ? 0 : COMPRESSED;
    snprintf(path, sizeof path, "%s/%s", MODULES, name);
    int file = open(path, O_RDONLY);
    if (file < 0 || (syscall(SYS_finit_module, file, module_parameters(name), flags) != 0 && errno != EEXIST))
        boot_fail(path, strerror(errno));
    close(file);
}

static int is_module(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void modules_load(void)
{
    struct dirent **entries;
    int count = scandir(MODULES, &entries, is_module, alphasort);
    for (int i = 0; i < count; i++)
        module_load(entries[i]->d_name);
}

/* Lets real-time threads use all CPU time, because the guest runs only the bench. */
static void throttling_off(void)
{
    FILE *file = fopen("/proc/sys/kernel/sched_rt_runtime_us", "w");
    if (!file)
        return;
    fputs("-1", file);
    fclose(file);
}

/* Loads that send to themselves need the loopback interface. A kernel without network has none. */
static void loopback_up(void)
{
    struct ifreq interface = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    if (datagrams < 0)
        return;
    ioctl(datagrams, SIOCSIFFLAGS, &interface);
    close(datagrams);
}

void boot_machine(void)
{
    for (size_t i = 0; i < sizeof MOUNTS / sizeof MOUNTS[0]; i++) {
        if (mount(MOUNTS[i].type, MOUNTS[i].path, MOUNTS[i].type, 0, NULL) != 0 && errno != EBUSY)
            boot_fail(MOUNTS[i].path, strerror(errno));
    }
    modules_load();
    throttling_off();
    loopback_up();
}

/* Functions only: a line of /proc/kallsyms is `address type name`, and the types t, T, w and W are code. */
void names_tell(void)
{
    char line[PATH_BYTES];
    FILE *file = fopen("/proc/kallsyms", "r");
    if (!file)
        boot_fail("/proc/kallsyms", strerror(errno));
    while (fgets(line, sizeof line, file)) {
        const char *type = strchr(line, ' ');
        if (type && strchr("tTwW", type[1]))
            lines_send(line, strlen(line));
    }
    fclose(file);
}
