// SPDX-License-Identifier: MIT OR Apache-2.0
// Names of addresses: a table of all functions, sorted, that the build puts behind the image's constants.
#include "port.h"

// Made by symbols.sh: address, then a pointer to the name; the last entry is past the end of all code.
struct symbol {
    uint64_t address;
    const char *name;
};

extern const struct symbol symbols_start[], symbols_end[];

const char *symbol_name(uintptr_t address, uintptr_t *offset)
{
    const struct symbol *found = NULL;
    for (const struct symbol *s = symbols_start; s < symbols_end && s->address <= address; s++)
        found = s;
    if (found == NULL || found + 1 == symbols_end)
        return "unknown";
    if (offset != NULL)
        *offset = address - found->address;
    return found->name;
}
