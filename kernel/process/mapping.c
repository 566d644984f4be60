// SPDX-License-Identifier: MIT OR Apache-2.0
// See mapping.h. All pages are allocated at the start, so using a view never fails for lack of memory.
#include "process/mapping.h"

#include "process/frames.h"
#include "core/error.h"
#include "core/names.h"

static struct mapping mappings[MAPPINGS_MAX];

void mapping_close(struct mapping *mapping)
{
    if (--mapping->uses != 0)
        return;
    while (mapping->pages > 0)
        frame_give((uint64_t *)mapping->frames[--mapping->pages]);
    frame_give(mapping->frames);
}

// Finds the shared memory with that name; NULL if there is none.
static struct mapping *mapping_find(const char *name)
{
    for (struct mapping *mapping = mappings; mapping < mappings + MAPPINGS_MAX && name[0] != '\0'; mapping++)
        if (mapping->uses != 0 && names_equal(mapping->name, name))
            return mapping;
    return NULL;
}

// Allocates all of the mapping's pages or none.
static struct mapping *mapping_new(const char *name, uint32_t pages)
{
    struct mapping *mapping = mappings;
    while (mapping < mappings + MAPPINGS_MAX && mapping->uses != 0)
        mapping++;
    if (mapping == mappings + MAPPINGS_MAX || pages >= frames_free()) {
        thread_error(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    mapping->frames = frame_take();
    for (mapping->pages = 0; mapping->pages < pages; mapping->pages++)
        mapping->frames[mapping->pages] = (uint64_t)frame_take();
    __builtin_memcpy(mapping->name, name, sizeof mapping->name);
    thread_error(ERROR_SUCCESS);
    return mapping;
}

struct mapping *mapping_open(const char *name, uint32_t pages)
{
    struct mapping *mapping = mapping_find(name);
    if (mapping != NULL)
        thread_error(ERROR_ALREADY_EXISTS);
    else
        mapping = mapping_new(name, pages);
    if (mapping != NULL)
        mapping->uses++;
    return mapping;
}
