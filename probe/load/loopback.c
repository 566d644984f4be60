// SPDX-License-Identifier: MIT OR Apache-2.0
// loopback: one thread sends datagrams to the other through the network stack; those that arrive count.
#include "../port/port.h"
#include "../probe.h"

#define LOOPBACK_BYTES 1400u // of a datagram, as on Ethernet

static int loopback_sender;
static int loopback_receiver;

const char *loopback_prepare(const struct plan *plan)
{
    (void)plan;
    return port_loopback_open(&loopback_sender, &loopback_receiver);
}

static void loopback_send(struct load_run *run)
{
    static const unsigned char datagram[LOOPBACK_BYTES];

    while (!loadrun_stopped()) {
        if (!port_loopback_send(loopback_sender, datagram, sizeof datagram)) {
            loadrun_fail(run, "load loopback: cannot send to 127.0.0.1; is the interface up (ip link set lo up)?");
            return;
        }
    }
}

static void loopback_receive(struct load_run *run)
{
    static unsigned char datagram[LOOPBACK_BYTES];

    while (!loadrun_stopped()) {
        if (port_loopback_receive(loopback_receiver, datagram, sizeof datagram))
            loadrun_count(run, 1);
    }
}

void loopback_run(struct load_run *run, unsigned which)
{
    if (which == 0)
        loopback_send(run);
    else
        loopback_receive(run);
}
