// SPDX-License-Identifier: MIT OR Apache-2.0
// A chain of three threads that stamps each hop itself: ch-timer -> ch-worker -> ch-act -> write.
//
//   chain FIRST SECOND INSTANCES PERIOD_US SEED INJECT
//
// FIRST and SECOND say how an instance is handed on: eventfd, udp, pipe, unix, condvar, epoll, uring, veth, futex, or for SECOND poll. INJECT
// names what is put in the way, each at pseudo-random instances: none, or a list of hog0, hog1, lock, run, drop, burst, irq, soft, mask, fault,
// quota, backlog with commas between; with packet the actuator sends a packet over loopback instead of writing to /dev/null; with join it needs
// ch-right, too; with fork ch-right is a second end.
// A row an instance on standard output: number, release, stamps in ns, those of ch-right, the longest gap in the worker's work, what was injected,
// fate. Then a row for each time that a hog had its CPU or the lock was held: its name, from when to when. Stamps are of CLOCK_MONOTONIC.
// After that the program closes standard output and lives until the end of its standard input.
#include "links.h"
#include "quota.h"

enum { MOST = 200000, HELD_MOST = 65536, TIMERS = 1200, CROWD = 1000, FEW = 40, SIGNALS = 20000, PAGES = 400, PAGE_BYTES = 4096 };
enum inject { HOG0 = 1, HOG1 = 2, LOCK = 4, RUN = 8, DROP = 16, BURST = 32, PACKET = 64, IRQ = 128, JOIN = 256, SOFT = 512, MASK = 1024, FAULT = 2048, FORK = 4096, QUOTA = 8192, BACKLOG = 16384 };

static const char *const INJECTS[] = {"hog0", "hog1", "lock", "run", "drop", "burst", "packet", "irq", "join", "soft", "mask", "fault", "fork", "quota", "backlog", NULL};

// What is known of one instance. Times are 0 where it did not come so far.
struct row {
	int64_t release, came, handed, got, asked, worked, taken, written, gap, right_got, right_written;
	int injected;
	_Atomic int merged;
};

// A time in which somebody kept others out.
struct held {
	const char *name;
	int64_t from, to;
};

static struct row rows[MOST];
static struct held held[HELD_MOST];
static _Atomic int held_count;
static struct link first, second, to_right, from_right;
static int64_t begin, instances, period_ns;
static uint64_t seed;
static int injects, sink;
static pthread_mutex_t lock;
static int timers[TIMERS];
static char *pages;
static pid_t worker_id;

static int64_t newest(struct link *link)
{
	int64_t number = link->latest;
	for (int64_t older = link->seen + 1; older < number; older++)
		rows[older].merged = rows[older].injected & DROP && link == &first ? 0 : 1;
	link->seen = number;
	return number;
}

// Returns the longest time in which it did not run.
static int64_t spin(int64_t ns)
{
	int64_t gap = 0, last = now();
	for (int64_t end = last + ns, at; last < end; last = at) {
		at = now();
		gap = at - last > gap ? at - last : gap;
	}
	return gap;
}

