// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the end of memory and the boot loader's command line from the device tree. Also allocates the memory after the
// image; allocated memory is never freed. Devicetree Specification 0.4, chapter 5 (flattened format).
#include "board.h"
#include "core/ready.h"
#include "machine.h"
#include "port.h"
#include "ports/memory_give.h"

#define TREE_MAGIC 0xD00DFEED
#define TREE_BYTES_MOST (1u << 20)
#define MEMORY_WITHOUT_WORD (32u << 20) // memory size if the device tree does not give it
#define LINE_CHARS 256

enum { TOKEN_NODE = 1, TOKEN_NODE_END = 2, TOKEN_PROPERTY = 3, TOKEN_NOTHING = 4 };
enum { TREE_WORD_STRUCTURE = 2, TREE_WORD_STRINGS = 3 }; // word index in the device tree's header

extern uint64_t boot_device_tree;
extern const uint64_t boot_image_end; // stored as a constant, because a relative address cannot reach it
extern const struct {
    uint64_t start, end;
} boot_module_place;
static uint64_t next, end;
static char line[LINE_CHARS] = "detent "; // a PC's boot loader also begins the line with the kernel's name

static uint32_t big_endian(const void *word)
{
    return __builtin_bswap32(*(const uint32_t *)word);
}

static bool begins(const char *text, const char *with)
{
    while (*with != '\0' && *text == *with)
        text++, with++;
    return *with == '\0';
}

static void line_take(const char *words)
{
    unsigned length = sizeof "detent " - 1;
    for (; *words != '\0' && length < LINE_CHARS - 1; words++)
        line[length++] = *words;
    line[length] = '\0';
}

// Address and size consist of two words each.
static void memory_found(const uint32_t *reg)
{
    uint64_t from = (uint64_t)big_endian(&reg[0]) << 32 | big_endian(&reg[1]);
    uint64_t bytes = (uint64_t)big_endian(&reg[2]) << 32 | big_endian(&reg[3]);
    if (from == RAM)
        end = RAM + (bytes < RAM_MOST ? bytes : RAM_MOST);
}

static void property_read(const char *node, const char *name, const uint32_t *value, uint32_t bytes)
{
    if (begins(node, "memory") && begins(name, "reg") && bytes >= 4 * sizeof *value)
        memory_found(value);
    if (begins(node, "chosen") && begins(name, "bootargs"))
        line_take((const char *)value);
}

static uint32_t words_of(uint32_t bytes)
{
    return (bytes + 3) / 4;
}

static void tree_read(const uint32_t *tree)
{
    const uint32_t *word = tree + big_endian(&tree[TREE_WORD_STRUCTURE]) / 4, *last = tree + TREE_BYTES_MOST / 4;
    const char *strings = (const char *)tree + big_endian(&tree[TREE_WORD_STRINGS]), *node = "";
    while (word < last) {
        uint32_t token = big_endian(word++);
        if (token == TOKEN_NODE) {
            node = (const char *)word;
            uint32_t length = 0;
            while (node[length] != '\0')
                length++;
            word += words_of(length + 1);
        } else if (token == TOKEN_PROPERTY) {
            property_read(node, strings + big_endian(&word[1]), &word[2], big_endian(&word[0]));
            word += 2 + words_of(big_endian(&word[0]));
        } else if (token != TOKEN_NODE_END && token != TOKEN_NOTHING) {
            return;
        }
    }
}

const char *memory_init(void)
{
    const uint32_t *tree = (const uint32_t *)(boot_device_tree != 0 ? boot_device_tree : RAM);
    next = (boot_image_end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    end = RAM + MEMORY_WITHOUT_WORD;
    if (big_endian(tree) == TREE_MAGIC)
        tree_read(tree);
    return line;
}

void *memory_take(size_t bytes)
{
    return memory_give(&next, end, bytes);
}

// The boot module is part of the image (detent.ld), because the boot loaders of boards cannot load a second file.
const void *boot_module(size_t *bytes)
{
    *bytes = boot_module_place.end - boot_module_place.start;
    return (const void *)boot_module_place.start;
}
