/* SPDX-License-Identifier: BSD-3-Clause
 *
 * inject KIND N SEED CPU ORDERS LOG - disturbs a lane N times, once in 60 to 100 ms, and writes of
 * each disturbance when it began and ended: `KIND BEGIN_NS END_NS`, CLOCK_MONOTONIC. The engine is
 * told nothing.
 *
 *   component   the component `told` works for 1.5 to 3 ms once, by a word in the file ORDERS
 *   new-memory  ... touches 1 500 to 3 000 new pages
 *   preempted   a FIFO 80 thread has the lane's CPU for 1.5 to 3 ms
 *   moved       the lane's thread is moved to another CPU, where a FIFO 80 thread has the CPU, and
 *               back after 1.5 to 3 ms
 *   no-input    a pipe that the source reads has nothing for 60 ms: ORDERS is the pipe
 *   soft-interrupt  packets over flood0, from another CPU, for 20 to 40 ms; who starts inject
 *               has made flood1 hand them to the lane's CPU
 *   other-cpu   membarrier(2) from another CPU, for 20 to 40 ms: each interrupts the lane's CPU
 *   other-cpu-tlb   a thread of the lane's process, on another CPU, takes memory and gives it back
 *               for 20 to 40 ms by an order to `told`: each time the lane's CPU is interrupted
 *   timer       8 000 to 16 000 timers of the lane's CPU expire at once
 *   timer-idle  the same; of `timer` a thread of low priority has the CPU while the lane sleeps,
 *               because there are kernels that write no record while a CPU is idle
 *   throttled   the lane's thread is in a cgroup that has 1 of 10 ms for 10 ms, else 9 of 10
 *   throttled-quota the lane's thread has ordinary priority, in a cgroup that has 1 of 10 ms of the
 *               CPU for 20 ms (cpu.cfs_quota_us), else no bound; where others have the CPU
 *               meanwhile it is told as preempted by them, which this counts as wrong
 *   preempted-quota a FIFO 80 thread has the lane's CPU for 1.5 to 3 ms, and the lane's thread has
 *               ordinary priority, in a cgroup with a quota that is never used up: a control
 *   slept       SIGSTOP to the host, SIGCONT after 1.5 to 3 ms
 *   slow-machine    another CPU writes much memory for 20 to 40 ms
 *   radio       SIGSTOP to the simulated radio, SIGCONT after 3 to 6 ms: ORDERS is its pid
 *   stolen      nothing: a thread on another CPU looks for N moments, at most 60 s, at which that
 *               CPU stood for more than 1 ms, which nobody can make here
 *   none        nothing: a control
 *
 * Two kinds with + between them come in the same moment. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/membarrier.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* As in tests/faults/components/told.c. */
struct orders {
	_Atomic uint32_t how, amount;
};
enum { ORDER_NONE, ORDER_WORK, ORDER_PAGES, ORDER_STORM };

enum {
	LANE_PRIORITY = 50,
	PRIORITY = 80,
	BLOCK = 4096,
	FRAME = 64,
	FRAMES = 64, /* in one call */
	ETHERTYPE_TEST = 0x88b5,
	TIMERS = 16000,
	TIMERS_AHEAD_NS = 40000000,
	MEMORY = 64 << 20,
	LOOK_US = 200,
	STALL_NS = 1000000,
	SHARES_MOST = 262144,
	QUOTA_AMPLE_US = 20000, /* of a period of 10 ms, so two CPUs */
};
#define GROUP "/sys/fs/cgroup/cpu/aloe-truth"

struct inject {
	uint64_t random;
	int cpu, other;
	struct orders *orders;
	int pipe;
	int flood, timers[TIMERS];
	uint8_t *memory;
	pid_t radio, pid, tid; /* of the simulated radio, of the host, of the lane's thread */
	FILE *log;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void sleep_us(uint64_t us)
{
	const struct timespec t = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};

	nanosleep(&t, NULL);
}

static uint32_t random_from(struct inject *inject, uint32_t least, uint32_t most)
{
	inject->random ^= inject->random << 13;
	inject->random ^= inject->random >> 7;
	inject->random ^= inject->random << 17;
	return least + (uint32_t)(inject->random % (most - least + 1));
}

/* ---- threads ------------------------------------------------------------------------ */

struct hog {
	int cpu;
	uint64_t us, begin_ns, end_ns;
};

