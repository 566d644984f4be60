// SPDX-License-Identifier: MIT OR Apache-2.0
// Work of the kernel on the victim's CPU that the culprit causes: interrupts, softirqs, CPUs that go offline.
#define _GNU_SOURCE
#include "burst.h"
#include "cause.h"
#include "masks.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LISTENERS = 400, PACKETS = 60, PORT = 47000 };

static const int64_t MASKED = 4 * MILLISECOND;
static const int64_t AHEAD = 5 * 1000;
static const int64_t FAR_AHEAD =
    100 * 1000; // for delays of a millisecond or more, which must begin before the timer's interrupt comes

static const struct mask *masking;
static int64_t ahead_ns;
static int listeners[LISTENERS];
static int sender;

// `sigaction@30` means: disable interrupts for 30 microseconds.
static void prepare_mask(struct scene *scene)
{
    int length_us = 0;
    int found = sscanf(scene->word, "%*[^@]@%d", &length_us);
    int64_t length_ns = found == 1 ? 1000 * (int64_t)length_us : MASKED;
    masking = mask_prepare(scene->kind->name, length_ns);
    ahead_ns = length_ns < MILLISECOND ? AHEAD : FAR_AHEAD;
}

// Makes a kernel function disable interrupts. If the victim is ours, this starts shortly before one of its releases.
static void keep_interrupts_out(struct scene *scene)
{
    mask_arm(masking);
    become("culprit", scene->cpu, 0);
    if (!scene->given) {
        int64_t release_ns = next_release_ns(scene) + scene->period_ns;
        clock_sleep_until(release_ns - scene->period_ns / 4);
        clock_spin_until(release_ns - ahead_ns);
    }
    int64_t from_ns = clock_now();
    mask_call(masking);
    int64_t to_ns = clock_now();
    ledger_add(scene->injected, from_ns, to_ns, to_ns - from_ns);
    stand_aside(scene);
}

static void prepare_burst(struct scene *scene)
{
    // Any thread that runs in between would be mistaken for the interrupt.
    become("culprit", scene->cpu, VICTIM_PRIORITY - 10);
    burst_prepare(scene->held_ns);
    stand_aside(scene);
}

// Makes the CPU's timer interrupt handle many timers at once. If the victim is ours, this starts shortly before one of its
// releases.
static void interrupt_long(struct scene *scene)
{
    become("culprit", scene->cpu, VICTIM_PRIORITY - 10);
    int64_t at_ns = clock_now() + 120 * MILLISECOND, began_ns = scene->shared->began_ns;
    at_ns = scene->given ? at_ns : began_ns + scene->period_ns * ((at_ns - began_ns) / scene->period_ns) - AHEAD;
    burst_arm(at_ns);
    clock_sleep_until(at_ns);
    int64_t to_ns = clock_now(); // this thread is below the victim, so it continues when the interrupt is over
    ledger_add(scene->injected, at_ns, to_ns, to_ns - at_ns);
    stand_aside(scene);
}

// Takes the neighbouring CPU offline and online again. All other CPUs stop while it goes offline. If this process is killed, the
// caller puts it back online.
static void unplug(struct scene *scene)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/sys/devices/system/cpu/cpu%d", scene->other);
    int64_t from_ns = clock_now();
    say(folder, "online", "0");
    ledger_add(scene->injected, from_ns, clock_now(), clock_now() - from_ns);
    clock_sleep_until(clock_now() + scene->held_ns);
    from_ns = clock_now();
    say(folder, "online", "1");
    ledger_add(scene->injected, from_ns, clock_now(), clock_now() - from_ns);
}

// A datagram to a multicast group is copied to each listener, in the softirq.
static void prepare_listeners(struct scene *scene)
{
    struct rlimit many = {.rlim_cur = 2 * LISTENERS, .rlim_max = 2 * LISTENERS};
    setrlimit(RLIMIT_NOFILE, &many);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_ANY)};
    struct ip_mreq group = {{inet_addr("239.255.7.7")}, {htonl(INADDR_LOOPBACK)}};
    for (int each = 0; each < LISTENERS; each++) {
        int one = 1, socket_of = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        setsockopt(socket_of, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(socket_of, (struct sockaddr *)&here, sizeof here) < 0
            || setsockopt(socket_of, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group) < 0) {
            perror("softirq: listeners");
            exit(4);
        }
        listeners[each] = socket_of;
    }
    struct in_addr loopback = {htonl(INADDR_LOOPBACK)};
    sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    setsockopt(sender, IPPROTO_IP, IP_MULTICAST_IF, &loopback, sizeof loopback);
    char mask[16];
    snprintf(mask, sizeof mask, "%x", 1U << scene->cpu); // the caller restores it
    say("/sys/class/net/lo/queues/rx-0", "rps_cpus", mask);
}

static int received(int socket_of)
{
    char packet[64];
    int count = 0;
    while (recv(socket_of, packet, sizeof packet, 0) >= 0) {
        count++;
    }
    return count;
}

// Sends from the other CPU; the victim's CPU must deliver the packets.
static void flood(struct scene *scene)
{
    struct sockaddr_in group = {
        .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = inet_addr("239.255.7.7")};
    char packet[64] = "";
    become("culprit", scene->other, ABOVE_VICTIM);
    int64_t from_ns = clock_now();
    for (int each = 0; each < PACKETS; each++) {
        sendto(sender, packet, sizeof packet, 0, (struct sockaddr *)&group, sizeof group);
    }
    int last = 0;
    for (int64_t until_ns = from_ns + SECOND; last < PACKETS && clock_now() < until_ns;) {
        last += received(listeners[0]);
    }
    int64_t to_ns = clock_now();
    ledger_add(scene->injected, from_ns, to_ns, to_ns - from_ns);
    stand_aside(scene);
    for (int each = 1; each < LISTENERS; each++) {
        received(listeners[each]);
    }
}

const struct kind kinds_of_kernel[] = {
    {.name = "interrupt", .prepare = prepare_burst, .hold = interrupt_long},
    {.name = "sigtimedwait", .prepare = prepare_mask, .hold = keep_interrupts_out},
    {.name = "sigaction", .prepare = prepare_mask, .hold = keep_interrupts_out},
    {.name = "eventfd", .prepare = prepare_mask, .hold = keep_interrupts_out},
    {.name = "hotplug", .period_ns = 200000, .hold = unplug},
    {.name = "softirq", .prepare = prepare_listeners, .hold = flood},
    {0},
};
