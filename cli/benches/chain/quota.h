// SPDX-License-Identifier: MIT OR Apache-2.0
// What needs settings of the system: a control group with a quota of CPU time, and a ksoftirqd/1 that handles the packets of loopback.
#include <sys/stat.h>

// A thread that uses so much at once stops for the rest of a period.
enum { OVER_QUOTA_NS = 3000000 };

static char group[80];
static const char *members;

static int set(const char *folder, const char *file, const char *value)
{
	char path[200];
	int out, whole;
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	out = open(path, O_WRONLY);
	if (out < 0)
		return 0;
	whole = write(out, value, strlen(value)) == (ssize_t)strlen(value);
	close(out);
	return whole;
}

// 2 ms in each 10 ms. A group that is idle for some periods begins a new one when it next runs. Control groups of version 1, else of version 2.
static void open_group(void)
{
	members = "tasks";
	snprintf(group, sizeof(group), "/sys/fs/cgroup/cpu/backwall-chain-%d", getpid());
	if (!mkdir(group, 0755) && set(group, "cpu.cfs_period_us", "10000") && set(group, "cpu.cfs_quota_us", "2000"))
		return;
	members = "cgroup.threads";
	snprintf(group, sizeof(group), "/sys/fs/cgroup/backwall-chain-%d", getpid());
	if (mkdir(group, 0755) || !set(group, "cgroup.type", "threaded") || !set(group, "cpu.max", "2000 10000"))
		fail("a control group with a quota");
}

static void move_to(const char *folder, pid_t thread)
{
	char number[20];
	snprintf(number, sizeof(number), "%d", thread);
	if (!set(folder, members, number))
		fail(folder);
}

static void join_group(pid_t thread)
{
	move_to(group, thread);
}

// How long the kernel has kept the group off the CPUs so far.
static int64_t throttled_ns(void)
{
	char path[100], name[40];
	long long value, ns = 0;
	FILE *rows;
	snprintf(path, sizeof(path), "%s/cpu.stat", group);
	rows = fopen(path, "r");
	if (!rows)
		fail(path);
	while (fscanf(rows, "%39s %lld", name, &value) == 2) {
		if (!strcmp(name, "throttled_time"))
			ns = value;
		else if (!strcmp(name, "throttled_usec"))
			ns = value * 1000;
	}
	fclose(rows);
	return ns;
}

static void leave_group(pid_t thread)
{
	char above[100];
	snprintf(above, sizeof(above), "%s/..", group);
	move_to(above, thread);
	rmdir(group);
}

static pid_t ksoftirqd;

static void set_priority(pid_t thread, int policy, int priority)
{
	struct sched_param param = {.sched_priority = priority};
	if (sched_setscheduler(thread, policy, &param))
		fail("sched_setscheduler of ksoftirqd/1");
}

static void restore_ksoftirqd(void)
{
	set_priority(ksoftirqd, SCHED_OTHER, 0);
}

// Below the worker, and above what else this machine does: otherwise the softirq runs on the time of any thread.
static void raise_ksoftirqd(void)
{
	FILE *found = popen("pgrep -x ksoftirqd/1", "r");
	if (!found || fscanf(found, "%d", &ksoftirqd) != 1)
		fail("ksoftirqd/1");
	pclose(found);
	atexit(restore_ksoftirqd);
	set_priority(ksoftirqd, SCHED_FIFO, 30);
}

// The program gets its own network namespace, in which CPU 1 delivers every packet to its socket, whichever CPU sent it.
static void steer_loopback(void)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWNS))
		fail("unshare");
	shell("mount --make-rprivate / && mount -t sysfs none /sys && ip link set lo up && "
	      "echo 2 > /sys/class/net/lo/queues/rx-0/rps_cpus");
}
