/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a slot of ten components takes when the lane has slept before: 64 floats from a source
 * through 8 copies to a sink, a slot of 1 ms, from the source's start to the sink's end, by ten.
 * Between the slots something else has the core: whatever there is on the machine, or a thread that
 * walks through more memory than the core's caches hold. Beside it: a bare thread that sleeps until
 * 60 us before the edge, spins, and copies 9 times between two readings of the clock.
 */
#include <pthread.h>

#include "tests/bench/chain.h"
#include "tests/bench/pairs.h"

enum {
	COMPONENTS = 10,
	COPIES = 8,
	ITEMS = 64,
	SLOT_NS = 1000000,
	SLOTS = 100,
	SPIN_NS = 60000,
	WALK_BYTES = 8 << 20
};

struct paced {
	int cpu;
	struct hist ns;
	_Atomic int quit;
	uint8_t *ground;
	bool walks;
};

/* ---- who has the core between slots ---- */

static void *walk(void *self)
{
	struct paced *paced = self;

	platform_pin(paced->cpu);
	while (!atomic_load(&paced->quit))
		for (size_t i = 0; i < WALK_BYTES; i += 64)
			paced->ground[i]++;
	return NULL;
}

static double beside_walker(struct paced *paced, void *(*body)(void *), void *self)
{
	pthread_t id, walker;

	atomic_store(&paced->quit, 0);
	paced->ns = (struct hist){0};
	if ((paced->walks && pthread_create(&walker, NULL, walk, paced) != 0) ||
	    pthread_create(&id, NULL, body, self) != 0)
		exit(1);
	pthread_join(id, NULL);
	atomic_store(&paced->quit, 1);
	if (paced->walks)
		pthread_join(walker, NULL);
	return (double)hist_quantile(&paced->ns, 0.5) / COMPONENTS;
}

static void begin(const struct paced *paced)
{
	platform_pin(paced->cpu);
	platform_realtime(0, PLATFORM_PRIORITY_LANE);
	platform_no_slack();
}

/* ---- ours ------------------------------------------------------------------------ */

struct ours {
	struct paced *paced;
	struct wave wave;
	struct lane_thread *thread;
};

static void *lane_main(void *self)
{
	struct ours *ours = self;

	begin(ours->paced);
	lane_run(ours->thread);
	return NULL;
}

static char *text(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out,
	    "name = \"paced\"; slot_ns = %d; instances: { s: { component = \"null_source\"; length "
	    "= %d; };\n",
	    SLOT_NS, ITEMS);
	for (int i = 0; i < COPIES; i++)
		fprintf(out, "c%d: { component = \"copy\"; };\n", i);
	fputs("k: { component = \"null_sink\"; }; };\nlinks = ( \"s", out);
	for (int i = 0; i < COPIES; i++)
		fprintf(out, " -> c%d", i);
	fputs(" -> k\" );\n", out);
	fclose(out);
	return text;
}

static void *stop_after(void *self)
{
	struct ours *ours = self;
	pthread_t id;

	if (pthread_create(&id, NULL, lane_main, ours) != 0)
		exit(1);
	while (atomic_load(&ours->wave.segments[0].state->done) < SLOTS)
		clock_sleep_until(clock_ns() + 5 * SLOT_NS);
	atomic_store(&ours->thread->quit, 1);
	pthread_join(id, NULL);
	hist_merge(&ours->paced->ns, &image_latency(&ours->wave.view, COMPONENTS - 1)->ns);
	return NULL;
}

static double slots_of_ten(void *context)
{
	struct ours ours = {.paced = context};
	const struct wave_options options = {
	    .clock = "timer", .cpus = &ours.paced->cpu, .n_cpus = 1};
	char *conf = text();
	double ns;

	ours.thread = aligned_alloc(64, (sizeof(*ours.thread) + 63) & ~(size_t)63);
	if (ours.thread == NULL || wave_open(&ours.wave, conf, &options) != 0)
		exit(1);
	free(conf);
	wave_lane(&ours.wave, 0, 0, ours.thread);
	ours.thread->rehearsal = rehearsal_new();
	ours.wave.node->timebase[0].start_ns = clock_ns();
	ns = beside_walker(ours.paced, stop_after, &ours);
	wave_close(&ours.wave);
	rehearsal_free(ours.thread->rehearsal);
	free(ours.thread);
	return ns;
}

/* ---- the bare thread ------------------------------------------------------------------------ */

struct bare {
	struct paced *paced;
	_Alignas(64) uint8_t data[COMPONENTS][ITEMS * sizeof(float)];
};

static void bare_slot(struct bare *bare)
{
	const uint64_t start = clock_ns();
	uint64_t now = start;

	for (int i = 0; i + 1 < COMPONENTS; i++) {
		memcpy(bare->data[i + 1], bare->data[i], sizeof(bare->data[0]));
		now = clock_ns();
	}
	hist_add(&bare->paced->ns, now - start);
}

static void *bare_main(void *self)
{
	struct bare *bare = self;
	uint64_t edge = clock_ns() + SLOT_NS;

	begin(bare->paced);
	for (int i = 0; i < SLOTS; i++, edge += SLOT_NS) {
		clock_sleep_until(edge - SPIN_NS);
		while (clock_ns() < edge)
			cpu_relax();
		bare_slot(bare);
	}
	return NULL;
}

static double bare_slots(void *context)
{
	static struct bare bare;

	bare.paced = context;
	return beside_walker(context, bare_main, &bare);
}

int main(void)
{
	struct paced paced = {0};
	int cpus[2] = {0, 0};
	const size_t n = platform_cpus(cpus, 2);
	const int wake = platform_wake_fast();

	if (n > 1)
		platform_pin(cpus[1]);
	paced.cpu = cpus[0];
	paced.ground = calloc(1, WALK_BYTES);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	if (paced.ground == NULL)
		return 1;
	printf("-- paced: us of a component in a slot after a sleep\n");
	pairs_run("ten components, slots of 1 ms", slots_of_ten, &paced, "nine copies", bare_slots,
	    &paced, 0);
	paced.walks = true;
	pairs_run("the same, caches walked over", slots_of_ten, &paced, "nine copies", bare_slots,
	    &paced, 0);
	free(paced.ground);
	if (wake >= 0)
		close(wake);
	return 0;
}
