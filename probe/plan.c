// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads and checks all arguments. Prints one line about the first that it refuses.
#include "plan.h"

#include "load.h"
#include "measure.h"
#include "port/port.h"
#include "tables.h"

#include <stdio.h>
#include <string.h>

#define PLAN_PERIOD_MIN_NS 1000u
#define PLAN_PERIOD_MAX_NS 3600000000000u       // one hour
#define PLAN_DEADLINE_MAX_NS 31536000000000000u // one year
#define PLAN_COUNT_MAX 1000000000000u
#define PLAN_FOR_MAX_NS 31536000000000000u // one year
#define PLAN_CPU_MAX 4095u
#define PLAN_PRIORITY_MAX 99u

// What an option may belong to.
enum plan_taker {
    PLAN_PERIODIC = 1, // a measure with a period
    PLAN_COUNTED = 2,  // a measure without a period
    PLAN_LOAD = 4,
    PLAN_OPERATION = 8, // a row of the table of operations
    PLAN_MEASURE = PLAN_PERIODIC | PLAN_COUNTED,
};

// One option. Exactly one of the readers is set, or none for a switch.
struct option {
    const char *name;
    bool (*read)(struct plan *plan, const struct option *option, const char *text);
    size_t field; // offset of the field in struct plan
    uint64_t min;
    uint64_t max;
    const char *words[2]; // the words for false and true
    unsigned takers;      // flags of enum plan_taker
};

static bool plan_refuse(const char *what, const char *text, const char *mend)
{
    char line[512];

    snprintf(line, sizeof line, "%s '%s': %s", what, text, mend);
    port_complain(line);
    return false;
}

// Accepts digits only: no sign, blank or overflow.
static bool plan_number(const char *text, uint64_t *number)
{
    uint64_t value = 0;

    if (*text == '\0')
        return false;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(*text - '0');

        if (*text < '0' || *text > '9' || value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    return true;
}

static bool plan_bounded(const struct option *option, const char *text, uint64_t *number)
{
    char mend[128];

    if (plan_number(text, number) && *number >= option->min && *number <= option->max)
        return true;
    snprintf(mend, sizeof mend, "expected a whole number from %llu to %llu", (unsigned long long)option->min,
             (unsigned long long)option->max);
    return plan_refuse(option->name, text, mend);
}

static bool plan_read_u64(struct plan *plan, const struct option *option, const char *text)
{
    return plan_bounded(option, text, (uint64_t *)((char *)plan + option->field));
}

static bool plan_read_priority(struct plan *plan, const struct option *option, const char *text)
{
    uint64_t number;

    if (!plan_bounded(option, text, &number))
        return false;
    plan->priority = (unsigned)number;
    return true;
}

static bool plan_read_priority_to(struct plan *plan, const struct option *option, const char *text)
{
    uint64_t number;

    if (!plan_bounded(option, text, &number))
        return false;
    plan->priority_to = (unsigned)number;
    return true;
}

static bool plan_read_cpu(struct plan *plan, const struct option *option, const char *text)
{
    uint64_t number;

    if (strcmp(text, "any") == 0) {
        plan->cpu = PROBE_CPU_ANY;
        return true;
    }
    if (!plan_bounded(option, text, &number))
        return false;
    plan->cpu = (int)number;
    return true;
}

// The CPU of one of the two threads of an operation.
static bool plan_read_cpu_of_two(struct plan *plan, const struct option *option, const char *text)
{
    uint64_t number;

    if (!plan_bounded(option, text, &number))
        return false;
    *(int *)((char *)plan + option->field) = (int)number;
    return true;
}

// CPU numbers joined by commas: one measured thread for each, in this order. A CPU may have several threads.
static bool plan_read_cpus(struct plan *plan, const struct option *option, const char *text)
{
    plan->threads = 0;
    for (;;) {
        char one[16] = "";
        uint64_t number;

        for (size_t digit = 0; *text && *text != ',' && digit < sizeof one - 1; digit++)
            one[digit] = *text++;
        if (!plan_bounded(option, one, &number))
            return false;
        if (plan->threads == PROBE_THREADS_MAX)
            return plan_refuse(option->name, one, "expected at most 256 threads");
        plan->cpus[plan->threads++] = (int16_t)number;
        if (*text++ != ',')
            return true;
    }
}

static bool plan_read_policy(struct plan *plan, const struct option *option, const char *text)
{
    static const char *const NAMES[] = {[PLAN_FIFO] = "fifo", [PLAN_ROUND_ROBIN] = "rr", [PLAN_DEADLINE] = "deadline"};

    for (unsigned i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strcmp(text, NAMES[i]) == 0) {
            plan->policy = (enum plan_policy)i;
            return true;
        }
    }
    return plan_refuse(option->name, text, "expected fifo, rr or deadline; --priority 0 is the ordinary scheduler");
}

