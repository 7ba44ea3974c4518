/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a lane costs beside its components, and how well it keeps time: lane_run in a thread on a
 * CPU of its own.
 *
 *         base     a slot without its components: the clock looked at, the table, the baton,
 *                  stamps, load and lateness counted. Slots run one after another here, on the
 *                  timer's pace but never waited for; slots of 3 and of 50 components give base and
 *                  component. Beside it: that many reads of the clock as the slot makes itself.
 *         edge     how late slots of 1 ms begin, and how long before the edge the lane has learnt
 *                  to be awake. Beside it: a bare thread that sleeps until a fixed 60 us before the
 *                  edge and spins.
 *         25 us    slots of 25 us with 8 components, at nice -20, as a lane that never sleeps runs
 *                  where the kernel takes its share from real-time threads, and in real time.
 *                  Beside it: a bare thread of the same priority that reads the clock, and how
 *                  often it stood still for longer than such a slot has to spare.
 */
#include <pthread.h>

#include "tests/bench/chain.h"
#include "tests/bench/pairs.h"

enum {
	FEW = 3,
	MANY = 50,
	AT_WORK_NS = 4000000,
	SLOT_ANY_NS = 100, /* always over */
	EDGE_SLOT_NS = 1000000,
	EDGE_SLOTS = 700,
	SPIN_NS = 60000,
	SHORT_SLOT_NS = 25000,
	SHORT_SLOTS = 10000,
	/* for those who want the CPU: after a second without it the kernel takes 50 ms for them */
	REST_NS = 100000000,
	/* that a slot needs: is it time, when does it begin, when does its component end */
	CLOCKS = 3,
};

struct lane {
	struct wave wave;
	struct lane_thread *thread;
	pthread_t id;
	int cpu;
	bool fifo;
};

static void begin(int cpu, bool fifo)
{
	platform_pin(cpu);
	if (fifo)
		platform_realtime(0, PLATFORM_PRIORITY_LANE);
	else
		platform_nice(0, 0, -20);
	platform_no_slack();
}

/* ---- a lane in a thread ---- */

static void *lane_main(void *self)
{
	struct lane *lane = self;

	begin(lane->cpu, lane->fifo);
	lane_run(lane->thread);
	return NULL;
}

/* table_slot_ns: the slot of the lane's time base, where it is not the waveform's. */
static void lane_open(struct lane *lane, unsigned components, int cpu, bool fifo, uint64_t slot_ns,
    uint64_t table_slot_ns)
{
	const struct wave_options options = {
	    .clock = "timer", .cpus = &cpu, .n_cpus = 1, .slot_ns = slot_ns};

	*lane = (struct lane){.cpu = cpu, .fifo = fifo};
	chain_open(&lane->wave, components - 2, 4, &options);
	lane->thread = aligned_alloc(64, (sizeof(*lane->thread) + 63) & ~(size_t)63);
	if (lane->thread == NULL)
		exit(1);
	wave_lane(&lane->wave, 0, 0, lane->thread);
	lane->wave.node->timebase[0].slot_ns = table_slot_ns;
	lane->wave.node->timebase[0].start_ns = clock_ns();
	if (pthread_create(&lane->id, NULL, lane_main, lane) != 0)
		exit(1);
}

static void lane_close(struct lane *lane)
{
	atomic_store(&lane->thread->quit, 1);
	pthread_join(lane->id, NULL);
	wave_close(&lane->wave);
	free(lane->thread);
}

static uint64_t slots_of(const struct lane *lane)
{
	return atomic_load(&lane->wave.lane[0]->slots);
}

/* ---- base ------------------------------------------------------------------------ */

static double slot_time(unsigned components, int cpu)
{
	struct lane lane;
	uint64_t slots, began;
	double ns;

	lane_open(&lane, components, cpu, true, EDGE_SLOT_NS, SLOT_ANY_NS);
	clock_sleep_until(clock_ns() + AT_WORK_NS / 4);
	slots = slots_of(&lane);
	began = clock_ns();
	clock_sleep_until(began + AT_WORK_NS);
	ns = (double)(clock_ns() - began) / (double)(slots_of(&lane) - slots);
	lane_close(&lane);
	return ns;
}

static double lane_base(void *context)
{
	const int cpu = *(int *)context;
	const double few = slot_time(FEW, cpu), many = slot_time(MANY, cpu);

	return few - FEW * (many - few) / (MANY - FEW);
}

static double clocks(void *context)
{
	enum { ROUNDS = 20000 };
	const uint64_t begin = clock_ns();
	uint64_t sum = 0;

	(void)context;
	for (int i = 0; i < ROUNDS * CLOCKS; i++)
		sum += clock_ns();
	return sum > 0 ? (double)(clock_ns() - begin) / ROUNDS : 0;
}

/* ---- edges ------------------------------------------------------------------------ */

static void print_late(const char *who, const struct hist *late, const char *how)
{
	printf("%-30sp50 %.2f us late, p99 %.2f, p99.9 %.2f, max %.1f; %s\n", who,
	    (double)hist_quantile(late, 0.5) / 1e3, (double)hist_quantile(late, 0.99) / 1e3,
	    (double)hist_quantile(late, 0.999) / 1e3, (double)hist_max(late) / 1e3, how);
	fflush(stdout);
}

