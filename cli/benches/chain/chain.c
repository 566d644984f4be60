// SPDX-License-Identifier: MIT OR Apache-2.0
// A chain of three threads that stamps each hop itself: ch-timer -> ch-worker -> ch-act -> write.
//
//   chain FIRST SECOND INSTANCES PERIOD_US SEED INJECT
//
// FIRST and SECOND say how an instance is handed on: eventfd, udp, pipe, unix, condvar, epoll, futex, or for SECOND poll. INJECT names
// what is put in the way, each at pseudo-random instances: none, or a list of hog0, hog1, lock, run, drop, burst with commas between; with
// packet the actuator sends a packet over loopback instead of writing to /dev/null.
// A row an instance on standard output: number, release, stamps in ns, what was injected, fate. Then a row for each time that a hog had its
// CPU or the lock was held: its name, from when to when. Stamps are of CLOCK_MONOTONIC.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 200000, HELD_MOST = 65536 };
enum kind { EVENTFD, UDP, PIPE, UNIX, CONDVAR, EPOLL, FUTEX, POLL };
enum inject { HOG0 = 1, HOG1 = 2, LOCK = 4, RUN = 8, DROP = 16, BURST = 32, PACKET = 64 };

static const char *const KINDS[] = {"eventfd", "udp", "pipe", "unix", "condvar", "epoll", "futex", "poll", NULL};
static const char *const INJECTS[] = {"hog0", "hog1", "lock", "run", "drop", "burst", "packet", NULL};

// What is known of one instance. Times are 0 where it did not come so far.
struct row {
	int64_t release, came, handed, got, asked, worked, taken, written;
	int injected;
	_Atomic int merged;
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
};

// A time in which somebody kept others out.
struct held {
	const char *name;
	int64_t from, to;
};

static struct row rows[MOST];
static struct held held[HELD_MOST];
static _Atomic int held_count;
static struct link first, second;
static int64_t instances, period_ns;
static uint64_t seed;
static int injects, sink;
static pthread_mutex_t lock;
static _Atomic int64_t hog_at[2], lock_at;
static _Atomic int over;

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

static void spin(int64_t ns)
{
	for (int64_t end = now() + ns; now() < end;)
		;
}

