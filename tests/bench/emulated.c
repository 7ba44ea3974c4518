/* SPDX-License-Identifier: BSD-3-Clause
 *
 * emulated SLOTS - what a core does by class of work and what the 14 components of the UTRAN chain
 * take, of one block of 3840 bits in 10 ms (the chain of waveforms/utran384-random.conf), as JSON.
 * In one process and without a library, so that it can be built for an architecture of which there
 * is nothing else here: `make aarch64` does, and `aloe bench predict` runs it under an emulator.
 * Levels by ALOE_SIMD, as everywhere.
 */
#include <stdio.h>

#include "core/measure/calibrate.h"
#include "core/base/clock.h"
#include "core/kernels/calibrate.h"
#include "tests/mock/mock.h"

enum { CHAIN = 14, SOFT = 7, BITS = 3840, FRAME = 9120, SLOTS_MAX = 1000000 };

struct link_of_chain {
	const char *instance, *component;
	const char *params[4]; /* name, value, ... */
};

static const struct link_of_chain chain[CHAIN] = {
    {"crc", "utran_crc", {"size", "16"}},
    {"encoder", "utran_turbo_encoder", {0}},
    {"match", "utran_rate_match", {"output", "9120"}},
    {"interleave1", "utran_interleave1", {"tti_ms", "10"}},
    {"segment", "utran_segment", {"tti_ms", "10"}},
    {"mux", "utran_mux", {0}},
    {"interleave2", "utran_interleave2", {0}},
    {"deinterleave2", "utran_deinterleave2", {0}},
    {"demux", "utran_demux", {0}},
    {"desegment", "utran_desegment", {"tti_ms", "10"}},
    {"deinterleave1", "utran_deinterleave1", {"tti_ms", "10"}},
    {"dematch", "utran_rate_dematch", {"coded", "11580"}},
    {"decoder", "utran_turbo_decoder", {"iterations", "2", "block", "3856"}},
    {"check", "utran_crc_check", {"size", "16"}},
};

struct run {
	enum simd_level level;
	uint32_t slots, random;
	struct mock mocks[CHAIN];
	uint32_t *ns[CHAIN];
	uint8_t bits[BITS];
	int16_t soft[FRAME];
};

static uint32_t random_next(struct run *run)
{
	run->random = run->random * 1664525 + 1013904223;
	return run->random >> 8;
}

static int fail(const struct mock *m)
{
	fprintf(stderr, "emulated: %s: %s\n", m->name, m->setup.error);
	return -1;
}

static int link_open(struct run *run, int i)
{
	const uint32_t max = i == 0 ? BITS
	    : i == SOFT             ? FRAME
	                            : run->mocks[i - 1].format_out[0].max;
	const uint32_t type = i < SOFT ? ALOE_BIT : i < CHAIN - 1 ? ALOE_LLR16 : ALOE_BIT;
	struct mock *m = &run->mocks[i];

	mock_open(m, chain[i].component);
	m->setup.simd = run->level;
	for (int p = 0; p < 4 && chain[i].params[p]; p += 2)
		if (mock_set(m, chain[i].params[p], chain[i].params[p + 1]) < 0)
			return fail(m);
	mock_input(m, 0, type, max);
	if (!strcmp(chain[i].component, "utran_demux"))
		mock_output(m, 0, ALOE_LLR16);
	run->ns[i] = calloc(run->slots, sizeof(run->ns[i][0]));
	return run->ns[i] && mock_start(m) == 0 ? 0 : fail(m);
}

/* As mock_work, but for what that looks after: nothing else than work is in the time. */
static int link_work(struct run *run, int i, uint32_t n, const void *data, uint32_t len)
{
	struct mock *m = &run->mocks[i];
	struct aloe_slot slot = {.index = n, .in = m->in, .out = m->out};
	uint64_t begin;
	int rc;

	mock_give(m, 0, data, len);
	m->out[0].len = 0;
	m->out[0].state = ALOE_ABSENT;
	begin = clock_ns();
	rc = m->component->work(m->state, &slot);
	run->ns[i][n] = (uint32_t)(clock_ns() - begin);
	return rc < 0 || m->out[0].state != ALOE_VALID || m->out[0].len != m->out[0].max ? fail(m)
	                                                                                 : 0;
}