static void run_edges(int cpu)
{
	struct lane lane;
	char how[64];

	lane_open(&lane, FEW, cpu, true, EDGE_SLOT_NS, EDGE_SLOT_NS);
	clock_sleep_until(clock_ns() + (uint64_t)EDGE_SLOTS * EDGE_SLOT_NS);
	snprintf(how, sizeof(how), "awake %.1f us before, as learnt",
	    (double)atomic_load(&lane.wave.lane[0]->guard_ns) / 1e3);
	print_late("edge, slots of 1 ms", &lane.wave.segments[0].state->late, how);
	lane_close(&lane);
}

struct bare {
	int cpu;
	bool fifo;
	uint64_t until_ns;
	struct hist late;
};

static void *bare_edges(void *self)
{
	struct bare *bare = self;

	begin(bare->cpu, bare->fifo);
	for (uint64_t edge = clock_ns() + EDGE_SLOT_NS, now; edge < bare->until_ns;
	     edge += EDGE_SLOT_NS) {
		clock_sleep_until(edge - SPIN_NS);
		while ((now = clock_ns()) < edge)
			cpu_relax();
		hist_add(&bare->late, now - edge);
	}
	return NULL;
}

/* The time between two readings of a clock that is read without pause. */
static void *bare_poll(void *self)
{
	struct bare *bare = self;
	uint64_t last, now;

	begin(bare->cpu, bare->fifo);
	for (last = clock_ns(); last < bare->until_ns; last = now) {
		now = clock_ns();
		hist_add(&bare->late, now - last);
	}
	return NULL;
}

static void bare_run(struct bare *bare, int cpu, bool fifo, void *(*body)(void *), uint64_t ns)
{
	pthread_t id;

	*bare = (struct bare){.cpu = cpu, .fifo = fifo, .until_ns = clock_ns() + ns};
	if (pthread_create(&id, NULL, body, bare) != 0)
		exit(1);
	pthread_join(id, NULL);
}

/* ---- short slots ------------------------------------------------------------------------ */

struct lost {
	uint64_t slots, busy_ns;
	double p99_us;
};

static struct lost short_slots(int cpu, bool fifo)
{
	const struct image_segment_state *state;
	struct lost lost;
	struct lane lane;

	lane_open(&lane, 8, cpu, fifo, SHORT_SLOT_NS, SHORT_SLOT_NS);
	state = lane.wave.segments[0].state;
	clock_sleep_until(clock_ns() + (uint64_t)SHORT_SLOTS * SHORT_SLOT_NS);
	lost.slots = atomic_load(&state->missed) + atomic_load(&state->skipped);
	lost.busy_ns = atomic_load(&state->busy_ns) / (atomic_load(&state->slots) + 1);
	lost.p99_us = (double)hist_quantile(&state->late, 0.99) / 1e3;
	lane_close(&lane);
	return lost;
}

/* A stop of n slots loses n of them. */
static double stood_still(int cpu, bool fifo, uint64_t spare_ns)
{
	static struct bare bare;
	double lost = 0;

	bare_run(&bare, cpu, fifo, bare_poll, (uint64_t)SHORT_SLOTS * SHORT_SLOT_NS);
	for (uint32_t c = hist_cell(spare_ns); c < HIST_CELLS; c++)
		lost += (double)hist_cells_get(&bare.late.cells, c) *
		    (1 + (double)(hist_cell_low(c) / SHORT_SLOT_NS));
	return lost;
}

static void run_short(int cpu, bool fifo, const char *name)
{
	double ours[PAIRS], machine[PAIRS];
	struct pairs_sorted sorted[2];
	struct lost lost = {0};

	for (int i = 0; i < PAIRS; i++) {
		clock_sleep_until(clock_ns() + REST_NS);
		lost = short_slots(cpu, fifo);
		ours[i] = (double)lost.slots;
		clock_sleep_until(clock_ns() + REST_NS);
		machine[i] = stood_still(cpu, fifo, SHORT_SLOT_NS - lost.busy_ns);
	}
	sorted[0] = pairs_sort(ours);
	sorted[1] = pairs_sort(machine);
	printf("%-30s", name);
	pairs_print("", &sorted[0], 1, "");
	pairs_print("of 10000 slots lost, the machine alone ", &sorted[1], 1, "");
	printf("\n%30s%.2f us at work, begun p99 %.2f us late; %d pairs; reach: no more lost than "
	       "the machine takes: %s\n",
	    "", (double)lost.busy_ns / 1e3, lost.p99_us, PAIRS,
	    pairs_median(&sorted[0]) <= pairs_median(&sorted[1]) ? "met" : "missed");
}

int main(void)
{
	static struct bare bare;
	int cpus[2] = {0, 0};
	const size_t n = platform_cpus(cpus, 2);
	const char *why;

	if (n > 1)
		platform_pin(cpus[1]);
	/* for nice values to count where sessions are weighed; refused where a shell has started
	 * us */
	setsid();
	mlockall(MCL_CURRENT | MCL_FUTURE);
	platform_wake_fast();
	printf("-- lane: us of a slot beside its components\n");
	pairs_run("base of a slot", lane_base, &cpus[0], "3 reads of the clock", clocks, NULL, 0.3);
	run_edges(cpus[0]);
	bare_run(&bare, cpus[0], true, bare_edges, (uint64_t)EDGE_SLOTS * EDGE_SLOT_NS);
	print_late("  a bare thread", &bare.late, "awake 60 us before");
	if (platform_may_poll(cpus[0], &why))
		printf("a lane that never sleeps may have real-time priority here\n");
	else
		printf("a lane that never sleeps has nice -20 here: %s\n", why);
	run_short(cpus[0], false, "25 us, 8 components, nice -20");
	run_short(cpus[0], true, "25 us, 8 components, FIFO");
	return 0;
}