static void keep_out(const char *name, int64_t ns)
{
	int place = held_count++;
	int64_t from = now();
	spin(ns);
	if (place < HELD_MOST)
		held[place] = (struct held){name, from, now()};
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void become(const char *name, int cpu, int priority)
{
	cpu_set_t set;
	struct sched_param param = {.sched_priority = priority};
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_TIMERSLACK, 1);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
	if (priority && sched_setscheduler(0, SCHED_FIFO, &param))
		fail("sched_setscheduler");
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
	case PIPE:
		if (pipe2(fds, O_DIRECT))
			fail("pipe2");
		link->in = fds[0], link->out = fds[1];
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

// The newest of those that wait, of a link that keeps the newest; older ones are merged into it.
static int64_t newest(struct link *link)
{
	int64_t number = link->latest;
	for (int64_t older = link->seen + 1; older < number; older++)
		rows[older].merged = rows[older].injected & DROP && link == &first ? 0 : 1;
	link->seen = number;
	return number;
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

// xorshift of the seed and a number: what is injected does not depend on when it runs.
static uint64_t chance(uint64_t number, uint64_t salt)
{
	uint64_t x = (seed + salt) * 0x9E3779B97F4A7C15u ^ (number + 1) * 0xBF58476D1CE4E5B9u;
	x ^= x >> 31, x *= 0x94D049BB133111EBu, x ^= x >> 29;
	return x;
}

static int injected(int64_t number)
{
	static const uint64_t EACH[] = {29, 31, 17, 37, 89, 211};
	int all = 0;
	for (int kind = 0; kind < 6; kind++)
		if (injects & 1 << kind && chance(number, kind) % EACH[kind] == 0)
			all |= 1 << kind;
	return all;
}

static void *timer(void *unused)
{
	int64_t begin = now() + 500000000;
	become("ch-timer", 0, 70);
	for (int64_t number = 0; number < instances; number++) {
		struct row *row = &rows[number];
		row->release = begin + number * period_ns;
		row->injected = injected(number);
		sleep_until(row->release);
		row->came = now();
		// Four and more in flight: the worker's own run of this instance is longer than that many periods.
		if (row->injected & HOG1)
			hog_at[1] = now() + 60000;
		if (row->injected & HOG0)
			hog_at[0] = number + 1 < instances ? begin + (number + 1) * period_ns - 100000 : 0;
		if (row->injected & LOCK)
			lock_at = number + 1 < instances ? begin + (number + 1) * period_ns - 200000 : 0;
		if (!(row->injected & DROP)) {
			put(&first, number);
			row->handed = now();
		}
	}
	return unused;
}

static void *worker(void *unused)
{
	become("ch-worker", 1, 60);
	for (;;) {
		int64_t number = get(&first);
		struct row *row = &rows[number];
		row->got = now();
		spin(40000);
		row->asked = now();
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		if (row->injected & RUN)
			spin(1000000);
		if (row->injected & BURST)
			spin(5 * period_ns);
		put(&second, number);
		row->worked = now();
	}
	return unused;
}

static void *act(void *unused)
{
	become("ch-act", 0, 65);
	for (;;) {
		int64_t number = get(&second);
		struct row *row = &rows[number];
		row->taken = now();
		spin(5000);
		row->written = now();
		if (write(sink, &number, 8) != 8)
			fail("write");
	}
	return unused;
}

static void *hog(void *which)
{
	int cpu = (int)(intptr_t)which;
	become(cpu ? "ch-hog1" : "ch-hog0", cpu, 90);
	while (!over) {
		int64_t at = atomic_exchange(&hog_at[cpu], 0);
		if (at) {
			sleep_until(at);
			keep_out(cpu ? "ch-hog1" : "ch-hog0", cpu ? 800000 : 600000);
		}
		sleep_until(now() + 200000);
	}
	return NULL;
}

static void *locker(void *unused)
{
	// On the worker's CPU: a waiter for a lock with priority inheritance spins in the kernel as long as the holder runs elsewhere.
	become("ch-locker", 1, 50);
	while (!over) {
		int64_t at = atomic_exchange(&lock_at, 0);
		if (at) {
			sleep_until(at);
			pthread_mutex_lock(&lock);
			keep_out("ch-locker", 700000);
			pthread_mutex_unlock(&lock);
		}
		sleep_until(now() + 100000);
	}
	return unused;
}

static const char *fate(const struct row *row)
{
	if (row->written)
		return "done";
	if (row->injected & DROP)
		return "not_handed_on";
	return row->merged ? "merged" : "unfinished";
}

int main(int count, char **words)
{
	pthread_t threads[6];
	pthread_mutexattr_t inherits;
	if (count != 7)
		return fprintf(stderr, "usage: chain FIRST SECOND INSTANCES PERIOD_US SEED INJECT\n"), 2;
	open_link(&first, words[1]);
	open_link(&second, words[2]);
	instances = atoll(words[3]);
	period_ns = atoll(words[4]) * 1000;
	seed = strtoull(words[5], NULL, 10);
	if (instances < 1 || instances > MOST || period_ns < 1)
		return fprintf(stderr, "chain: 1 to %d instances, a period above 0\n", MOST), 2;
	for (int kind = 0; INJECTS[kind]; kind++)
		injects |= strstr(words[6], INJECTS[kind]) ? 1 << kind : 0;
	mlockall(MCL_CURRENT | MCL_FUTURE);
	memset(rows, 0, sizeof(struct row) * instances);
	sink = open("/dev/null", O_WRONLY);
	if (injects & PACKET) {
		static struct link packet;
		open_link(&packet, "udp");
		sink = packet.out;
	}
	pthread_mutexattr_init(&inherits);
	pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lock, &inherits);
	pthread_create(&threads[1], NULL, worker, NULL);
	pthread_create(&threads[2], NULL, act, NULL);
	pthread_create(&threads[3], NULL, hog, (void *)0);
	pthread_create(&threads[4], NULL, hog, (void *)1);
	pthread_create(&threads[5], NULL, locker, NULL);
	pthread_create(&threads[0], NULL, timer, NULL);
	pthread_join(threads[0], NULL);
	over = 1;
	sleep_until(now() + 200000000);
	for (int64_t number = 0; number < instances; number++) {
		const struct row *row = &rows[number];
		printf("%lld %lld %lld %lld %lld %lld %lld %lld %lld %d %s\n", (long long)number, (long long)row->release,
		       (long long)row->came, (long long)row->handed, (long long)row->got, (long long)row->asked,
		       (long long)row->worked, (long long)row->taken, (long long)row->written, row->injected, fate(row));
	}
	for (int place = 0; place < held_count && place < HELD_MOST; place++)
		printf("%s %lld %lld\n", held[place].name, (long long)held[place].from, (long long)held[place].to);
	return 0;
}
