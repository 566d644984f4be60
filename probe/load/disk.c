// SPDX-License-Identifier: MIT OR Apache-2.0
// disk: writes a temporary file without a name, and waits for the disk after each block.
//
// The file never grows beyond DISK_BYTES_MAX. If the disk is full before that, the load warns and overwrites the file.
#include "../load.h"
#include "../port/port.h"

#define DISK_BYTES_MAX (64u << 20)
#define DISK_BLOCK_BYTES (256u << 10)
#define DISK_BLOCKS_PER_MEBIBYTE 4u

static struct port_handle disk_file;
static unsigned char disk_block[DISK_BLOCK_BYTES];

static const char *disk_prepare(struct load_run *run)
{
    (void)run;
    return port_file_create(&disk_file);
}

static void disk_run(struct load_run *run, unsigned which)
{
    const char *why = NULL;
    uint64_t at = 0;

    disk_block[0] = (unsigned char)(which + 1);
    for (uint64_t blocks = 0; !load_stopped(run);) {
        if (port_file_write(disk_file, disk_block, DISK_BLOCK_BYTES, at, &why)) {
            at = (at + DISK_BLOCK_BYTES) % DISK_BYTES_MAX;
            load_count(run, ++blocks % DISK_BLOCKS_PER_MEBIBYTE == 0);
        } else if (why || at == 0) {
            load_fail(run, why ? why : "load disk: the disk is full; free 256 KiB or set TMPDIR to another disk");
            return;
        } else {
            load_warn(run, "load disk: the disk is full, so the load writes over what it has");
            at = 0;
        }
    }
}

const struct load load_disk = {
    .name = "disk",
    .unit = "mebibytes",
    .summary = "writes up to 64 MiB in blocks of 256 KiB and waits for the disk after each",
    .threads = 1,
    .prepare = disk_prepare,
    .run = disk_run,
};
