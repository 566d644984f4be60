// SPDX-License-Identifier: MIT OR Apache-2.0
// loopback: one thread sends datagrams to another through the network stack, which counts those that arrive.
#include "../load.h"
#include "../port/port.h"

#define LOOPBACK_BYTES 1400u // length of a datagram, as on Ethernet

static struct port_handle loopback_sender;
static struct port_handle loopback_receiver;

static const char *loopback_prepare(struct load_run *run)
{
    (void)run;
    return port_loopback_open(&loopback_sender, &loopback_receiver);
}

static void loopback_send(struct load_run *run)
{
    static const unsigned char datagram[LOOPBACK_BYTES];

    while (!load_stopped(run)) {
        if (!port_loopback_send(loopback_sender, datagram, sizeof datagram)) {
            load_fail(run, "load loopback: cannot send to 127.0.0.1; is the interface up (ip link set lo up)?");
            return;
        }
    }
}

static void loopback_receive(struct load_run *run)
{
    static unsigned char datagram[LOOPBACK_BYTES];

    while (!load_stopped(run)) {
        if (port_loopback_receive(loopback_receiver, datagram, sizeof datagram))
            load_count(run, 1);
    }
}

static void loopback_run(struct load_run *run, unsigned which)
{
    if (which == 0)
        loopback_send(run);
    else
        loopback_receive(run);
}

const struct load load_loopback = {
    .name = "loopback",
    .unit = "datagrams",
    .summary = "sends 1,400-byte datagrams to itself through the network stack",
    .threads = 2,
    .prepare = loopback_prepare,
    .run = loopback_run,
};
