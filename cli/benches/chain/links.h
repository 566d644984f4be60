// SPDX-License-Identifier: MIT OR Apache-2.0
// The ways from one thread to the next.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum kind { EVENTFD, UDP, PIPE, UNIX, CONDVAR, EPOLL, URING, VETH, FUTEX, POLL };

static const char *const KINDS[] = {"eventfd", "udp", "pipe", "unix", "condvar", "epoll", "uring", "veth", "futex", "poll", NULL};

struct ring {
	int fd;
	unsigned *tail, *mask, *head, *done_mask;
	unsigned *array;
	struct io_uring_sqe *entries;
	struct io_uring_cqe *done;
};

// The way from one thread to the next.
struct link {
	enum kind kind;
	int in, out, epoll;
	_Atomic int64_t latest;
	_Atomic uint32_t word;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int64_t seen;
	struct ring ring;
};


// The newest of those that wait, of a link that keeps the newest.
static int64_t newest(struct link *link);

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sleep_until(int64_t at)
{
	struct timespec t = {at / 1000000000, at % 1000000000};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static void open_ring(struct ring *ring)
{
	struct io_uring_params with = {0};
	char *queue, *done;
	ring->fd = (int)syscall(SYS_io_uring_setup, 2, &with);
	if (ring->fd < 0)
		fail("io_uring_setup");
	queue = mmap(NULL, with.sq_off.array + 64, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, IORING_OFF_SQ_RING);
	done = mmap(NULL, with.cq_off.cqes + 4 * sizeof(*ring->done), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
		    IORING_OFF_CQ_RING);
	ring->entries = mmap(NULL, 2 * sizeof(*ring->entries), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, IORING_OFF_SQES);
	if (queue == MAP_FAILED || done == MAP_FAILED || ring->entries == MAP_FAILED)
		fail("mmap of a ring");
	ring->tail = (unsigned *)(queue + with.sq_off.tail), ring->mask = (unsigned *)(queue + with.sq_off.ring_mask);
	ring->array = (unsigned *)(queue + with.sq_off.array);
	ring->head = (unsigned *)(done + with.cq_off.head), ring->done_mask = (unsigned *)(done + with.cq_off.ring_mask);
	ring->done = (struct io_uring_cqe *)(done + with.cq_off.cqes);
}

static void read_by_ring(struct ring *ring, int fd, int64_t *number)
{
	unsigned at = *ring->tail & *ring->mask;
	memset(&ring->entries[at], 0, sizeof(ring->entries[at]));
	ring->entries[at].opcode = IORING_OP_READ, ring->entries[at].fd = fd;
	ring->entries[at].addr = (uint64_t)(uintptr_t)number, ring->entries[at].len = 8;
	ring->array[at] = at;
	__atomic_store_n(ring->tail, *ring->tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		fail("io_uring_enter");
	if (ring->done[*ring->head & *ring->done_mask].res != 8)
		fail("io_uring read");
	__atomic_store_n(ring->head, *ring->head + 1, __ATOMIC_RELEASE);
}

static void shell(const char *command)
{
	if (system(command))
		fail(command);
}

// Two ends in two network namespaces of this process alone, so that packets take the whole way.
static void open_veth(struct link *link)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(4711)};
	char command[200], path[64];
	int own, other;
	pid_t child;
	if (unshare(CLONE_NEWNET))
		fail("unshare");
	child = fork();
	if (!child) {
		unshare(CLONE_NEWNET);
		pause();
	}
	sleep_until(now() + 100000000);
	snprintf(command, sizeof(command),
		 "ip link add bwch0 type veth peer name bwch1 netns %d && ip addr add 10.99.0.1/30 dev bwch0 && ip link set bwch0 up",
		 child);
	shell(command);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", child);
	own = open("/proc/self/ns/net", O_RDONLY), other = open(path, O_RDONLY);
	if (setns(other, CLONE_NEWNET))
		fail("setns");
	shell("ip addr add 10.99.0.2/30 dev bwch1 && ip link set bwch1 up");
	link->in = socket(AF_INET, SOCK_DGRAM, 0);
	inet_aton("10.99.0.2", &at.sin_addr);
	if (bind(link->in, (struct sockaddr *)&at, sizeof(at)) || setns(own, CLONE_NEWNET))
		fail("bind");
	link->out = socket(AF_INET, SOCK_DGRAM, 0);
	// The first packet waits for the other end's address.
	if (connect(link->out, (struct sockaddr *)&at, sizeof(at)) || write(link->out, &at, 8) != 8 || read(link->in, path, 8) != 8)
		fail("veth");
	kill(child, SIGKILL);
}

