// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: what only loads need: system calls, a screen, a file, the network stack.
#define _GNU_SOURCE
#include "port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void linux_call_identity(void)
{
    syscall(SYS_getppid);
}

static void linux_call_lookup(void)
{
    struct stat status;

    stat("/", &status);
}

static void linux_call_open(void)
{
    close(open("/dev/null", O_WRONLY | O_CLOEXEC));
}

static void linux_call_poll(void)
{
    poll(NULL, 0, 0);
}

void port_system_call(uint64_t turn)
{
    static void (*const CALLS[])(void) = {linux_call_identity, linux_call_lookup, linux_call_open, linux_call_poll};

    CALLS[turn % (sizeof CALLS / sizeof CALLS[0])]();
}

// The kernel's interface to a screen; see its Documentation/fb/framebuffer.rst.
const char *port_screen_open(struct port_screen *screen)
{
    struct fb_var_screeninfo variable;
    struct fb_fix_screeninfo fixed;
    int file = open("/dev/fb0", O_RDWR | O_CLOEXEC);

    if (file < 0 || ioctl(file, FBIOGET_VSCREENINFO, &variable) < 0 || ioctl(file, FBIOGET_FSCREENINFO, &fixed) < 0)
        return "/dev/fb0 cannot be opened: run as root on a console with a frame buffer, or leave out --framebuffer";
    if (variable.bits_per_pixel != 32)
        return "/dev/fb0 does not have 32 bits per pixel: change its mode, or leave out --framebuffer";
    void *pixels = mmap(NULL, fixed.smem_len, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    if (pixels == MAP_FAILED)
        return "/dev/fb0 cannot be mapped; leave out --framebuffer";
    *screen = (struct port_screen){pixels, variable.xres, variable.yres, fixed.line_length / 4};
    return NULL;
}

// A handle contains a file descriptor.
static struct port_handle linux_handle(int descriptor)
{
    return (struct port_handle){(uintptr_t)descriptor};
}

static int linux_descriptor(struct port_handle handle)
{
    return (int)handle.opaque;
}

// Not every file system supports files without a name. If this one does not, create a file and unlink it at once.
static int linux_file_in(const char *folder)
{
    char path[512];
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (file >= 0)
        return file;
    snprintf(path, sizeof path, "%s/backwall-XXXXXX", folder);
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

const char *port_file_create(struct port_handle *file)
{
    const char *chosen = getenv("TMPDIR");
    const char *folders[] = {chosen ? chosen : "/var/tmp", "/tmp", "."};

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        int made = linux_file_in(folders[i]);

        *file = linux_handle(made);
        if (made >= 0)
            return NULL;
        if (chosen)
            return "the folder of TMPDIR cannot hold a temporary file: set TMPDIR to one that can";
    }
    return "no temporary file can be made in /var/tmp, /tmp or here: set TMPDIR to a folder that can be written";
}

bool port_file_write(struct port_handle file, const void *bytes, size_t count, uint64_t offset, const char **why)
{
    static char line[128];
    ssize_t written = pwrite(linux_descriptor(file), bytes, count, (off_t)offset);

    if (written == (ssize_t)count && fdatasync(linux_descriptor(file)) == 0)
        return true;
    if (written >= 0 && (size_t)written < count)
        return false; // a short write: the rest had no space
    // A limit on file sizes (ulimit -f) counts as a full disk.
    if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) {
        snprintf(line, sizeof line, "the temporary file cannot be written: %s", strerror(errno));
        *why = line;
    }
    return false;
}

const char *port_loopback_open(struct port_handle *sender, struct port_handle *receiver)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t bytes = sizeof address;

    int to = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int from = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    *receiver = linux_handle(to);
    *sender = linux_handle(from);
    if (to < 0 || from < 0)
        return "no socket can be made: the kernel lacks IPv4, or the limit of open files is reached";
    if (bind(to, (struct sockaddr *)&address, bytes) == 0 && getsockname(to, (struct sockaddr *)&address, &bytes) == 0
        && connect(from, (struct sockaddr *)&address, bytes) == 0)
        return NULL;
    return "127.0.0.1 cannot be used: bring the loopback interface up (ip link set lo up)";
}

bool port_loopback_send(struct port_handle sender, const void *bytes, size_t count)
{
    return send(linux_descriptor(sender), bytes, count, 0) == (ssize_t)count || errno == EINTR || errno == ENOBUFS;
}

bool port_loopback_receive(struct port_handle receiver, void *bytes, size_t count)
{
    return recv(linux_descriptor(receiver), bytes, count, 0) > 0;
}
