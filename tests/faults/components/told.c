/* SPDX-License-Identifier: BSD-3-Clause
 * told - items passed on, and whatever another process asks for by a word in a file: longer work,
 * a walk over new memory, or a thread beside the lane that changes the memory of the process. For
 * tests; never installed.
 *
 * Its usual work is a number of rounds that took busy_us when it was opened, not a time, so that
 * whoever takes the CPU makes the call longer. A round computes, or reads memory. */
#include <aloe/component.h>

#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 16384, LINE = 64, ROUND_LINES = 64, TRIES = 8, TRY_ROUNDS = 2000 };
enum { STORM_LOOK_US = 300 };

/* As in tests/truth/inject.c. amount: how many us, of `how` PAGES how many pages. */
struct orders {
	_Atomic uint32_t how, amount;
};
enum { ORDER_NONE, ORDER_WORK, ORDER_PAGES, ORDER_STORM };

struct told {
	char file[512];
	struct orders *orders;
	uint8_t *memory, *read;
	double busy_us;
	uint64_t read_kib, rounds, at, sum;
	uint32_t touched;
	int32_t storm_cpu;
	pthread_t storm;
	bool has_storm;
	_Atomic bool ends;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BYTE, "items"),
    ALOE_OUT("out", ALOE_BYTE, "the same items"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_PATH(struct told, file, "", ALOE_REQUIRED, "file of the orders, 8 bytes"),
    ALOE_PARAM_REAL(struct told, busy_us, 0, 0, 1e6, "us", 0, "time that the usual work takes"),
    ALOE_PARAM_INT(struct told, read_kib, 0, 0, 1 << 20, "KiB", 0, "memory that it reads; 0: none"),
    ALOE_PARAM_INT(struct told, storm_cpu, -1, -1, 1023, "", 0,
        "CPU of a thread that changes memory of the process when it is told; -1: none"),
};

static int told_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->in[0].max;
	return 0;
}

static void told_round(struct told *told)
{
	const size_t bytes = (size_t)told->read_kib << 10;

	for (int i = 0; i < ROUND_LINES; i++) {
		told->at = bytes > 0 ? (told->at + LINE) % bytes : 0;
		told->sum =
		    told->sum * 6364136223846793005u + (bytes > 0 ? told->read[told->at] : 1);
	}
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void told_calibrate(struct told *told)
{
	double least = 1e9;

	for (int i = 0; i < TRIES; i++) {
		const double from = now_us();

		for (int r = 0; r < TRY_ROUNDS; r++)
			told_round(told);
		least = now_us() - from < least ? now_us() - from : least;
	}
	told->rounds = (uint64_t)(told->busy_us / least * TRY_ROUNDS);
}

/* Mappings that go, and rights that are taken: each interrupts the CPUs that run this process. */
static void storm_do(uint64_t us)
{
	const double until = now_us() + (double)us;

	while (now_us() < until) {
		uint8_t *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (memory == MAP_FAILED)
			return;
		mprotect(memory, PAGE, PROT_READ);
		munmap(memory, PAGE);
	}
}

static void *storm_main(void *self)
{
	const struct sched_param ordinary = {0};
	const struct timespec look = {0, STORM_LOOK_US * 1000};
	struct told *told = self;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)told->storm_cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	sched_setscheduler(0, SCHED_OTHER, &ordinary);
	while (!atomic_load(&told->ends)) {
		if (atomic_load(&told->orders->how) == ORDER_STORM) {
			storm_do(atomic_load(&told->orders->amount));
			atomic_store(&told->orders->how, ORDER_NONE);
		}
		nanosleep(&look, NULL);
	}
	return NULL;
}

static int told_close(void *self, struct aloe_setup *setup)
{
	struct told *told = self;

	(void)setup;
	atomic_store(&told->ends, true);
	if (told->has_storm)
		pthread_join(told->storm, NULL);
	return 0;
}

static int told_init(void *self, struct aloe_setup *setup)
{
	struct told *told = self;
	const int fd = open(told->file, O_RDWR | O_CLOEXEC);

	told->orders = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	told->memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (fd >= 0)
		close(fd);
	if (told->orders == MAP_FAILED || told->memory == MAP_FAILED)
		return aloe_fail(setup, "the file of the orders cannot be mapped");
	madvise(told->memory, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
	told->read = aloe_alloc(setup, (size_t)told->read_kib << 10);
	if (told->read == NULL && told->read_kib > 0)
		return aloe_fail(setup, "there is no memory to read");
	told_calibrate(told);
	told->has_storm =
	    told->storm_cpu >= 0 && pthread_create(&told->storm, NULL, storm_main, told) == 0;
	/* so that others may interrupt it by membarrier(2), as in programs that use RCU */
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0);
	return 0;
}

static void told_spin(uint32_t us)
{
	const double until = now_us() + us;

	while (now_us() < until)
		;
}

/* In the call after: what was touched is new memory again. Lanes lock their memory. */
static void told_forget(struct told *told)
{
	const size_t bytes = (size_t)told->touched * PAGE;

	munlock(told->memory, bytes);
	madvise(told->memory, bytes, MADV_DONTNEED);
	told->touched = 0;
}

static int told_work(void *self, struct aloe_slot *slot)
{
	struct told *told = self;
	const uint32_t how = atomic_load(&told->orders->how),
	               amount = atomic_load(&told->orders->amount), n = aloe_pass(slot, 0, 0);

	memcpy(slot->out[0].data, slot->in[0].data, n);
	if (told->touched > 0)
		told_forget(told);
	for (uint64_t r = 0; r < told->rounds; r++)
		told_round(told);
	if (how == ORDER_WORK)
		told_spin(amount);
	for (uint32_t p = 0; how == ORDER_PAGES && p < amount && p < PAGES; p++) {
		told->memory[(size_t)p * PAGE] = 1;
		told->touched = p + 1;
	}
	if (how == ORDER_WORK || how == ORDER_PAGES)
		atomic_store(&told->orders->how, ORDER_NONE);
	return 0;
}

ALOE_COMPONENT(told) = {
    .summary = "does what a file says, for tests",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct told),
    .shape = told_shape,
    .init = told_init,
    .work = told_work,
    .close = told_close,
};