static void open_link(struct link *link, const char *name)
{
	int fds[2];
	for (link->kind = 0; KINDS[link->kind] && strcmp(KINDS[link->kind], name); link->kind++)
		;
	link->latest = link->seen = -1;
	pthread_mutex_init(&link->mutex, NULL);
	pthread_cond_init(&link->cond, NULL);
	switch (link->kind) {
	case EVENTFD:
	case EPOLL:
		link->in = link->out = eventfd(0, link->kind == EPOLL ? EFD_NONBLOCK : 0);
		break;
	case URING:
		open_ring(&link->ring);
		// fall through
	case PIPE:
		if (pipe2(fds, O_DIRECT))
			fail("pipe2");
		link->in = fds[0], link->out = fds[1];
		break;
	case VETH:
		open_veth(link);
		break;
	case UNIX:
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds))
			fail("socketpair");
		link->in = fds[0], link->out = fds[1];
		break;
	case UDP: {
		struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		socklen_t length = sizeof(at);
		link->in = socket(AF_INET, SOCK_DGRAM, 0), link->out = socket(AF_INET, SOCK_DGRAM, 0);
		if (bind(link->in, (struct sockaddr *)&at, length) || getsockname(link->in, (struct sockaddr *)&at, &length) ||
		    connect(link->out, (struct sockaddr *)&at, length))
			fail("udp");
		break;
	}
	case CONDVAR:
	case FUTEX:
	case POLL:
		break;
	default:
		fprintf(stderr, "chain: unknown kind '%s'\n", name);
		exit(2);
	}
	if (link->kind == EPOLL) {
		struct epoll_event event = {.events = EPOLLIN};
		link->epoll = epoll_create1(0);
		epoll_ctl(link->epoll, EPOLL_CTL_ADD, link->in, &event);
	}
}

static void put(struct link *link, int64_t number)
{
	uint64_t one = 1;
	switch (link->kind) {
	case EVENTFD:
	case EPOLL:
		link->latest = number;
		if (write(link->out, &one, 8) != 8)
			fail("eventfd");
		break;
	case URING:
	case VETH:
	case PIPE:
	case UNIX:
	case UDP:
		if (write(link->out, &number, 8) != 8)
			fail("write");
		break;
	case CONDVAR:
		pthread_mutex_lock(&link->mutex);
		link->latest = number;
		pthread_cond_signal(&link->cond);
		pthread_mutex_unlock(&link->mutex);
		break;
	case FUTEX:
		link->latest = number;
		link->word++;
		syscall(SYS_futex, &link->word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
		break;
	case POLL:
		link->latest = number;
		break;
	}
}

static int64_t get(struct link *link)
{
	uint64_t count;
	int64_t number;
	switch (link->kind) {
	case EVENTFD:
		if (read(link->in, &count, 8) != 8)
			fail("read");
		return newest(link);
	case EPOLL: {
		struct epoll_event event;
		while (read(link->in, &count, 8) != 8)
			epoll_wait(link->epoll, &event, 1, -1);
		return newest(link);
	}
	case URING:
		read_by_ring(&link->ring, link->in, &number);
		link->seen = number;
		return number;
	case VETH:
	case PIPE:
	case UNIX:
	case UDP:
		if (read(link->in, &number, 8) != 8)
			fail("read");
		link->seen = number;
		return number;
	case CONDVAR:
		pthread_mutex_lock(&link->mutex);
		while (link->latest == link->seen)
			pthread_cond_wait(&link->cond, &link->mutex);
		number = newest(link);
		pthread_mutex_unlock(&link->mutex);
		return number;
	case FUTEX:
		for (;;) {
			uint32_t word = link->word;
			if (link->latest != link->seen)
				return newest(link);
			syscall(SYS_futex, &link->word, FUTEX_WAIT_PRIVATE, word, NULL, NULL, 0);
		}
	case POLL:
		for (int64_t next = now() / 1000000 * 1000000 + 1000000;; next += 1000000) {
			if (link->latest != link->seen)
				return newest(link);
			sleep_until(next);
		}
	}
	return -1;
}