static int64_t used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// Its way out of the sleep counts, too: the thread had used `before` of the CPU when it went to sleep.
static void keep_out(const char *name, int64_t ns, int64_t before)
{
	int place = held_count++;
	int64_t from = now(), to;
	spin(ns);
	to = now();
	if (before && to - (used() - before) < from)
		from = to - (used() - before);
	if (place < HELD_MOST)
		held[place] = (struct held){name, from, to};
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

// xorshift of the seed and a number: what is injected does not depend on when it runs.
static uint64_t chance(uint64_t number, uint64_t salt)
{
	uint64_t x = (seed + salt) * 0x9E3779B97F4A7C15u ^ (number + 1) * 0xBF58476D1CE4E5B9u;
	x ^= x >> 31, x *= 0x94D049BB133111EBu, x ^= x >> 29;
	return x;
}

static int injected(int64_t number)
{
	static const uint64_t EACH[] = {29, 31, 17, 37, 89, 211, 0, 23, 0, 37, 41, 13, 0, 5, 7};
	int all = 0;
	for (int kind = 0; INJECTS[kind]; kind++)
		if (EACH[kind] && injects & 1 << kind && chance(number, kind) % EACH[kind] == 0)
			all |= 1 << kind;
	return all;
}

// Runs for more CPU time than the quota. Returns how long the kernel stopped it for that.
static int64_t use_up(void)
{
	int64_t before = throttled_ns(), end = used() + OVER_QUOTA_NS;
	while (used() < end)
		;
	return throttled_ns() - before;
}

// Touches pages that the kernel has taken away. Returns how long that took.
static int64_t touch(void)
{
	int64_t from;
	if (madvise(pages, PAGES * PAGE_BYTES, MADV_DONTNEED))
		fail("madvise");
	from = now();
	for (int page = 0; page < PAGES; page++)
		*(volatile char *)(pages + page * PAGE_BYTES) = 1;
	return now() - from;
}

static void *timer(void *unused)
{
	become("ch-timer", 0, 70);
	// A recording knows the timers of a thread from when it has seen its name.
	sleep_until(begin - 100000000);
	for (int64_t number = 0; number < instances; number++) {
		struct row *row = &rows[number];
		sleep_until(row->release);
		row->came = now();
		if (!(row->injected & DROP)) {
			put(&first, number);
			if (injects & (JOIN | FORK))
				put(&to_right, number);
			row->handed = now();
		}
	}
	return unused;
}

static void *worker(void *unused)
{
	become("ch-worker", 1, injects & QUOTA ? 0 : 60);
	worker_id = (pid_t)syscall(SYS_gettid);
	// A quota holds for ordinary threads alone.
	if (injects & QUOTA) {
		if (setpriority(PRIO_PROCESS, 0, -20))
			fail("setpriority");
		join_group(worker_id);
	}
	for (;;) {
		int64_t number = get(&first);
		struct row *row = &rows[number];
		row->got = now();
		row->gap = spin(row->injected & IRQ ? 400000 : 40000);
		if (row->injected & FAULT)
			row->gap = touch();
		if (row->injected & QUOTA)
			row->gap = use_up();
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

static void *right(void *unused)
{
	become("ch-right", 1, 58);
	for (;;) {
		int64_t number = get(&to_right);
		struct row *row = &rows[number];
		row->right_got = now();
		spin(number % 23 ? 20000 : 700000);
		row->right_written = now();
		if (injects & JOIN)
			put(&from_right, number);
		else if (write(sink, &number, 8) != 8)
			fail("write");
	}
	return unused;
}

static void *act(void *unused)
{
	become("ch-act", 0, 65);
	for (;;) {
		int64_t number = get(&second);
		struct row *row = &rows[number];
		if (injects & JOIN)
			get(&from_right);
		row->taken = now();
		spin(5000);
		row->written = now();
		if (write(sink, &number, 8) != 8)
			fail("write");
	}
	return unused;
}

// Sleeps until this long after the release of the next instance with this; returns the CPU time used by then, or 0 if there is none.
static int64_t wait_for(int kind, int64_t *number, int64_t after)
{
	for (; *number < instances; ++*number) {
		int64_t at = rows[*number].release + after, before;
		if (!(rows[*number].injected & kind) || at < now())
			continue;
		before = used();
		sleep_until(at);
		++*number;
		return before;
	}
	return 0;
}

static void *hog(void *which)
{
	int cpu = (int)(intptr_t)which;
	int64_t number = 0, before;
	become(cpu ? "ch-hog1" : "ch-hog0", cpu, 90);
	while ((before = wait_for(cpu ? HOG1 : HOG0, &number, cpu ? 90000 : period_ns - 100000)))
		keep_out(cpu ? "ch-hog1" : "ch-hog0", cpu ? 800000 : 600000, before);
	return NULL;
}

static void *locker(void *unused)
{
	int64_t number = 0;
	// On the worker's CPU: a waiter for a lock with priority inheritance spins in the kernel as long as the holder runs elsewhere.
	become("ch-locker", 1, 50);
	while (wait_for(LOCK, &number, period_ns - 200000)) {
		pthread_mutex_lock(&lock);
		keep_out("ch-locker", 700000, 0);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

// Sets many timers of the worker's CPU to one instant: a long interrupt.
static void *storm(void *unused)
{
	int64_t number = 0;
	become("ch-storm", 1, 0);
	while (wait_for(IRQ, &number, -period_ns + 1000000)) {
		int64_t at = rows[number - 1].release + 200000;
		struct itimerspec when = {.it_value = {at / 1000000000, at % 1000000000}};
		for (int place = 0; place < TIMERS; place++)
			timerfd_settime(timers[place], TFD_TIMER_ABSTIME, &when, NULL);
	}
	return unused;
}

static void hold(const char *name, int64_t from)
{
	int place = held_count++;
	if (place < HELD_MOST)
		held[place] = (struct held){name, from, now()};
}

// Sockets that all get each packet sent to this address. Returns one to send it with.
static int open_crowd(int count, struct sockaddr_in *to)
{
	int sender = socket(AF_INET, SOCK_DGRAM, 0), one = 1;
	struct ip_mreq group = {0};
	*to = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(4712)};
	inet_aton("239.9.9.9", &to->sin_addr);
	group.imr_multiaddr = to->sin_addr, group.imr_interface.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(sender, IPPROTO_IP, IP_MULTICAST_IF, &group.imr_interface, sizeof(group.imr_interface));
	for (int place = 0; place < count; place++) {
		int crowd = socket(AF_INET, SOCK_DGRAM, 0);
		setsockopt(crowd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(crowd, (struct sockaddr *)to, sizeof(*to)) ||
		    setsockopt(crowd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof(group)))
			fail("a socket of the crowd");
	}
	return sender;
}

// Sends a packet to a thousand sockets: the softirq that gives it to them runs in this call.
static void *soft(void *unused)
{
	int64_t number = 0;
	struct sockaddr_in to;
	int sender = open_crowd(CROWD, &to);
	become("ch-soft", 1, 62);
	while (wait_for(SOFT, &number, 0)) {
		int64_t from = now();
		sendto(sender, &number, sizeof(number), 0, (struct sockaddr *)&to, sizeof(to));
		hold("ch-soft", from);
	}
	return unused;
}

// Sends more packets than the softirq of the worker's CPU handles, from 12 ms before the release until 1 ms after it: ksoftirqd/1 takes over.
static void *flood(void *unused)
{
	int64_t number = 0;
	struct sockaddr_in to;
	int sender = open_crowd(FEW, &to);
	become("ch-flood", 0, 40);
	while (wait_for(BACKLOG, &number, -12000000)) {
		int64_t end = rows[number - 1].release + 1000000;
		while (now() < end)
			sendto(sender, &number, sizeof(number), 0, (struct sockaddr *)&to, sizeof(to));
	}
	return unused;
}

// do_sigtimedwait looks through a list of signals with interrupts masked; the last one is asked for.
static void *mask(void *unused)
{
	int64_t number = 0;
	struct timespec none = {0};
	union sigval nothing = {0};
	sigset_t last, other;
	sigemptyset(&last), sigemptyset(&other);
	sigaddset(&last, SIGRTMIN + 1);
	sigaddset(&other, SIGRTMIN + 2);
	// As long a list as is allowed, but for the one that is asked for.
	for (int count = 0; count < SIGNALS && !sigqueue(getpid(), SIGRTMIN + 2, nothing); count++)
		;
	sigtimedwait(&other, NULL, &none);
	become("ch-mask", 1, 62);
	while (wait_for(MASK, &number, 0)) {
		int64_t from;
		sigqueue(getpid(), SIGRTMIN + 1, nothing);
		from = now();
		sigtimedwait(&last, NULL, &none);
		hold("ch-mask", from);
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
	struct rlimit files = {TIMERS + CROWD + 100, TIMERS + CROWD + 100}, signals = {2 * SIGNALS, 2 * SIGNALS};
	sigset_t both;
	pthread_t threads[11];
	char end;
	pthread_mutexattr_t inherits;
	if (count != 7)
		return fprintf(stderr, "usage: chain FIRST SECOND INSTANCES PERIOD_US SEED INJECT\n"), 2;
	instances = atoll(words[3]);
	period_ns = atoll(words[4]) * 1000;
	seed = strtoull(words[5], NULL, 10);
	if (instances < 1 || instances > MOST || period_ns < 1)
		return fprintf(stderr, "chain: 1 to %d instances, a period above 0\n", MOST), 2;
	for (int kind = 0; INJECTS[kind]; kind++)
		injects |= strstr(words[6], INJECTS[kind]) ? 1 << kind : 0;
	if (injects & BACKLOG) {
		steer_loopback();
		raise_ksoftirqd();
	}
	if (injects & QUOTA)
		open_group();
	open_link(&first, words[1]);
	open_link(&second, words[2]);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	memset(rows, 0, sizeof(struct row) * instances);
	pages = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	// A huge page would be one fault.
	if (pages == MAP_FAILED || munlock(pages, PAGES * PAGE_BYTES) || madvise(pages, PAGES * PAGE_BYTES, MADV_NOHUGEPAGE))
		fail("pages");
	sink = open("/dev/null", O_WRONLY);
	if (injects & PACKET) {
		static struct link packet;
		open_link(&packet, "udp");
		sink = packet.out;
	}
	pthread_mutexattr_init(&inherits);
	pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lock, &inherits);
	begin = now() + 1500000000;
	for (int64_t number = 0; number < instances; number++) {
		rows[number].release = begin + number * period_ns;
		rows[number].injected = injected(number);
	}
	if (injects & (JOIN | FORK)) {
		// Its own pipe, so that it takes each.
		open_link(&to_right, "pipe"), open_link(&from_right, words[2]);
		pthread_create(&threads[6], NULL, right, NULL);
	}
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_SIGPENDING, &signals);
	sigemptyset(&both);
	sigaddset(&both, SIGRTMIN + 1), sigaddset(&both, SIGRTMIN + 2);
	sigprocmask(SIG_BLOCK, &both, NULL);
	if (injects & SOFT)
		pthread_create(&threads[8], NULL, soft, NULL);
	if (injects & BACKLOG)
		pthread_create(&threads[10], NULL, flood, NULL);
	if (injects & MASK)
		pthread_create(&threads[9], NULL, mask, NULL);
	if (injects & IRQ) {
		for (int place = 0; place < TIMERS; place++)
			if ((timers[place] = timerfd_create(CLOCK_MONOTONIC, 0)) < 0)
				fail("timerfd_create");
		pthread_create(&threads[7], NULL, storm, NULL);
	}
	pthread_create(&threads[1], NULL, worker, NULL);
	pthread_create(&threads[2], NULL, act, NULL);
	pthread_create(&threads[3], NULL, hog, (void *)0);
	pthread_create(&threads[4], NULL, hog, (void *)1);
	pthread_create(&threads[5], NULL, locker, NULL);
	pthread_create(&threads[0], NULL, timer, NULL);
	pthread_join(threads[0], NULL);
	sleep_until(now() + 200000000);
	for (int64_t number = 0; number < instances; number++) {
		const struct row *row = &rows[number];
		printf("%lld %lld %lld %lld %lld %lld %lld %lld %lld %lld %lld %lld %d %s\n", (long long)number,
		       (long long)row->release, (long long)row->came, (long long)row->handed, (long long)row->got,
		       (long long)row->asked, (long long)row->worked, (long long)row->taken, (long long)row->written,
		       (long long)row->right_got, (long long)row->right_written, (long long)row->gap, row->injected, fate(row));
	}
	for (int place = 0; place < held_count && place < HELD_MOST; place++)
		printf("%s %lld %lld\n", held[place].name, (long long)held[place].from, (long long)held[place].to);
	fclose(stdout);
	// A recorder that ends now sees the worker in its group.
	while (read(0, &end, 1) > 0)
		;
	if (injects & QUOTA)
		leave_group(worker_id);
	return 0;
}
