/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The radio level of utran384-rf, component by component, at every vector level that this machine runs: us for a radio frame
 * of 10 ms (38400 chips, 2 samples a chip), medians of repetitions in which the levels take turns, and in brackets how many
 * times faster than plain C in the same repetition. What a level makes is compared with what plain C makes: the same bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/kernels/random.h"
#include "tests/bench/pairs.h"
#include "tests/mock/mock.h"

enum { DATA = 9120, FRAMES = 4 };

static const enum simd_level levels[] = {SIMD_PLAIN, SIMD_SSE41, SIMD_AVX2, SIMD_AVX512, SIMD_NEON};

/* Each takes the output of the stage named by `from`, except the first, which takes random bits. */
static const struct stage {
	const char *component;
	uint32_t type;
	int from[2];
	const char *set[3][2];
} stages[] = {
    {"utran_dpch_map", ALOE_BIT, {-1, -1}, {{NULL}}},
    {"qpsk_mod", ALOE_BIT, {0, -1}, {{NULL}}},
    {"utran_spread", ALOE_CF32, {1, -1}, {{"gain", "0.948683298"}}},
    {"utran_cpich", ALOE_CF32, {2, -1}, {{NULL}}},
    {"utran_scramble", ALOE_CF32, {3, -1}, {{NULL}}},
    {"rrc_interp", ALOE_CF32, {4, -1}, {{"rolloff", "0.22"}, {"delay", "10"}}},
    {"utran_sync", ALOE_CF32, {5, -1}, {{NULL}}},
    {"utran_descramble", ALOE_CF32, {6, -1}, {{NULL}}},
    {"utran_despread", ALOE_CF32, {7, -1}, {{NULL}}},
    {"utran_despread", ALOE_CF32, {7, -1}, {{"sf", "256"}, {"code", "0"}}},
    {"utran_phase_correct", ALOE_CF32, {8, 9}, {{"window", "51"}, {"pilot_gain", "0.333333333"}}},
    {"qpsk_soft_demod", ALOE_CF32, {10, -1}, {{NULL}}},
    {"utran_dpch_demap", ALOE_LLR16, {11, -1}, {{NULL}}},
};
enum { STAGES = sizeof(stages) / sizeof(stages[0]), FIRST_RECEIVER = 6 };

struct chain {
	struct mock stage[STAGES];
	uint64_t index;
	double us[STAGES][PAIRS];
};

static uint32_t input_max(const struct chain *chain, int from)
{
	return from < 0 ? DATA : chain->stage[from].format_out[0].max;
}

static void chain_open(struct chain *chain, enum simd_level level)
{
	for (int s = 0; s < STAGES; s++) {
		struct mock *m = &chain->stage[s];

		mock_open(m, stages[s].component);
		m->setup.simd = level;
		for (int i = 0; i < 3 && stages[s].set[i][0] != NULL; i++)
			mock_set(m, stages[s].set[i][0], stages[s].set[i][1]);
		mock_input(m, 0, stages[s].type, input_max(chain, stages[s].from[0]));
		if (stages[s].from[1] >= 0)
			mock_input(m, 1, stages[s].type, input_max(chain, stages[s].from[1]));
		if (mock_start(m) < 0) {
			fprintf(stderr, "%s: %s\n", m->name, m->setup.error);
			exit(1);
		}
	}
}

/* One frame; us of each stage are added to those of repetition `pair`. */
static void chain_frame(struct chain *chain, int pair)
{
	uint8_t bits[DATA];

	random_bits(1, chain->index, bits, DATA);
	for (int s = 0; s < STAGES; s++) {
		struct mock *m = &chain->stage[s];
		uint64_t begin;

		for (unsigned port = 0; port < 2 && mock_port(m, port, 0) != NULL; port++) {
			const int from = stages[s].from[port];
			const struct aloe_out *out = from < 0 ? NULL : &chain->stage[from].out[0];

			m->in[port] = out == NULL ? (struct aloe_in){bits, DATA, ALOE_VALID}
						  : (struct aloe_in){out->data, out->len, out->state};
		}
		begin = clock_ns();
		mock_work(m, chain->index);
		chain->us[s][pair] += (double)(clock_ns() - begin) / (1e3 * FRAMES);
	}
	chain->index++;
}

static void check_same(const struct chain *chain, const struct chain *plain)
{
	const struct aloe_out *a = &chain->stage[STAGES - 1].out[0], *b = &plain->stage[STAGES - 1].out[0];

	if (a->len != DATA || b->len != DATA || memcmp(a->data, b->data, DATA * sizeof(int16_t)) != 0) {
		fprintf(stderr, "the soft bits differ from those of plain C\n");
		exit(1);
	}
}

static void print_line(const char *name, struct chain *const *chains, double (*figure)(const struct chain *, int, int),
		       int stage)
{
	printf("%-22s", name);
	for (unsigned l = 0; l < sizeof(levels) / sizeof(levels[0]); l++) {
		double us[PAIRS], times[PAIRS];
		struct pairs_sorted sorted_us, sorted_times;

		if (chains[l] == NULL)
			continue;
		for (int i = 0; i < PAIRS; i++) {
			us[i] = figure(chains[l], stage, i);
			times[i] = figure(chains[0], stage, i) / us[i];
		}
		sorted_us = pairs_sort(us);
		sorted_times = pairs_sort(times);
		printf("  %s %8.1f us [x%.2f]", simd_name(levels[l]), pairs_median(&sorted_us),
		       pairs_median(&sorted_times));
	}
	printf("\n");
}

static double of_stage(const struct chain *chain, int stage, int pair)
{
	return chain->us[stage][pair];
}

/* All stages from `stage` on of its half: the transmitter's, or the receiver's. */
static double of_half(const struct chain *chain, int stage, int pair)
{
	const int end = stage < FIRST_RECEIVER ? FIRST_RECEIVER : STAGES;
	double sum = 0;

	for (int s = stage; s < end; s++)
		sum += chain->us[s][pair];
	return sum;
}

int main(void)
{
	struct chain *chains[sizeof(levels) / sizeof(levels[0])] = {NULL};

	pairs_quiet();
	for (unsigned l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
		if (simd_has(levels[l])) {
			chains[l] = calloc(1, sizeof(struct chain));
			chain_open(chains[l], levels[l]);
			for (int i = 0; i < FRAMES; i++) /* finds its frame */
				chain_frame(chains[l], 0);
			memset(chains[l]->us, 0, sizeof(chains[l]->us));
		}
	for (int pair = 0; pair < PAIRS; pair++)
		for (unsigned l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
			for (int i = 0; chains[l] != NULL && i < FRAMES; i++)
				chain_frame(chains[l], pair);
	for (unsigned l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
		if (chains[l] != NULL)
			check_same(chains[l], chains[0]);
	printf("-- radio level of utran384-rf, a frame of 10 ms, %d repetitions\n", PAIRS);
	for (int s = 0; s < STAGES; s++)
		print_line(stages[s].component, chains, of_stage, s);
	print_line("transmitter", chains, of_half, 0);
	print_line("receiver", chains, of_half, FIRST_RECEIVER);
	return 0;
}
