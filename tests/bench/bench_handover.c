/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The baton between hosts on one core: real processes, each with one segment of the lane, running
 * lane_run. Beside it: as many processes that wake each other with a bare futex, with the two clock
 * reads that a segment takes. Both flat out, and then the lane on a slot clock, where each
 * hand-over finds the core cold.
 */
#include <signal.h>
#include <sys/wait.h>

#include "core/platform/platform.h"
#include "tests/bench/chain.h"
#include "tests/bench/pairs.h"

enum { HOSTS_MAX = 16, SLOTS = 1000, TURNS_KEPT = 1024 };

struct bare { /* NOLINT(clang-analyzer-optin.performance.Padding): words apart on purpose */
	_Alignas(64) _Atomic uint64_t turns;
	/* futex word: changes when there are more turns to do */
	_Alignas(64) _Atomic uint32_t more;
	_Atomic uint64_t turns_max;
	_Alignas(64) _Atomic uint32_t go[HOSTS_MAX];
	uint64_t slot_ns; /* a turn begins with the slot; 0: at once */
	struct {
		uint64_t start_ns, end_ns;
	} at[HOSTS_MAX][TURNS_KEPT];
};

struct handover {
	struct wave wave;
	uint32_t hosts;
	struct bare *bare; /* shared */
	pid_t pids[2 * HOSTS_MAX];
	uint32_t n_pids;
};

/* ---- the processes ------------------------------------------------------------------------ */

static void child(
    struct handover *h, int cpu, void (*body)(struct handover *, uint32_t), uint32_t host)
{
	const pid_t pid = fork();

	if (pid < 0)
		exit(1);
	if (pid > 0) {
		h->pids[h->n_pids++] = pid;
		return;
	}
	platform_pin(cpu);
	platform_realtime(0, PLATFORM_PRIORITY_LANE);
	platform_no_slack();
	body(h, host);
	_exit(0);
}

static void lane_body(struct handover *h, uint32_t host)
{
	struct lane_thread *thread = aligned_alloc(64, (sizeof(*thread) + 63) & ~(size_t)63);

	wave_lane(&h->wave, 0, host, thread);
	thread->fifo = true;
	thread->rehearsal = rehearsal_new();
	lane_run(thread);
	_exit(0);
}

static void bare_begin(struct bare *bare)
{
	const uint64_t turn = atomic_load(&bare->turns);
	uint32_t more = atomic_load(&bare->more);

	if (turn >= atomic_load(&bare->turns_max)) {
		atomic_fetch_add(&bare->turns, 1);
		while (turn >= atomic_load(&bare->turns_max)) {
			syscall(SYS_futex, &bare->more, FUTEX_WAIT, more, NULL, NULL, 0);
			more = atomic_load(&bare->more);
		}
		return;
	}
	atomic_fetch_add(&bare->turns, 1);
	if (bare->slot_ns != 0)
		clock_sleep_until((clock_ns() / bare->slot_ns + 1) * bare->slot_ns);
}

