// SPDX-License-Identifier: MIT OR Apache-2.0
// The arguments: what is taken, and that everything else is refused with exactly one line.
#include "check.h"

#include "../load.h"
#include "../measure.h"
#include "../plan.h"
#include "../port/port.h"
#include "../tables.h"

#include <string.h>

static void nothing(struct measured *measured)
{
    (void)measured;
}

static void nothing_either(struct load_run *run, unsigned which)
{
    (void)run;
    (void)which;
}

static const struct measure WAKEUP = {.name = "wakeup", .traits = MEASURE_PERIODIC, .run = nothing};
static const struct measure COSTS = {.name = "costs", .run = nothing};
static const struct measure EVENT = {.name = "osbench", .traits = MEASURE_HIDDEN | MEASURE_BRIEF, .run = nothing};
static const struct load POLYGONS = {
    .name = "polygons", .threads = 2, .traits = LOAD_DRAWS | LOAD_MANY, .run = nothing_either};
static const struct load IDLE = {.name = "idle1", .threads = 1, .traits = LOAD_IDLE, .run = nothing_either};
static unsigned complaints;
static char complaint[512];

const struct measure *tables_measure(const char *name)
{
    return strcmp(name, WAKEUP.name) == 0 ? &WAKEUP : strcmp(name, COSTS.name) == 0 ? &COSTS : NULL;
}

const struct measure *tables_operation(const char *test)
{
    return strcmp(test, "1.00") == 0 ? &EVENT : NULL;
}

const struct load *tables_load(const char *name)
{
    return strcmp(name, POLYGONS.name) == 0 ? &POLYGONS : strcmp(name, IDLE.name) == 0 ? &IDLE : NULL;
}

void port_complain(const char *line)
{
    complaints++;
    snprintf(complaint, sizeof complaint, "%s", line);
}

// Splits a command line at blanks; "''" is an empty argument.
static bool read_line(struct plan *plan, const char *text)
{
    static char copy[512];
    char *argv[32] = {"probe"};
    int argc = 1;

    complaints = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "''") == 0 ? "" : word;
    return plan_read(plan, argc, argv);
}

static void a_full_command_line_is_taken(void)
{
    struct plan plan;

    CHECK(read_line(&plan, "measure wakeup --period-ns 200000 --count 5 --cpu 1 --priority 80 --overrun queue "
                           "--warmup 7 --idle off --best-effort"));
    CHECK(plan.measure == &WAKEUP && plan.period_ns == 200000 && plan.count == 5 && plan.threads == 1
          && plan.cpus[0] == 1);
    CHECK(plan.priority == 80 && plan.overrun_queue && plan.warmup == 7 && plan.idle_off && plan.best_effort);
}

static void the_defaults_are_a_valid_measurement(void)
{
    struct plan plan;

    CHECK(read_line(&plan, "measure wakeup --count 1"));
    CHECK(plan.period_ns == 1000000 && plan.priority == 95 && plan.threads == 1 && plan.cpus[0] == 0
          && plan.warmup == 0);
    CHECK(!plan.overrun_queue && !plan.idle_off && !plan.best_effort);
    CHECK(read_line(&plan, "load polygons"));
    CHECK(plan.cpu == PROBE_CPU_ANY && plan.priority == 0 && plan.for_ns == 0);
}

static void a_load_has_copies_of_several_priorities(void)
{
    struct plan plan;

    CHECK(read_line(&plan, "load polygons") && plan.copies == 1 && plan.priority_to == 0);
    CHECK(read_line(&plan, "load polygons --priority 7") && plan.priority_to == 7);
    CHECK(read_line(&plan, "load polygons --copies 256 --priority 20 --priority-to 60"));
    CHECK(plan.copies == 256 && plan.priority == 20 && plan.priority_to == 60);
    CHECK(!read_line(&plan, "load polygons --copies 257"));
    CHECK(strcmp(complaint, "--copies of load 'polygons': each copy has 2 threads; at most 512 are possible") == 0);
}

static void a_time_becomes_whole_periods(void)
{
    struct plan plan;

    CHECK(read_line(&plan, "measure wakeup --period-ns 1000 --for-ns 10999"));
    CHECK(plan.count == 10);
}

static void a_measure_without_a_period_takes_a_count_or_a_time(void)
{
    struct plan plan;

    CHECK(read_line(&plan, "measure costs --count 7 --warmup 2") && plan.count == 7 && plan.for_ns == 0);
    CHECK(read_line(&plan, "measure costs --for-ns 5") && plan.count == 0 && plan.for_ns == 5);
}

static void an_operation_has_two_processors(void)
{
    struct plan plan;

    CHECK(read_line(&plan, "operation 1.00 --count 7 --warmup 2 --cpu 3 --partner-cpu 1 --priority 98"));
    CHECK(plan.measure == &EVENT && plan.count == 7 && plan.warmup == 2 && plan.priority == 98);
    CHECK(plan.threads == 1 && plan.cpus[0] == 3 && plan.partner_cpu == 1);
}

