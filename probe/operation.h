// SPDX-License-Identifier: MIT OR Apache-2.0
// operation.h — a row of the table of operations, and what all kinds of operations share.
#ifndef BACKWALL_PROBE_OPERATION_H
#define BACKWALL_PROBE_OPERATION_H

#include "measure.h"
#include "port/operations.h"
#include "port/port.h"

#include <stdbool.h>
#include <stdint.h>

enum operation_place {
    OPERATION_ACROSS = 1,    // the other thread is in another process
    OPERATION_SWEPT = 2,     // the caches are swept before each sample
    OPERATION_ELSEWHERE = 4, // the other thread is on another CPU
    OPERATION_ORDINARY = 8,  // both threads have the ordinary scheduler
    OPERATION_POINTERS = 16, // the words of a call are addresses of data that the other thread reads
};

struct operation {
    const char *test; // id and variant, such as 1.00
    uint32_t paper;   // row of the 2002 paper's Table 2; 0: it has none
    const char *name; // name of the series
    const struct operation_kind *kind;
    const char *object;    // the port's name of the object that is waited on or called
    unsigned place;        // flags of enum operation_place
    uint32_t batch;        // iterations in the smallest batch; 0: one iteration per sample
    uint32_t words;        // words that a call passes, at most OPERATION_WORDS
    const char *fields[2]; // fields of the series: the test; NULL
    const char *says;      // one sentence without the full stop
};

// The whole table, in order.
extern const struct operation OPERATIONS[];
extern const uint32_t OPERATIONS_COUNT;

// The measure of one row; NULL if there is no such test. Only one exists at a time.
const struct measure *operation_measure(const char *test);
bool operation_is_named(const char *name, const char *text);

#define OPERATION_BATCHES 3u // batches with n, 2n and 3n iterations
#define OPERATION_WORDS 7u

// Marks for an external instrument: the probe writes one to the marks' output at each read of the clock. A batch has
// other marks than a single operation.
enum operation_mark { MARK_BEGIN = 0x01, MARK_END = 0x02, MARK_BATCH_BEGIN = 0x11, MARK_BATCH_END = 0x12 };

static inline uint64_t operation_begin(uint8_t mark)
{
    port_mark(mark);
    return port_clock_read();
}

static inline uint64_t operation_end(uint8_t mark)
{
    uint64_t at = port_clock_read();

    port_mark(mark);
    return at;
}

struct pair;

enum operation_need {
    OPERATION_NEEDS_PARTNER = 1, // another thread must answer
    OPERATION_NEEDS_WAKER = 2,   // the object is one on which a thread waits until the other wakes it
    OPERATION_NEEDS_CALL = 4,    // the object is an action that a thread does alone
    OPERATION_NEEDS_EQUAL = 8,   // the other thread has the same priority, not a higher one
};

// A kind of operation: what each of the two threads does for a sample. Each kind has a file measure/operation_NAME.c with both
// halves and this struct at its end.
struct operation_kind {
    unsigned needs; // flags of enum operation_need
    const char *(*make)(
        struct pair *pair); // called before the partner exists; may be NULL. Returns NULL or why it failed
    // The measured thread's half: takes the timestamps of one sample. Returns NULL, OPERATION_VOID if the sample did not take
    // place as it should, or why no more samples can be taken.
    const char *(*sample)(struct pair *pair, uint64_t *at);
    const char *(*enter)(struct pair *pair); // called once in the partner; may be NULL. Returns NULL or why it failed
    void (*answer)(struct pair *pair);       // the partner's half of a round; NULL without a partner
};

// WAKE   from waking the other thread to its first instruction after its wait
// ENTER  from before the wait of the higher thread to the first instruction of the lower one after its own wait
// YIELD  from before a yield to the first instruction of an equal thread after its earlier yield
// CALL   an operation of one thread, in growing batches
// SERVE  a call into another thread and back, in growing batches
// ROUND  waking the other thread and being woken by it, in growing batches; two threads of one process
// SPAWN  from before creating a thread or process to its first instruction
extern const struct operation_kind OPERATION_WAKE, OPERATION_ENTER, OPERATION_YIELD, OPERATION_CALL, OPERATION_SERVE,
    OPERATION_ROUND, OPERATION_SPAWN;

// Memory that the measured thread and its partner share. For a round, each half of the room holds a waker.
struct pair {
    struct port_event go;      // set: the partner may begin its next round
    struct port_event reply;   // set: the partner's round is over
    _Atomic uint32_t entering; // the partner is about to wait
    bool settled;              // the partner has its CPU and priority
    int cpu;                   // the partner's CPU
    unsigned priority;         // the partner's priority; 0: the ordinary scheduler
    bool equal;       // the partner has the measured thread's priority: a woken thread runs when its waker waits
    bool best_effort; // the partner continues without settings that it is refused
    const struct operation *of;     // part of the program, so at the same address in both processes
    const struct port_waker *waker; // NULL if this kind of operation needs no waker; `call` likewise
    const struct port_call *call;
    const char *refusal;             // why the partner cannot continue; a constant text, or a copy in `why`
    char why[320];                   // storage for the copy of `refusal`
    uint64_t before;                 // count before the partner's wait
    uint64_t at;                     // count after the partner's wait; 0: not reached yet
    bool waited;                     // the partner really waited in between
    bool served;                     // calls go to the partner's server
    uint64_t words[OPERATION_WORDS]; // words that a call passes
    uint64_t sum;                    // sum of the passed words, as the partner read them
    _Alignas(64) unsigned char room[PORT_ROOM_BYTES];
};

// The function that the partner runs.
void partner_run(void *pair);
// Called by the partner if it cannot continue, with the reason.
void partner_refuse(struct pair *pair, const char *refusal);
// Called by the measured thread: moves the partner to its CPU and priority. NULL, or why that fails.
const char *partner_settle(struct pair *pair, int cpu, unsigned priority);
// Called by the measured thread: waits for the partner's reply. NULL, or why none will come.
const char *partner_reply(struct pair *pair);
extern const char OPERATION_DIED[];

// The verdict on a sample that did not take place as it should.
extern const char OPERATION_VOID[];

// Finds an operation's waker or call by name: one of the port, or one that every system has (interlocked operations and
// the probe's event).
const struct port_waker *operation_waker(const char *name);
const struct port_call *operation_call(const char *name);
// Whether this system has what the row needs.
bool operation_is_known(const struct operation *of);

#endif
