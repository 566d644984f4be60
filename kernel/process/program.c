// SPDX-License-Identifier: MIT OR Apache-2.0
// Loads programs: ELF files in the boot module, which is an archive made by `ar`. It checks every value in a file. System V ABI,
// 4 (object files) and 5 (program loading); ar(5), the System V form with names up to 15 letters.
#include "process/program.h"

#include "process/pages.h"

#include "board.h"
#include "core/error.h"

#define ARCHIVE_MAGIC 0x0A3E686372613C21ull // "!<arch>" and a line end
#define SIZE_DIGITS 10
#define SEGMENTS_LIMIT 16 // segments of one program
#define ELF_MAGIC 0x464C457Fu
#define ELF_CLASS_64_LITTLE 0x0102
#define ELF_EXECUTABLE 2
#define SEGMENT_LOAD 1
#define SEGMENT_EXECUTE 1
#define SEGMENT_WRITE 2

struct member {
    char name[PROCESS_NAME_CHARS], date[12], owner[6], group[6], mode[8], size[SIZE_DIGITS], end[2];
};

struct elf_header {
    uint32_t magic;
    uint16_t class_and_order;
    uint8_t rest[10];
    uint16_t type, machine;
    uint32_t version;
    uint64_t start, segments, sections;
    uint32_t flags;
    uint16_t bytes, segment_bytes, segment_count;
};

struct elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, physical, file_bytes, memory_bytes, alignment;
};

struct file {
    const uint8_t *bytes;
    size_t count;
};

static bool name_is(const char *stored, const char *name)
{
    for (unsigned i = 0; i < PROCESS_NAME_CHARS; i++) {
        if (stored[i] == '/')
            return name[i] == '\0' && i > 0;
        if (stored[i] != name[i])
            return false;
    }
    return false;
}

// Reads up to the first character that is not a digit.
static size_t size_read(const char *digits)
{
    size_t size = 0;
    for (unsigned i = 0; i < SIZE_DIGITS && digits[i] >= '0' && digits[i] <= '9'; i++)
        size = size * 10 + (size_t)(digits[i] - '0');
    return size;
}

static bool file_find(const char *name, struct file *file)
{
    uint64_t magic = 0;
    size_t all, at = sizeof magic;
    const uint8_t *archive = boot_module(&all);
    struct member member;
    if (all < at)
        return false;
    __builtin_memcpy(&magic, archive, sizeof magic);
    if (magic != ARCHIVE_MAGIC)
        return false;
    while (all - at >= sizeof member) { // each round skips a member
        __builtin_memcpy(&member, archive + at, sizeof member);
        size_t size = size_read(member.size);
        at += sizeof member;
        if (size > all - at)
            return false;
        if (name_is(member.name, name)) {
            *file = (struct file){archive + at, size};
            return true;
        }
        at += size + (size & 1) <= all - at ? size + (size & 1) : all - at;
    }
    return false;
}

static bool within(uint64_t start, uint64_t bytes, uint64_t from, uint64_t end)
{
    return start >= from && start <= end && bytes <= end - start;
}

static bool header_is_good(const struct elf_header *header, const struct file *file)
{
    return header->magic == ELF_MAGIC && header->class_and_order == ELF_CLASS_64_LITTLE
           && header->type == ELF_EXECUTABLE && header->machine == PROGRAM_MACHINE
           && header->segment_bytes == sizeof(struct elf_segment) && header->segment_count <= SEGMENTS_LIMIT
           && within(header->segments, header->segment_count * sizeof(struct elf_segment), 0, file->count)
           && within(header->start, 1, USER_IMAGE, USER_IMAGE_END);
}

static bool segment_is_good(const struct elf_segment *segment, const struct file *file)
{
    return within(segment->offset, segment->file_bytes, 0, file->count) && segment->file_bytes <= segment->memory_bytes
           && within(segment->address, segment->memory_bytes, USER_IMAGE, USER_IMAGE_END);
}

// Copies the part of the segment that belongs to the page at that address.
static void page_fill(uint8_t *page, uint64_t address, const struct elf_segment *segment, const struct file *file)
{
    uint64_t file_end = segment->address + segment->file_bytes;
    uint64_t from = address > segment->address ? address : segment->address;
    uint64_t to = address + PAGE_BYTES < file_end ? address + PAGE_BYTES : file_end;
    if (from < to)
        __builtin_memcpy(page + (from - address), file->bytes + segment->offset + (from - segment->address), to - from);
}

static bool segment_load(struct process *process, const struct elf_segment *segment, const struct file *file)
{
    uint64_t allows =
        (segment->flags & SEGMENT_WRITE ? PAGE_WRITE : 0) | (segment->flags & SEGMENT_EXECUTE ? 0 : PAGE_NO_CODE);
    uint64_t end = segment->address + segment->memory_bytes;
    for (uint64_t at = segment->address & ~(uint64_t)(PAGE_BYTES - 1); at < end; at += PAGE_BYTES) {
        uint8_t *page = pages_map(process, at, allows);
        if (page == NULL)
            return thread_error(ERROR_NOT_ENOUGH_MEMORY);
        page_fill(page, at, segment, file);
        if (segment->flags & SEGMENT_EXECUTE)
            page_is_code(page);
    }
    return true;
}

bool program_load(struct process *process, const char *program, uint64_t *start)
{
    struct file file;
    struct elf_header header;
    struct elf_segment segment;
    if (!file_find(program, &file))
        return thread_error(ERROR_FILE_NOT_FOUND);
    if (file.count < sizeof header)
        return thread_error(ERROR_BAD_EXE_FORMAT);
    __builtin_memcpy(&header, file.bytes, sizeof header);
    if (!header_is_good(&header, &file))
        return thread_error(ERROR_BAD_EXE_FORMAT);
    for (unsigned i = 0; i < header.segment_count; i++) {
        __builtin_memcpy(&segment, file.bytes + header.segments + i * sizeof segment, sizeof segment);
        if (segment.type != SEGMENT_LOAD)
            continue;
        if (!segment_is_good(&segment, &file))
            return thread_error(ERROR_BAD_EXE_FORMAT);
        if (!segment_load(process, &segment, &file))
            return false;
    }
    *start = header.start;
    return true;
}
