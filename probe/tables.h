// SPDX-License-Identifier: MIT OR Apache-2.0
// tables.h — the tables of all measures and loads.
#ifndef BACKWALL_PROBE_TABLES_H
#define BACKWALL_PROBE_TABLES_H

struct measure;
struct load;

const struct measure *tables_measure(const char *name);   // NULL when there is none
const struct load *tables_load(const char *name);         // NULL when there is none
const struct measure *tables_operation(const char *test); // NULL when there is none
// Prints the tables, one entry per line, for the host and for a person.
void tables_print(void);

#endif
