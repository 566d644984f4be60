// SPDX-License-Identifier: MIT OR Apache-2.0
// What this program can measure: operations alone. Another process of it is as large as it is, so it holds no more.
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
