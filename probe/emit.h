// SPDX-License-Identifier: MIT OR Apache-2.0
// emit.h — the only writer of the stream. Only one thread may call it. A failed write ends the process.
#ifndef BACKWALL_PROBE_EMIT_H
#define BACKWALL_PROBE_EMIT_H

#include <stdint.h>

struct wire_series;

void emit_hello(void);
void emit_text(const char *key, const char *value);
// Writes a value of a series. The series WIRE_NONE means the whole device.
void emit_value(uint32_t series, const char *name, uint64_t value);
void emit_note(uint32_t severity, const char *text);
// head->points and head->fields are the lengths of the two lists. Each field is a text key=value.
void emit_series(const struct wire_series *head, const char *name, const char *const *points,
                 const char *const *fields);
// Collects the samples of each series in a block. Any other record, or emit_flush, ends all blocks.
void emit_sample(uint32_t series, uint32_t points, uint32_t flags, uint64_t seq, const uint64_t *at);
void emit_lost(uint32_t series, uint32_t reason, uint64_t first_seq, uint64_t count);
void emit_totals(uint32_t series, uint64_t due, uint64_t done, uint64_t lost);
void emit_load(uint32_t load, const char *name, const char *unit);
void emit_progress(uint32_t load, uint64_t at, uint64_t done);
void emit_end(uint32_t reason);
void emit_flush(void);

#endif
