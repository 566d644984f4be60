// SPDX-License-Identifier: MIT OR Apache-2.0
// wire.h — the stream that a probe sends to the host tool. FORMAT.md describes every byte.
//
// All numbers are little-endian. Every record is a head and a payload that is a
// multiple of eight bytes. The device sends raw counts of its clock; only the
// host subtracts and converts.
#ifndef BACKWALL_WIRE_H
#define BACKWALL_WIRE_H

#include <stdint.h>

#define WIRE_MAGIC 0x4c4c41574b434142ull // "BACKWALL" as little-endian bytes
#define WIRE_VERSION 2u
#define WIRE_NAME_BYTES_MAX 255u // bytes of a name, without a final NUL
#define WIRE_POINTS_MAX 8u       // most time stamps in a sample
#define WIRE_FIELDS_MAX 16u      // fields of a series
#define WIRE_PAYLOAD_BYTES_MAX 65536u
#define WIRE_ABSENT UINT64_MAX // a point that was not observed
#define WIRE_NONE UINT32_MAX   // no CPU, no series

enum wire_type {
    WIRE_HELLO = 1,    // first record of a stream, once
    WIRE_TEXT = 2,     // a named text about the device
    WIRE_SERIES = 3,   // declares a series before its first sample
    WIRE_SAMPLES = 4,  // a block of consecutive samples
    WIRE_LOST = 5,     // stimuli that got no sample, and why
    WIRE_LOAD = 6,     // declares a load before its first progress
    WIRE_PROGRESS = 7, // progress of a load
    WIRE_VALUE = 8,    // a named number that the device measured about itself
    WIRE_NOTE = 9,     // a sentence for the user
    WIRE_TOTALS = 10,  // the device's own counts for a series
    WIRE_END = 11,     // last record of a whole stream, once
};

enum wire_unit { WIRE_UNIT_TIME = 1, WIRE_UNIT_INSTRUCTIONS = 2 };
enum wire_overrun { WIRE_OVERRUN_SKIP = 0, WIRE_OVERRUN_QUEUE = 1 };
enum wire_loss {
    WIRE_LOSS_OVERRUN = 1,
    WIRE_LOSS_RING_FULL = 2,
    WIRE_LOSS_STOPPED = 3,
    WIRE_LOSS_VOID = 4,
    WIRE_LOSS_ABORTED = 5,
};
enum wire_end { WIRE_END_DONE = 0, WIRE_END_INTERRUPTED = 1, WIRE_END_FAILED = 2 };
enum wire_severity { WIRE_NOTE_INFO = 0, WIRE_NOTE_WARNING = 1, WIRE_NOTE_ERROR = 2 };

#define WIRE_SAMPLES_WARMUP 1u // samples before the steady state: kept, not summarised

struct wire_head {
    uint16_t type;          // enum wire_type
    uint16_t number;        // record count modulo 65536, from 0: a gap means a lost record
    uint32_t payload_bytes; // multiple of 8, at most WIRE_PAYLOAD_BYTES_MAX
};

// Texts are at the end of a payload. A NUL follows each, and NULs fill the payload up to a multiple of 8.

// Texts: kind of device, name of the clock.
struct wire_hello {
    uint64_t magic;    // WIRE_MAGIC
    uint32_t version;  // WIRE_VERSION
    uint32_t unit;     // enum wire_unit: the unit of one count
    uint64_t clock_hz; // counts per second, for every count in this stream; never 0
};

// WIRE_TEXT has only texts: key, value.

// Texts: name, then each point, then each field as key=value.
struct wire_series {
    uint32_t series;   // number used by the records that follow
    uint32_t points;   // in [2, WIRE_POINTS_MAX]; the first is the stimulus
    uint64_t period;   // counts between two stimuli; 0: not periodic
    uint64_t deadline; // counts after the stimulus; 0: none
    uint64_t first_at; // count of the stimulus with seq 0; 0 without a period
    uint32_t overrun;  // enum wire_overrun; 0 without a period
    uint32_t cpu;      // the CPU of the response, or WIRE_NONE
    uint32_t fields;   // at most WIRE_FIELDS_MAX
    uint32_t reserved; // 0
};

// Followed by count * points counts, sample by sample.
struct wire_samples {
    uint32_t series;
    uint32_t count;     // at least 1
    uint64_t first_seq; // the samples' seq numbers are consecutive from here on
    uint32_t flags;     // WIRE_SAMPLES_WARMUP
    uint32_t reserved;  // 0
};

struct wire_lost {
    uint32_t series;
    uint32_t reason; // enum wire_loss
    uint64_t first_seq;
    uint64_t count; // at least 1
};

// Texts: name, unit of what is counted.
struct wire_load {
    uint32_t load;
    uint32_t reserved; // 0
};

struct wire_progress {
    uint32_t load;
    uint32_t reserved; // 0
    uint64_t at;       // count of the clock
    uint64_t done;     // units done since the load began
};

// Text: name, whose last word is the unit ("overhead_min_cycles").
struct wire_value {
    uint32_t series;   // the series it refers to, or WIRE_NONE: the whole device
    uint32_t reserved; // 0
    uint64_t value;
};

// Text: the sentence.
struct wire_note {
    uint32_t severity; // enum wire_severity
    uint32_t reserved; // 0
};

struct wire_totals {
    uint32_t series;
    uint32_t reserved; // 0
    uint64_t due;      // due = done + lost
    uint64_t done;
    uint64_t lost;
};

struct wire_end_record {
    uint32_t reason;   // enum wire_end
    uint32_t reserved; // 0
    uint64_t records;  // records before this one
};

_Static_assert(sizeof(struct wire_head) == 8, "wire_head");
_Static_assert(sizeof(struct wire_hello) == 24, "wire_hello");
_Static_assert(sizeof(struct wire_series) == 48, "wire_series");
_Static_assert(sizeof(struct wire_samples) == 24, "wire_samples");
_Static_assert(sizeof(struct wire_lost) == 24, "wire_lost");
_Static_assert(sizeof(struct wire_load) == 8, "wire_load");
_Static_assert(sizeof(struct wire_progress) == 24, "wire_progress");
_Static_assert(sizeof(struct wire_value) == 16, "wire_value");
_Static_assert(sizeof(struct wire_note) == 8, "wire_note");
_Static_assert(sizeof(struct wire_totals) == 32, "wire_totals");
_Static_assert(sizeof(struct wire_end_record) == 16, "wire_end_record");

#endif
