/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long a whole plan takes (mapping, lags, order, buffers, admission, and the what-if after it):
 * 1 000 instances in a chain with 300 links more, on 100 cores of one node and of 25 nodes, at
 * several loads. Reach: below 1 s. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/map/whatif.h"

enum { UNITS = 1000, EXTRA = 300, CORES = 100, NODES = 25, ROUNDS = 3 };

struct bench {
	struct waveform wf;
	struct component_type type;
	struct aloe_port ports[2];
	struct wf_instance instances[UNITS];
	struct wf_link links[UNITS + EXTRA];
	char names[UNITS][16];
	int cpus[CORES];
	struct platform_core cores[CORES];
	struct platform_node nodes[NODES];
	uint32_t ends[NODES];
	struct platform_link bus;
	struct platform_model platform;
};

/* Time of this thread: what others do on the CPU is not the planner's. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Costs spread over 1:20, links of up to 1 000 bytes. */
static void waveform_make(struct bench *bench, double load, unsigned seed)
{
	double sum = 0;

	bench->ports[0] = (struct aloe_port)ALOE_IN_OPTIONAL("in", ALOE_BYTE, "in");
	bench->ports[1] = (struct aloe_port)ALOE_OUT_OPTIONAL("out", ALOE_BYTE, "out");
	bench->type =
	    (struct component_type){.name = "x", .ports = bench->ports, .n_ports = 2, .kmac = 1};
	for (int i = 0; i < UNITS; i++) {
		struct wf_instance *row = &bench->instances[i];

		snprintf(bench->names[i], sizeof(bench->names[i]), "x%d", i);
		*row = (struct wf_instance){.name = bench->names[i],
		    .type = &bench->type,
		    .n_in = 1,
		    .n_out = 1,
		    .pin = -1,
		    .period = 1};
		row->in[0] = row->out[0] =
		    (struct wf_port){ALOE_BYTE, 1 + (uint32_t)rand_r(&seed) % 1000, 0};
		row->budget_us = 1 + rand_r(&seed) % 20;
		sum += row->budget_us;
	}
	for (int i = 0; i < UNITS; i++)
		bench->instances[i].budget_us *= load * CORES * 1e4 / sum;
	for (int i = 0; i < UNITS - 1 + EXTRA; i++) {
		const int from = i < UNITS - 1 ? i : rand_r(&seed) % (UNITS - 1);
		const int to =
		    i < UNITS - 1 ? i + 1 : from + 1 + rand_r(&seed) % (UNITS - 1 - from);

		bench->links[i] = (struct wf_link){.from = from, .to = to};
	}
	bench->wf = (struct waveform){.file = (char *)"bench",
	    .name = (char *)"bench",
	    .slot_ns = 10000000,
	    .instances = bench->instances,
	    .n_instances = UNITS,
	    .links = bench->links,
	    .n_links = UNITS - 1 + EXTRA};
}

static void platform_make(struct bench *bench, int n_nodes)
{
	for (int i = 0; i < CORES; i++) {
		bench->cpus[i] = i;
		bench->cores[i] = (struct platform_core){
		    .node = (uint32_t)(i * n_nodes / CORES), .mmac_per_s = 1000};
	}
	for (int i = 0; i < n_nodes; i++) {
		bench->ends[i] = (uint32_t)i;
		bench->nodes[i] = (struct platform_node){.name = (char *)"node"};
	}
	bench->bus = (struct platform_link){PLATFORM_BUS, bench->ends, (size_t)n_nodes, 10000, 2};
	bench->platform = (struct platform_model){.cpus = bench->cpus,
	    .n_lanes = CORES,
	    .mmac_per_s = 1000,
	    .cores = bench->cores,
	    .name = "bench",
	    .nodes = bench->nodes,
	    .n_nodes = (size_t)n_nodes,
	    .links = &bench->bus,
	    .n_links = n_nodes > 1};
}

static void run(struct bench *bench, double load, int n_nodes)
{
	const struct plan_options options = PLAN_OPTIONS;
	uint64_t slowest = 0, whatif_slowest = 0;
	struct plan_choice choice = {0};
	int fits = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct plan *plan = NULL;
		struct plan_whatif whatif;
		struct diag diag;
		uint64_t begin;

		waveform_make(bench, load, round + 1);
		platform_make(bench, n_nodes);
		bench->wf.admit = WF_ADMIT_ALWAYS;
		diag_init(&diag);
		begin = cpu_ns();
		if (plan_make(&bench->wf, &bench->platform, NULL, &diag, &plan) != 0)
			exit(1);
		slowest = cpu_ns() - begin > slowest ? cpu_ns() - begin : slowest;
		fits += plan->choice.mode == PLAN_TIERS;
		choice = plan->choice;
		begin = cpu_ns();
		if (plan_whatif(&bench->wf, &bench->platform, NULL, &options, plan, &whatif) != 0)
			exit(1);
		whatif_slowest =
		    cpu_ns() - begin > whatif_slowest ? cpu_ns() - begin : whatif_slowest;
		plan_free(plan);
		diag_fini(&diag);
	}
	printf("  %3.0f %%  %2d nodes  %d of %d fit  plan %7.1f ms at most  what-if %7.1f ms  last "
	       "by %s at %.0f %%, latency %u\n",
	    100 * load, n_nodes, fits, ROUNDS, (double)slowest * 1e-6,
	    (double)whatif_slowest * 1e-6, choice.best.name, 100 * choice.best.share,
	    choice.best.latency_slots);
}

int main(void)
{
	static const double loads[] = {0.4, 0.6, 0.78, 0.88, 0.95};
	struct bench *bench = calloc(1, sizeof(*bench));

	if (!bench)
		return 1;
	printf("%d instances, %d links, %d cores\n", UNITS, UNITS - 1 + EXTRA, CORES);
	for (int nodes = 1; nodes <= NODES; nodes += NODES - 1)
		for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
			run(bench, loads[i], nodes);
	free(bench);
	return 0;
}