static void an_option_of_another_is_refused_with_those_that_there_are(void)
{
    struct plan plan;

    CHECK(!read_line(&plan, "load polygons --count 1"));
    CHECK(strcmp(complaint, "option '--count': load polygons takes --for-ns --cpu --priority --priority-to --copies "
                            "--best-effort --framebuffer")
          == 0);
}

static void the_limits_are_taken_and_one_beyond_is_not(void)
{
    struct plan plan;

    CHECK(read_line(&plan, "measure wakeup --period-ns 1000 --count 1000000000000 --priority 99 --cpu 4095"));
    CHECK(!read_line(&plan, "measure wakeup --period-ns 999 --count 1"));
    CHECK(!read_line(&plan, "measure wakeup --count 1000000000001"));
    CHECK(!read_line(&plan, "measure wakeup --count 1 --priority 100"));
    CHECK(!read_line(&plan, "measure wakeup --count 1 --cpu 4096"));
}

static void everything_else_is_refused_with_one_line(void)
{
    static const char *const WRONG[] = {
        "",
        "measure",
        "load",
        "list wakeup",
        "measure nothing",
        "load nothing",
        "measure wakeup",
        "measure wakeup --count 1 --for-ns 1000000",
        "measure wakeup --count 0",
        "measure wakeup --count -1",
        "measure wakeup --count +1",
        "measure wakeup --count 1x",
        "measure wakeup --count 0x10",
        "measure wakeup --count 1.5",
        "measure wakeup --count ''",
        "measure wakeup --count 18446744073709551616",
        "measure wakeup --count 99999999999999999999999999",
        "measure wakeup --count",
        "measure wakeup --count 1 --cpu any",
        "measure wakeup --count 1 --overrun Skip",
        "measure wakeup --count 1 --deadline-ns 0",
        "measure wakeup --count 1 --cpu 1,",
        "measure wakeup --count 1 --cpu 1-3",
        "measure wakeup --count 1 --policy other",
        "measure wakeup --count 1 --policy deadline",
        "measure wakeup --count 1 --runtime-ns 1000",
        "measure wakeup --count 1 --policy deadline --runtime-ns 1000 --cpu 1",
        "measure wakeup --count 1 --idle on",
        "measure wakeup --count 1 --framebuffer",
        "measure wakeup --count 1 extra",
        "measure wakeup --for-ns 1 --period-ns 1000",
        "measure costs",
        "measure costs --count 1 --for-ns 1",
        "measure costs --count 1 --period-ns 1000",
        "measure costs --count 1 --overrun skip",
        "operation",
        "operation 1.01 --count 1",
        "operation 1.00",
        "operation 1.00 --count 0",
        "operation 1.00 --count 1 --priority 99",
        "operation 1.00 --count 1 --cpu 0,1",
        "operation 1.00 --count 1 --partner-cpu any",
        "operation 1.00 --count 1 --for-ns 5",
        "load polygons --count 1",
        "load polygons --period-ns 1000000",
        "load polygons --cpu none",
        "load idle1 --framebuffer",
        "load idle1 --priority 1",
        "load idle1 --copies 2",
        "load polygons --copies 0",
        "load polygons --copies 257",
        "load polygons --copies 513",
        "load polygons --priority-to 5",
        "load polygons --priority 6 --priority-to 5",
        "load polygons --priority 6 --priority-to 100",
    };

    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        struct plan plan;

        CHECK(!read_line(&plan, WRONG[i]));
        CHECK(complaints == 1 && strlen(complaint) > 10 && !strchr(complaint, '\n'));
    }
}

// Words of the grammar in random order must not crash the parser: it gives either a valid plan or one line of refusal.
static void random_lines_are_taken_whole_or_refused(void)
{
    static const char *const WORDS[] = {
        "measure",       "load",          "wakeup",     "polygons", "operation",
        "1.00",          "--partner-cpu", "--count",    "--for-ns", "--period-ns",
        "--deadline-ns", "--cpu",         "--overrun",  "skip",     "--idle",
        "off",           "--best-effort", "7",          "1000",     "99999999999999999999",
        "any",           "--warmup",      "--priority", "''",
    };
    unsigned long long seed = 3;

    for (int turn = 0; turn < 20000; turn++) {
        char line[256] = {0};
        struct plan plan;

        for (unsigned words = check_random(&seed) % 8; words > 0; words--) {
            strcat(line, WORDS[check_random(&seed) % (sizeof WORDS / sizeof WORDS[0])]);
            strcat(line, " ");
        }
        bool taken = read_line(&plan, line);

        CHECK(complaints == (taken ? 0 : 1));
        CHECK(!taken || plan.load || (plan.count >= 1 && plan.period_ns >= 1000));
    }
}

int main(void)
{
    TEST(a_full_command_line_is_taken);
    TEST(the_defaults_are_a_valid_measurement);
    TEST(a_load_has_copies_of_several_priorities);
    TEST(a_time_becomes_whole_periods);
    TEST(a_measure_without_a_period_takes_a_count_or_a_time);
    TEST(an_operation_has_two_processors);
    TEST(an_option_of_another_is_refused_with_those_that_there_are);
    TEST(the_limits_are_taken_and_one_beyond_is_not);
    TEST(everything_else_is_refused_with_one_line);
    TEST(random_lines_are_taken_whole_or_refused);
    return 0;
}