static bool plan_read_word(struct plan *plan, const struct option *option, const char *text)
{
    char mend[128];

    for (int truth = 0; truth <= 1; truth++) {
        if (strcmp(text, option->words[truth]) == 0) {
            *(bool *)((char *)plan + option->field) = truth;
            return true;
        }
    }
    snprintf(mend, sizeof mend, "expected %s or %s", option->words[0], option->words[1]);
    return plan_refuse(option->name, text, mend);
}

#define PLAN_FIELD(name) offsetof(struct plan, name)

static const struct option OPTIONS[] = {
    {"--count", plan_read_u64, PLAN_FIELD(count), 1, PLAN_COUNT_MAX, {0}, PLAN_MEASURE | PLAN_OPERATION},
    {"--for-ns", plan_read_u64, PLAN_FIELD(for_ns), 1, PLAN_FOR_MAX_NS, {0}, PLAN_MEASURE | PLAN_LOAD},
    {"--period-ns", plan_read_u64, PLAN_FIELD(period_ns), PLAN_PERIOD_MIN_NS, PLAN_PERIOD_MAX_NS, {0}, PLAN_PERIODIC},
    {"--deadline-ns", plan_read_u64, PLAN_FIELD(deadline_ns), 1, PLAN_DEADLINE_MAX_NS, {0}, PLAN_PERIODIC},
    {"--warmup", plan_read_u64, PLAN_FIELD(warmup), 0, PLAN_COUNT_MAX, {0}, PLAN_MEASURE | PLAN_OPERATION},
    {"--cpu", plan_read_cpus, 0, 0, PLAN_CPU_MAX, {0}, PLAN_MEASURE},
    {"--cpu", plan_read_cpu_of_two, PLAN_FIELD(cpu), 0, PLAN_CPU_MAX, {0}, PLAN_OPERATION},
    {"--partner-cpu", plan_read_cpu_of_two, PLAN_FIELD(partner_cpu), 0, PLAN_CPU_MAX, {0}, PLAN_OPERATION},
    {"--equal", plan_read_u64, PLAN_FIELD(equal), 0, 1, {0}, PLAN_OPERATION},
    {"--cpu", plan_read_cpu, 0, 0, PLAN_CPU_MAX, {0}, PLAN_LOAD},
    {"--mark", plan_read_u64, PLAN_FIELD(mark), 1, UINT64_MAX, {0}, PLAN_OPERATION},
    {"--policy", plan_read_policy, 0, 0, 0, {0}, PLAN_MEASURE},
    {"--runtime-ns", plan_read_u64, PLAN_FIELD(runtime_ns), 1, PLAN_PERIOD_MAX_NS, {0}, PLAN_PERIODIC},
    {"--priority", plan_read_priority, 0, 0, PLAN_PRIORITY_MAX, {0}, PLAN_MEASURE | PLAN_LOAD | PLAN_OPERATION},
    {"--priority-to", plan_read_priority_to, 0, 1, PLAN_PRIORITY_MAX, {0}, PLAN_LOAD},
    {"--copies", plan_read_u64, PLAN_FIELD(copies), 1, LOAD_THREADS_MAX, {0}, PLAN_LOAD},
    {"--overrun", plan_read_word, PLAN_FIELD(overrun_queue), 0, 0, {"skip", "queue"}, PLAN_PERIODIC},
    {"--idle", plan_read_word, PLAN_FIELD(idle_off), 0, 0, {"as-is", "off"}, PLAN_MEASURE | PLAN_OPERATION},
    {"--best-effort", NULL, PLAN_FIELD(best_effort), 0, 0, {0}, PLAN_MEASURE | PLAN_LOAD | PLAN_OPERATION},
    {"--framebuffer", NULL, PLAN_FIELD(framebuffer), 0, 0, {0}, PLAN_LOAD},
};

static unsigned plan_taker(const struct plan *plan)
{
    if (plan->load)
        return PLAN_LOAD;
    if (plan->measure->traits & MEASURE_BRIEF)
        return PLAN_OPERATION;
    return plan->measure->traits & MEASURE_PERIODIC ? PLAN_PERIODIC : PLAN_COUNTED;
}

static const struct option *plan_option(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < sizeof OPTIONS / sizeof OPTIONS[0]; i++) {
        const struct option *option = &OPTIONS[i];

        if (strcmp(option->name, name) == 0 && option->takers & plan_taker(plan))
            return option;
    }
    return NULL;
}

// Prints which options the chosen measure or load takes.
static bool plan_refuse_option(const struct plan *plan, const char *text)
{
    char mend[256];
    int used = snprintf(mend, sizeof mend, "%s %s takes", plan->load ? "load" : "measure",
                        plan->load ? plan->load->name : plan->measure->name);

    for (size_t i = 0; i < sizeof OPTIONS / sizeof OPTIONS[0]; i++) {
        if (OPTIONS[i].takers & plan_taker(plan))
            used += snprintf(mend + used, sizeof mend - (size_t)used, " %s", OPTIONS[i].name);
    }
    return plan_refuse("option", text, mend);
}

