// SPDX-License-Identifier: MIT OR Apache-2.0
// What this program can measure: only operations, so that the program is small. Each further process of it has the same size.
#include "../../../../probe/tables.h"

#include "../../../../probe/operation.h"

const struct measure *tables_measure(const char *name)
{
    (void)name;
    return NULL;
}

const struct load *tables_load(const char *name)
{
    (void)name;
    return NULL;
}

const struct measure *tables_operation(const char *test)
{
    return operation_measure(test);
}

void tables_print(void)
{
}