static void *hog_main(void *self)
{
	struct hog *hog = self;
	const struct sched_param param = {.sched_priority = PRIORITY};
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(hog->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	sched_setscheduler(0, SCHED_FIFO, &param);
	hog->begin_ns = now_ns();
	while (now_ns() < hog->begin_ns + hog->us * 1000)
		;
	hog->end_ns = now_ns();
	return NULL;
}

static bool is_host(const char *pid)
{
	char path[320], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	file = pid[0] >= '1' && pid[0] <= '9' ? fopen(path, "r") : NULL;
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = 0;
	fclose(file);
	return strcmp(name, "aloe-host\n") == 0;
}

/* The FIFO 50 thread of a host that may run on the lane's CPU only. */
static pid_t lane_find(int cpu, pid_t *ret_pid)
{
	DIR *all = opendir("/proc");
	struct dirent *one, *thread;
	pid_t found = 0;
	char path[320];

	while (all && !found && (one = readdir(all))) {
		DIR *tasks;

		snprintf(path, sizeof(path), "/proc/%s/task", one->d_name);
		tasks = is_host(one->d_name) ? opendir(path) : NULL;
		while (tasks && !found && (thread = readdir(tasks))) {
			const pid_t tid = (pid_t)strtol(thread->d_name, NULL, 10);
			struct sched_param param = {0};
			cpu_set_t set;

			if (tid > 0 && sched_getparam(tid, &param) == 0 &&
			    param.sched_priority == LANE_PRIORITY &&
			    sched_getaffinity(tid, sizeof(set), &set) == 0 &&
			    CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set))
				found = tid, *ret_pid = (pid_t)strtol(one->d_name, NULL, 10);
		}
		if (tasks)
			closedir(tasks);
	}
	if (all)
		closedir(all);
	return found;
}

static void lane_move(const struct inject *inject, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(inject->tid, sizeof(set), &set) != 0)
		perror("inject: the lane cannot be moved");
}

/* ---- kinds ------------------------------------------------------------------------ */

static void order_give(struct inject *inject, uint32_t how, uint32_t amount)
{
	atomic_store(&inject->orders->amount, amount);
	atomic_store(&inject->orders->how, how);
	for (int i = 0; i < 1000 && atomic_load(&inject->orders->how) != ORDER_NONE; i++)
		sleep_us(200);
}

/* Above the hog, which may have the CPU of this thread. */
static void priority_set(int priority)
{
	const struct sched_param param = {.sched_priority = priority};

	sched_setscheduler(0, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &param);
}

static void preempt(struct inject *inject, int cpu, bool moves, uint64_t us)
{
	struct hog hog = {.cpu = cpu, .us = us};
	pthread_t thread;

	priority_set(PRIORITY + 1);
	if (pthread_create(&thread, NULL, hog_main, &hog) != 0)
		return;
	if (moves) {
		sleep_us(200);
		lane_move(inject, cpu);
	}
	pthread_join(thread, NULL);
	if (moves)
		lane_move(inject, inject->cpu);
	priority_set(0);
}

/* ---- kinds that need something first ---------------------------------------------------- */