/* Noise that leaves the code something to do. */
static void modulate(struct run *run, const uint8_t *bits)
{
	for (int i = 0; i < FRAME; i++)
		run->soft[i] = (int16_t)((bits[i] ? -64 : 64) + (int)(random_next(run) % 129) - 64);
}

static int slot_run(struct run *run, uint32_t n)
{
	int rc = 0;

	for (int i = 0; i < BITS; i++)
		run->bits[i] = (uint8_t)(random_next(run) % 2);
	for (int i = 0; i < CHAIN && rc == 0; i++) {
		const struct aloe_out *before = i > 0 ? &run->mocks[i - 1].out[0] : NULL;

		if (i == SOFT)
			modulate(run, before->data);
		rc = i == 0     ? link_work(run, i, n, run->bits, BITS)
		    : i == SOFT ? link_work(run, i, n, run->soft, FRAME)
		                : link_work(run, i, n, before->data, before->len);
	}
	if (rc == 0 && memcmp(run->mocks[CHAIN - 1].out[0].data, run->bits, BITS) != 0) {
		fprintf(stderr, "emulated: slot %u: other bits come out than went in\n", n);
		rc = -1;
	}
	return rc;
}

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void print(struct run *run, const struct calibration *mac, const double *ns)
{
	printf("{\"schema\": 1, \"cpu\": \"emulated\", \"simd\": \"%s\", \"governor\": \"\", "
	       "\"version\": \"%s\",\n"
	       " \"mmac_per_s\": %.6g, \"capacity_mmac\": %.6g, \"classes_ns\": {",
	    simd_name(run->level), ALOE_VERSION, mac->mmac_per_s, mac->mmac_per_s);
	for (int which = 0; which < CALIBRATE_CLASSES; which++)
		printf("%s\"%s\": %.6g", which ? ", " : "",
		    calibrate_class_name((enum calibrate_class)which), ns[which]);
	printf("},\n \"instances\": [");
	for (int i = 0; i < CHAIN; i++) {
		qsort(run->ns[i], run->slots, sizeof(run->ns[i][0]), compare);
		printf(
		    "%s\n  {\"name\": \"%s\", \"calls\": %u, \"p50_us\": %.3f, \"p99_us\": %.3f}",
		    i ? "," : "", chain[i].instance, run->slots, run->ns[i][run->slots / 2] * 1e-3,
		    run->ns[i][run->slots * 99 / 100] * 1e-3);
	}
	printf("]}\n");
}

int main(int argc, char **argv)
{
	const unsigned long slots = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	struct run *run = calloc(1, sizeof(*run));
	double ns[CALIBRATE_CLASSES];
	struct calibration mac;
	char why[128] = "";
	int rc = 0;

	if (!run || slots < 1 || slots > SLOTS_MAX ||
	    simd_choose(&run->level, why, sizeof(why)) < 0) {
		fprintf(stderr, "usage: emulated SLOTS, 1 .. %d\n%s", SLOTS_MAX, why);
		return 2;
	}
	run->slots = (uint32_t)slots;
	run->random = 1;
	for (int i = 0; i < CHAIN && rc == 0; i++)
		rc = link_open(run, i);
	if (rc == 0 && (calibrate_mmac(&mac) < 0 || calibrate_classes(run->level, &mac, ns) < 0))
		rc = -1;
	for (uint32_t n = 0; n < run->slots && rc == 0; n++)
		rc = slot_run(run, n);
	if (rc == 0)
		print(run, &mac, ns);
	return rc == 0 ? 0 : 1;
}
