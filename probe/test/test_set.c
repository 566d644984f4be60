// SPDX-License-Identifier: MIT OR Apache-2.0
// The reader of sets of tasks: a good one, what it refuses, and a hundred thousand spoilt ones.
#include "../tasks/set.h"

#include "../port/tasks.h"
#include "check.h"

#include <string.h>

#define SPOILT 100000

// Two tasks, the first with two sections and three releases, the second with two.
struct good {
    struct set_head head;
    struct set_task tasks[2];
    struct set_lock locks[2];
    struct set_section sections[2];
    struct set_release releases[5];
};

static const struct good GOOD = {
    .head = {.magic = SET_MAGIC, .tasks = 2, .locks = 2, .sections = 2, .releases = 5, .end_ns = 1000},
    .tasks = {{.name = "control",
               .computation_ns = 100,
               .deadline_ns = 200,
               .policy = SET_FIFO,
               .priority = 80,
               .sections = 2,
               .releases = 3},
              {.name = "logger",
               .computation_ns = 50,
               .deadline_ns = 90,
               .policy = SET_ROUND_ROBIN,
               .priority = 1,
               .cpu = SET_CPU_ANY,
               .releases = 2}},
    .locks = {{.protocol = SET_INHERITANCE}, {.protocol = SET_CEILING, .ceiling = 80}},
    .sections = {{.lock = 0, .length_ns = 60}, {.lock = 1, .length_ns = 40}},
    .releases = {{0, 0}, {200, 210}, {400, 400}, {30, 30}, {60, 70}},
};

// What the host sends: `said` bytes from `next` on.
static const unsigned char *next;
static size_t said;

size_t port_host_read(void *bytes, size_t count)
{
    size_t taken = count < said ? count : said;

    memcpy(bytes, next, taken);
    next += taken;
    said -= taken;
    return taken;
}

// The memory that one call of the reader requested; the test frees it afterwards.
static void *mapped[8];
static size_t mapped_count;

void *port_memory_map(size_t bytes)
{
    CHECK(mapped_count < 8);
    return mapped[mapped_count++] = calloc(1, bytes);
}

static const char *read_set(struct set *set, const void *bytes, size_t count)
{
    while (mapped_count > 0)
        free(mapped[--mapped_count]);
    next = bytes;
    said = count;
    return set_read(set);
}

static void a_good_set_is_read_as_it_stands(void)
{
    struct set set;

    CHECK(read_set(&set, &GOOD, sizeof GOOD) == NULL);
    CHECK(strcmp(set.tasks[1].name, "logger") == 0 && set.tasks[1].cpu == SET_CPU_ANY);
    CHECK(set.sections[1].length_ns == 40 && set.releases[4].arrival_ns == 70);
}

// Each `spoil` changes one number of a valid set; the reader must refuse the set.
static void refused(void (*spoil)(struct good *good), const char *says)
{
    struct good good = GOOD;
    struct set set;

    spoil(&good);
    const char *why = read_set(&set, &good, sizeof good);

    CHECK(why && strstr(why, says) && !strchr(why, '\n'));
}

static void another_magic(struct good *good)
{
    good->head.magic++;
}

static void no_task(struct good *good)
{
    good->head.tasks = 0;
}

static void too_long_sections(struct good *good)
{
    good->sections[1].length_ns = 41;
}

static void a_lock_that_is_not_there(struct good *good)
{
    good->sections[0].lock = 2;
}

static void an_arrival_before_its_nominal_instant(struct good *good)
{
    good->releases[1].arrival_ns = 199;
}

static void a_release_that_goes_back(struct good *good)
{
    good->releases[2].nominal_ns = 199;
}

static void an_arrival_at_the_end(struct good *good)
{
    good->releases[2].arrival_ns = good->head.end_ns;
}

static void more_releases_than_there_are(struct good *good)
{
    good->tasks[1].releases = UINT32_MAX;
}

static void a_release_of_no_task(struct good *good)
{
    good->tasks[1].releases = 1;
}

static void a_name_without_end(struct good *good)
{
    memset(good->tasks[0].name, 'a', SET_NAME_BYTES);
}

static void a_priority_beyond_the_highest(struct good *good)
{
    good->tasks[0].priority = 100;
}

static void a_deadline_policy_in_a_pool(struct good *good)
{
    good->head.organisation = SET_POOL;
    good->tasks[0].policy = SET_DEADLINE;
    good->tasks[0].priority = 0;
}

static void what_does_not_fit_is_refused_in_one_line(void)
{
    refused(another_magic, "TASKSET1");
    refused(no_task, "no tasks");
    refused(too_long_sections, "longer than its computation");
    refused(a_lock_that_is_not_there, "names no lock");
    refused(an_arrival_before_its_nominal_instant, "order of time");
    refused(a_release_that_goes_back, "order of time");
    refused(an_arrival_at_the_end, "after the end of the schedule");
    refused(more_releases_than_there_are, "than it holds");
    refused(a_release_of_no_task, "belong to no task");
    refused(a_name_without_end, "no name");
    refused(a_priority_beyond_the_highest, "policy and priority");
    refused(a_deadline_policy_in_a_pool, "thread-per-series");
}

static void one_that_ends_early_is_refused_wherever_it_ends(void)
{
    struct set set;

    for (size_t count = 0; count < sizeof GOOD; count++)
        CHECK(read_set(&set, &GOOD, count) != NULL);
}

// Checks everything that users of a set rely on without checking it themselves.
static void holds(const struct set *set)
{
    uint64_t sections = 0;
    uint64_t releases = 0;

    for (uint32_t i = 0; i < set->head.tasks; i++) {
        CHECK(memchr(set->tasks[i].name, '\0', SET_NAME_BYTES));
        CHECK(set->tasks[i].computation_ns > 0 && set->tasks[i].policy <= SET_ORDINARY && set->tasks[i].priority <= 99);
        sections += set->tasks[i].sections;
        releases += set->tasks[i].releases;
    }
    CHECK(sections == set->head.sections && releases == set->head.releases);
    for (uint32_t i = 0; i < set->head.sections; i++)
        CHECK(set->sections[i].lock < set->head.locks);
}

static void spoilt_sets_are_refused_or_hold_what_others_rely_on(void)
{
    unsigned long long state = 12;
    unsigned taken = 0;

    for (unsigned tries = 0; tries < SPOILT; tries++) {
        struct good good = GOOD;
        struct set set;

        for (unsigned changes = 1 + check_random(&state) % 3; changes > 0; changes--)
            ((unsigned char *)&good)[check_random(&state) % sizeof good] = (unsigned char)check_random(&state);
        if (read_set(&set, &good, sizeof good) != NULL)
            continue;
        holds(&set);
        taken++;
    }
    CHECK(taken > SPOILT / 20 && taken < SPOILT);
}

int main(void)
{
    TEST(a_good_set_is_read_as_it_stands);
    TEST(what_does_not_fit_is_refused_in_one_line);
    TEST(one_that_ends_early_is_refused_wherever_it_ends);
    TEST(spoilt_sets_are_refused_or_hold_what_others_rely_on);
    return 0;
}