static void cpu_set(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int flood_open(void)
{
	struct sockaddr_ll to = {
	    .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex("flood0")};
	const int fd = socket(AF_PACKET, SOCK_RAW, 0), yes = 1;

	setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &yes, sizeof(yes));
	return bind(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 ? fd : -1;
}

/* Broadcast, of a type that is for nobody. */
static void flood(const struct inject *inject, uint64_t until_ns)
{
	uint8_t frame[FRAME] = {255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 1, ETHERTYPE_TEST >> 8,
	    ETHERTYPE_TEST & 255};
	struct iovec part = {frame, FRAME};
	struct mmsghdr all[FRAMES] = {{{0}, 0}};

	for (int i = 0; i < FRAMES; i++)
		all[i].msg_hdr = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
	while (now_ns() < until_ns)
		sendmmsg(inject->flood, all, FRAMES, 0);
}

static void barriers(uint64_t until_ns)
{
	while (now_ns() < until_ns)
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

static void *busy_main(void *self)
{
	const struct sched_param param = {0};

	cpu_set(*(const int *)self);
	sched_setscheduler(0, SCHED_IDLE, &param);
	for (;;)
		atomic_signal_fence(memory_order_seq_cst);
	return NULL;
}

static bool timers_open(struct inject *inject, bool busy)
{
	const struct rlimit limit = {TIMERS + 100, TIMERS + 100};
	pthread_t thread;

	if (busy && pthread_create(&thread, NULL, busy_main, &inject->cpu) != 0)
		return false;

	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < TIMERS; i++)
		if ((inject->timers[i] = timerfd_create(CLOCK_MONOTONIC, 0)) < 0)
			return false;
	return true;
}

/* A timer belongs to the CPU on which it is set. */
static void timers_set(const struct inject *inject, uint32_t n, uint64_t at_ns)
{
	const struct itimerspec at = {
	    .it_value = {(time_t)(at_ns / 1000000000u), (long)(at_ns % 1000000000u)}};

	cpu_set(inject->cpu);
	for (uint32_t i = 0; i < n; i++)
		timerfd_settime(inject->timers[i], TFD_TIMER_ABSTIME, &at, NULL);
	cpu_set(inject->other);
}

static bool text_write(const char *path, long number)
{
	FILE *file = fopen(path, "w");
	bool written = file && fprintf(file, "%ld", number) > 0;

	if (file && fclose(file) != 0)
		written = false;
	return written;
}

static bool group_open(const struct inject *inject)
{
	mkdir(GROUP, 0755);
	return text_write(GROUP "/cpu.rt_period_us", 10000) &&
	    text_write(GROUP "/cpu.rt_runtime_us", 9000) && text_write(GROUP "/tasks", inject->tid);
}

/* A quota bounds ordinary threads only; FIFO is refused in a group without a budget for it. Large
 * shares keep other load of the machine from being what the lane waits for. */
static bool quota_open(const struct inject *inject)
{
	const struct sched_param ordinary = {0};

	mkdir(GROUP, 0755);
	return text_write(GROUP "/cpu.cfs_period_us", 10000) &&
	    text_write(GROUP "/cpu.cfs_quota_us", -1) &&
	    text_write(GROUP "/cpu.shares", SHARES_MOST) &&
	    sched_setscheduler(inject->tid, SCHED_OTHER, &ordinary) == 0 &&
	    text_write(GROUP "/tasks", inject->tid);
}

static void group_close(const struct inject *inject)
{
	const struct sched_param param = {.sched_priority = LANE_PRIORITY};

	text_write("/sys/fs/cgroup/cpu/tasks", inject->tid);
	sched_setscheduler(inject->tid, SCHED_FIFO, &param);
	rmdir(GROUP);
}

static void memory_write(const struct inject *inject, uint64_t until_ns)
{
	for (int round = 0; now_ns() < until_ns; round++)
		memset(inject->memory + (size_t)(round % 16) * (MEMORY / 16), round, MEMORY / 16);
}

static void stop(pid_t pid, uint64_t us)
{
	kill(pid, SIGSTOP);
	sleep_us(us);
	kill(pid, SIGCONT);
}

/* As much as the pipe takes; the source reads a block in a slot. */
static void pipe_feed(const struct inject *inject, uint64_t until_ns)
{
	static const char block[BLOCK];

	while (now_ns() < until_ns)
		if (inject->pipe < 0 || write(inject->pipe, block, sizeof(block)) < 0)
			sleep_us(300);
}

static void throttle(void)
{
	text_write(GROUP "/cpu.rt_runtime_us", 1000);
	sleep_us(10000);
	text_write(GROUP "/cpu.rt_runtime_us", 9000);
}

static void quota(void)
{
	text_write(GROUP "/cpu.cfs_quota_us", 1000);
	sleep_us(20000);
	text_write(GROUP "/cpu.cfs_quota_us", -1);
}

static void timers_expire(const struct inject *inject, uint32_t n)
{
	const uint64_t at = now_ns() + TIMERS_AHEAD_NS;

	timers_set(inject, n, at);
	sleep_us(at > now_ns() ? (at - now_ns()) / 1000 + 3000 : 0);
}

static void kind_do(struct inject *inject, const char *kind)
{
	const uint32_t us = random_from(inject, 1500, 3000);
	const uint64_t long_ns = now_ns() + us * 13333ull;

	if (strcmp(kind, "component") == 0)
		order_give(inject, ORDER_WORK, us);
	else if (strcmp(kind, "new-memory") == 0)
		order_give(inject, ORDER_PAGES, us);
	else if (strcmp(kind, "preempted") == 0 || strcmp(kind, "preempted-quota") == 0)
		preempt(inject, inject->cpu, false, us);
	else if (strcmp(kind, "moved") == 0)
		preempt(inject, inject->other, true, us);
	else if (strcmp(kind, "no-input") == 0)
		sleep_us(60000);
	else if (strcmp(kind, "slept") == 0)
		stop(inject->pid, us);
	else if (strcmp(kind, "radio") == 0)
		stop(inject->radio, 2 * us);
	else if (strcmp(kind, "soft-interrupt") == 0)
		flood(inject, long_ns);
	else if (strcmp(kind, "other-cpu") == 0)
		barriers(long_ns);
	else if (strcmp(kind, "slow-machine") == 0)
		memory_write(inject, long_ns);
	else if (strcmp(kind, "other-cpu-tlb") == 0)
		order_give(inject, ORDER_STORM, us * 40 / 3);
	else if (strcmp(kind, "throttled") == 0)
		throttle();
	else if (strcmp(kind, "throttled-quota") == 0)
		quota();
	else if (strncmp(kind, "timer", 5) == 0)
		timers_expire(inject, us * 16 / 3);
	else
		sleep_us(us);
}

static void trial(struct inject *inject, const char *kinds)
{
	char text[64], *rest = NULL;
	const uint64_t begin = now_ns();

	snprintf(text, sizeof(text), "%s", kinds);
	for (char *kind = strtok_r(text, "+", &rest); kind; kind = strtok_r(NULL, "+", &rest))
		kind_do(inject, kind);
	fprintf(inject->log, "%s %llu %llu\n", kinds, (unsigned long long)begin,
	    (unsigned long long)now_ns());
	pipe_feed(inject, now_ns() + random_from(inject, 60000, 100000) * 1000ull);
}

/* The reference beside the lane: where the whole machine stands, both see it. */
static void stalls_watch(struct inject *inject, int n)
{
	const uint64_t until = now_ns() + 60000000000u;
	uint64_t last, now = now_ns();

	priority_set(PRIORITY);
	while (n > 0 && now < until) {
		last = now;
		sleep_us(LOOK_US);
		now = now_ns();
		if (now - last < STALL_NS + LOOK_US * 1000)
			continue;
		fprintf(inject->log, "stolen %llu %llu\n", (unsigned long long)last,
		    (unsigned long long)now);
		n--;
	}
	priority_set(0);
}

static bool orders_open(struct inject *inject, const char *path)
{
	const int fd = open(path, O_RDWR);

	inject->orders = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return inject->orders != MAP_FAILED;
}

static bool pipe_open(struct inject *inject, const char *path)
{
	inject->pipe = open(path, O_WRONLY | O_NONBLOCK);
	if (inject->pipe >= 0)
		fcntl(inject->pipe, F_SETPIPE_SZ, BLOCK);
	return inject->pipe >= 0;
}

static bool memory_open(struct inject *inject)
{
	inject->memory = malloc(MEMORY);
	return inject->memory != NULL;
}

/* What the kinds need. */
static bool kinds_open(struct inject *inject, const char *kinds, const char *path)
{
	inject->pipe = -1;
	if (strstr(kinds, "no-input"))
		return pipe_open(inject, path);
	if (strstr(kinds, "radio"))
		return (inject->radio = (pid_t)strtol(path, NULL, 10)) > 0;
	if (strstr(kinds, "soft-interrupt") && (inject->flood = flood_open()) < 0)
		return false;
	if (strstr(kinds, "timer") && !timers_open(inject, !strstr(kinds, "timer-idle")))
		return false;
	if (strstr(kinds, "slow-machine") && !memory_open(inject))
		return false;
	if (strstr(kinds, "preempted-quota") &&
	    !(quota_open(inject) && text_write(GROUP "/cpu.cfs_quota_us", QUOTA_AMPLE_US)))
		return false;
	if (strstr(kinds, "throttled") &&
	    !(strstr(kinds, "throttled-quota") ? quota_open(inject) : group_open(inject)))
		return false;
	return orders_open(inject, path);
}

int main(int argc, char **argv)
{
	static struct inject inject; /* it is large */

	if (argc != 7) {
		fprintf(stderr, "inject KIND N SEED CPU ORDERS LOG\n");
		return 2;
	}
	inject.random = strtoull(argv[3], NULL, 10) * 2654435761u + 88172645463325252ull;
	inject.cpu = atoi(argv[4]);
	inject.other = inject.cpu == 0 ? 1 : 0;
	inject.tid = lane_find(inject.cpu, &inject.pid);
	inject.log = fopen(argv[6], "w");
	if (!inject.log || (inject.tid == 0 && !strstr(argv[1], "radio")) ||
	    !kinds_open(&inject, argv[1], argv[5])) {
		fprintf(stderr, "inject: no lane on CPU %d, or %s or %s cannot be opened\n",
		    inject.cpu, argv[5], argv[6]);
		return 1;
	}
	cpu_set(inject.other);
	pipe_feed(&inject, now_ns() + 300000000);
	if (strcmp(argv[1], "stolen") == 0)
		stalls_watch(&inject, atoi(argv[2]));
	for (int i = 0; i < atoi(argv[2]) && strcmp(argv[1], "stolen") != 0; i++)
		trial(&inject, argv[1]);
	if (strstr(argv[1], "throttled") || strstr(argv[1], "quota"))
		group_close(&inject);
	return fclose(inject.log) == 0 ? 0 : 1;
}