/* Each waits for its own word to change, reads the clock twice and changes the next one's. */
static void bare_body(struct handover *h, uint32_t host)
{
	struct bare *bare = h->bare;
	_Atomic uint32_t *next = &bare->go[(host + 1) % h->hosts];

	for (uint32_t turn = 0;; turn++) {
		while (atomic_load_explicit(&bare->go[host], memory_order_acquire) == turn)
			syscall(SYS_futex, &bare->go[host], FUTEX_WAIT, turn, NULL, NULL, 0);
		if (host == 0)
			bare_begin(bare);
		bare->at[host][turn % TURNS_KEPT].start_ns = clock_ns();
		bare->at[host][turn % TURNS_KEPT].end_ns = clock_ns();
		atomic_fetch_add_explicit(next, 1, memory_order_release);
		syscall(SYS_futex, next, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

/* ---- measured from the other core ---- */

static void await(const _Atomic uint64_t *counter, uint64_t value)
{
	while (atomic_load(counter) < value)
		clock_sleep_until(clock_ns() + 500000);
}

/* Of the last turns of a lot, the middle one: what else has the core now and then is not
 * counted. */
static double middle_turn(const uint64_t *began)
{
	double of[IMAGE_STEPS - 1];

	for (int i = 0; i + 1 < IMAGE_STEPS; i++)
		of[i] = (double)(began[i + 1] - began[i]);
	qsort(of, IMAGE_STEPS - 1, sizeof(double), pairs_compare);
	return of[(IMAGE_STEPS - 1) / 2];
}

static double lane_turns(void *context)
{
	struct handover *h = context;
	struct node_timebase *base = &h->wave.node->timebase[0];
	const struct image_segment_state *first = h->wave.segments[0].state;
	const uint64_t until = atomic_load(&base->allowed) + SLOTS;
	uint64_t began[IMAGE_STEPS];

	atomic_store(&base->allowed, until);
	futex_wake(futex_low(&base->allowed), 1);
	await(&h->wave.segments[h->hosts - 1].state->done, until);
	for (uint64_t i = 0; i < IMAGE_STEPS; i++)
		began[i] = atomic_load(&first->start_ns[(until - IMAGE_STEPS + i) % IMAGE_STEPS]);
	return middle_turn(began) / h->hosts;
}

static double bare_turns(void *context)
{
	struct handover *h = context;
	const uint64_t until = atomic_load(&h->bare->turns) + SLOTS;
	uint64_t began[IMAGE_STEPS];

	atomic_store(&h->bare->turns_max, until - 1);
	atomic_fetch_add(&h->bare->more, 1);
	syscall(SYS_futex, &h->bare->more, FUTEX_WAKE, 1, NULL, NULL, 0);
	await(&h->bare->turns, until);
	for (uint64_t i = 0; i < IMAGE_STEPS; i++)
		began[i] = h->bare->at[0][(until - 1 - IMAGE_STEPS + i) % TURNS_KEPT].start_ns;
	return middle_turn(began) / h->hosts;
}

static void print_gaps(double *of, size_t n, const char *who, const char *how)
{
	qsort(of, n, sizeof(double), pairs_compare);
	if (n > 0)
		printf(
		    "%30s%s, %s: from end to start p50 %.2f us, p90 %.2f us, p99 %.2f us, of %zu\n",
		    "", who, how, of[n / 2] / 1e3, of[n * 9 / 10] / 1e3, of[n * 99 / 100] / 1e3, n);
	fflush(stdout);
}

/* From the event rings: the time between the end of a segment and the start of the next. */
static void lane_gaps(const struct handover *h, const char *how)
{
	static double of[HOSTS_MAX * TURNS_KEPT];
	const uint64_t done = atomic_load(&h->wave.segments[h->hosts - 1].state->done);
	size_t n = 0;

	for (uint32_t s = 0; s + 1 < h->hosts; s++) {
		const struct segment *a = &h->wave.segments[s], *b = &h->wave.segments[s + 1];

		for (uint64_t step = done > SLOTS ? done - SLOTS : 0; step < done; step++) {
			const struct image_event *end = &a->events[step % a->n_events];
			const struct image_event *start = &b->events[step % b->n_events];

			if (end->step == step && start->step == step &&
			    start->start_ns >= end->start_ns + end->ns)
				of[n++] = (double)(start->start_ns - end->start_ns - end->ns);
		}
	}
	print_gaps(of, n, "lane", how);
}

static void bare_gaps(const struct handover *h, const char *how)
{
	static double of[HOSTS_MAX * TURNS_KEPT];
	size_t n = 0;

	for (uint32_t i = 0; i + 1 < h->hosts; i++)
		for (uint32_t turn = 0; turn < SLOTS; turn++)
			if (h->bare->at[i + 1][turn].start_ns > h->bare->at[i][turn].end_ns)
				of[n++] = (double)(h->bare->at[i + 1][turn].start_ns -
				    h->bare->at[i][turn].end_ns);
	print_gaps(of, n, "bare", how);
}

/* ---- runs ------------------------------------------------------------------------ */

static void open_hosts(struct handover *h, uint32_t hosts, int cpu, const char *clock)
{
	const struct wave_options options = {
	    .isolation = "component", .clock = clock, .cpus = &cpu, .n_cpus = 1};

	*h = (struct handover){.hosts = hosts};
	chain_open(&h->wave, hosts - 2, 4, &options);
	if (h->wave.view.head->segments.count != hosts || h->wave.segments[0].n_instances != 1)
		exit(1);
	h->bare =
	    mmap(NULL, sizeof(*h->bare), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (h->bare == MAP_FAILED)
		exit(1);
	h->wave.node->timebase[0].start_ns = clock_ns();
	atomic_store(&h->wave.node->timebase[0].allowed, 0);
	for (uint32_t i = 0; i < hosts; i++)
		child(h, cpu, lane_body, i);
}

static void close_hosts(struct handover *h)
{
	for (uint32_t i = 0; i < h->n_pids; i++) {
		kill(h->pids[i], SIGKILL);
		waitpid(h->pids[i], NULL, 0);
	}
	munmap(h->bare, sizeof(*h->bare));
	wave_close(&h->wave);
}

static void open_bare(struct handover *h, int cpu)
{
	for (uint32_t i = 0; i < h->hosts; i++)
		child(h, cpu, bare_body, i);
	atomic_fetch_add(&h->bare->go[0], 1);
	futex_wake(&h->bare->go[0], 1);
	await(&h->bare->turns, 1);
}

static void run_flat_out(uint32_t hosts, int cpu)
{
	struct handover h;
	char name[64];

	open_hosts(&h, hosts, cpu, "step");
	open_bare(&h, cpu);
	snprintf(name, sizeof(name), "hand-over, %u hosts, one core", hosts);
	pairs_run(name, lane_turns, &h, "bare futex chain", bare_turns, &h, 2.5);
	lane_gaps(&h, "flat out");
	bare_gaps(&h, "flat out");
	close_hosts(&h);
}

/* One after the other: both want the core at the same edge. */
static void run_on_timer(uint32_t hosts, int cpu)
{
	struct handover h;
	char how[64];

	snprintf(how, sizeof(how), "%u hosts, a slot of 1 ms", hosts);
	open_hosts(&h, hosts, cpu, "timer");
	await(&h.wave.segments[hosts - 1].state->done, SLOTS);
	lane_gaps(&h, how);
	close_hosts(&h);
	open_hosts(&h, hosts, cpu, "step");
	h.bare->slot_ns = 1000000;
	open_bare(&h, cpu);
	bare_turns(&h);
	bare_gaps(&h, how);
	close_hosts(&h);
}

int main(void)
{
	int cpus[2] = {0, 0};
	const size_t n = platform_cpus(cpus, 2);

	platform_wake_fast();
	if (n > 1)
		platform_pin(cpus[1]);
	printf(
	    "-- hand-over: us for one host's turn, component, clock reads and segment included\n");
	fflush(stdout); /* the hosts have copies of what is not */
	run_flat_out(2, cpus[0]);
	run_flat_out(3, cpus[0]);
	run_flat_out(10, cpus[0]);
	run_on_timer(2, cpus[0]);
	run_on_timer(10, cpus[0]);
	return 0;
}