static bool plan_read_options(struct plan *plan, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const struct option *option = plan_option(plan, argv[i]);

        if (!option)
            return plan_refuse_option(plan, argv[i]);
        if (!option->read) {
            *(bool *)((char *)plan + option->field) = true;
            continue;
        }
        if (++i == argc)
            return plan_refuse("option", option->name, "its value is missing");
        if (!option->read(plan, option, argv[i]))
            return false;
    }
    return true;
}

static bool plan_read_what(struct plan *plan, int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    const char *name = argc > 2 ? argv[2] : "";

    if (strcmp(kind, "measure") == 0)
        plan->measure = tables_measure(name);
    else if (strcmp(kind, "load") == 0)
        plan->load = tables_load(name);
    else if (strcmp(kind, "operation") == 0)
        plan->measure = tables_operation(name);
    else
        return plan_refuse("command", kind,
                           "usage: probe measure NAME ... | probe operation TEST ... | probe load NAME ... | probe "
                           "tasks | probe list");
    if (!plan->measure && !plan->load)
        return plan_refuse(kind, name, "unknown name; probe list prints all");
    return true;
}

// The kernel itself places a SCHED_DEADLINE thread, on any CPU.
static bool plan_finish_policy(struct plan *plan)
{
    if ((plan->policy == PLAN_DEADLINE) != (plan->runtime_ns != 0))
        return plan_refuse("measure", plan->measure->name, "--policy deadline and --runtime-ns belong together");
    if (plan->policy == PLAN_DEADLINE && plan->threads != 0)
        return plan_refuse("--cpu", "with --policy deadline", "the kernel places such a thread itself; leave it out");
    if (plan->threads == 0) {
        plan->cpus[0] = plan->policy == PLAN_DEADLINE ? PROBE_CPU_ANY : 0;
        plan->threads = 1;
    }
    return true;
}

// A measure ends after a number of stimuli, or after a time. With a period, the time becomes a number.
static bool plan_finish_measure(struct plan *plan)
{
    if ((plan->count == 0) == (plan->for_ns == 0))
        return plan_refuse("measure", plan->measure->name, "expected exactly one of --count and --for-ns");
    if (!plan_finish_policy(plan))
        return false;
    if (!(plan->measure->traits & MEASURE_PERIODIC))
        return true;
    if (plan->count == 0)
        plan->count = plan->for_ns / plan->period_ns;
    if (plan->count == 0)
        return plan_refuse("--for-ns", "shorter than one period", "expected at least --period-ns");
    return true;
}

static bool plan_finish_operation(struct plan *plan)
{
    if (plan->count == 0)
        return plan_refuse("operation", plan->measure->name, "expected --count: the number of samples");
    if (plan->priority == PLAN_PRIORITY_MAX)
        return plan_refuse("--priority", "99", "expected at most 98: the second thread of an operation has one more");
    plan->cpus[0] = (int16_t)plan->cpu;
    plan->threads = 1;
    return true;
}

static bool plan_finish_copies(struct plan *plan)
{
    const struct load *load = plan->load;
    char mend[128];

    if (plan->priority_to == 0)
        plan->priority_to = plan->priority;
    if (plan->priority == 0 ? plan->priority_to != 0 : plan->priority_to < plan->priority)
        return plan_refuse("--priority-to of load", load->name,
                           "it is at least --priority, which is at least 1 with it");
    if (plan->copies > 1 && !(load->traits & LOAD_MANY))
        return plan_refuse("--copies of load", load->name, "not supported; leave it out");
    if (plan->copies * load->threads <= LOAD_THREADS_MAX)
        return true;
    snprintf(mend, sizeof mend, "each copy has %u threads; at most %u are possible", load->threads, LOAD_THREADS_MAX);
    return plan_refuse("--copies of load", load->name, mend);
}

static bool plan_finish_load(struct plan *plan)
{
    const struct load *load = plan->load;

    if (plan->framebuffer && !(load->traits & LOAD_DRAWS))
        return plan_refuse("--framebuffer of load", load->name, "it does not draw; leave it out");
    if (plan->priority != 0 && (load->traits & LOAD_IDLE))
        return plan_refuse("--priority of load", load->name, "it runs at idle priority; leave it out");
    return plan_finish_copies(plan);
}

bool plan_read(struct plan *plan, int argc, char **argv)
{
    *plan = (struct plan){.period_ns = 1000000, .priority = 95};
    if (!plan_read_what(plan, argc, argv))
        return false;
    if (plan->load) {
        plan->priority = 0;
        plan->cpu = PROBE_CPU_ANY;
        plan->copies = 1;
    }
    if (!plan_read_options(plan, argc - 3, argv + 3))
        return false;
    switch (plan_taker(plan)) {
    case PLAN_LOAD:
        return plan_finish_load(plan);
    case PLAN_OPERATION:
        return plan_finish_operation(plan);
    default:
        return plan_finish_measure(plan);
    }
}
