/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_x310 fftw|upols IP OPTIONS... is x310loop with a channel of 512 taps on the way, two
 * partitions of 256: by FFTW, with care and nothing of ours (peers/plain.h), or by the component
 * upols, called by the loop itself. `aloe bench x310` runs them beside the waveform x310-channel.
 * Without arguments: what a block of 256 samples takes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/kernels/iq.h"
#include "tests/bench/pairs.h"
#include "tests/bench/peers/plain.h"
#include "tests/mock/mock.h"
#include "tools/bench/x310loop/command.h"

enum { BLOCK = 256, PARTS = 2, BATCH = 100, BATCHES = 41 };

struct plain {
	struct plain_plans plans;
	struct plain_channel channel;
};

struct upols {
	struct mock mock;
	const struct iq_kernels *iq;
	uint64_t index;
	_Alignas(64) float in[2 * BLOCK];
};

static void give_up(const char *what)
{
	fprintf(stderr, "bench_x310: %s\n", what);
	exit(1);
}

static void *memory(size_t size)
{
	void *memory = aligned_alloc(64, (size + 63) & ~(size_t)63);

	if (memory == NULL)
		give_up("no memory");
	return memset(memory, 0, size);
}

/* A decaying response. */
static void response_write(float response[2 * BLOCK * PARTS])
{
	memset(response, 0, 2 * BLOCK * PARTS * sizeof(float));
	for (int i = 0; i < BLOCK * PARTS; i++)
		response[2 * i] = 0.1f * expf(-0.01f * (float)i);
}

/* The end of a stream. */
static bool is_short(const uint8_t *iq, uint8_t *ret_iq, uint32_t n)
{
	if (n != BLOCK)
		memcpy(ret_iq, iq, IQ_BYTES * (size_t)n);
	return n != BLOCK;
}

/* ---- plain FFTW ---- */

static void *fftw_open(void)
{
	struct plain *plain = memory(sizeof(*plain));
	float response[2 * BLOCK * PARTS];

	response_write(response);
	if (plain_plan(BLOCK, &plain->plans) < 0 ||
	    plain_open(&plain->channel, &plain->plans, BLOCK, PARTS, response) < 0)
		give_up("no memory for the transforms");
	return plain;
}

/* A packet's samples lie at any even address. */
static void fftw_pass(void *self, const uint8_t *iq, uint8_t *ret_iq, uint32_t n)
{
	struct plain *plain = self;
	int16_t words[2 * BLOCK];

	if (is_short(iq, ret_iq, n))
		return;
	memcpy(words, iq, sizeof(words));
	plain_to_floats(words, plain_place(&plain->channel), 2 * BLOCK);
	plain_from_floats(plain_work(&plain->channel), words, 2 * BLOCK);
	memcpy(ret_iq, words, sizeof(words));
}

static void fftw_close(void *self)
{
	struct plain *plain = self;

	plain_close(&plain->channel);
	plain_plan_free(&plain->plans);
	free(plain);
}

/* ---- the component ---- */

static void *upols_open(void)
{
	struct upols *upols = memory(sizeof(*upols));
	float response[2 * BLOCK * PARTS];

	response_write(response);
	upols->iq = iq_kernels(simd_best());
	mock_open(&upols->mock, "upols");
	mock_input(&upols->mock, 0, ALOE_CF32, BLOCK);
	mock_output(&upols->mock, 0, ALOE_CF32);
	mock_set_reals(&upols->mock, "response", response, 2 * BLOCK * PARTS);
	if (mock_start(&upols->mock) < 0)
		give_up(upols->mock.setup.error);
	return upols;
}

static void upols_pass(void *self, const uint8_t *iq, uint8_t *ret_iq, uint32_t n)
{
	struct upols *upols = self;
	struct mock *mock = &upols->mock;
	struct aloe_slot slot = {.index = upols->index++, .in = mock->in, .out = mock->out};

	if (is_short(iq, ret_iq, n))
		return;
	upols->iq->to_f32(iq, upols->in, BLOCK);
	mock->in[0] = (struct aloe_in){upols->in, BLOCK, ALOE_VALID};
	if (mock->component->work(mock->state, &slot) < 0)
		give_up("upols has failed");
	(void)upols->iq->from_f32(mock->out[0].data, ret_iq, BLOCK);
}

static void upols_close(void *self)
{
	struct upols *upols = self;

	mock_close(&upols->mock);
	free(upols);
}

/* ---- the program ---- */

static const struct way {
	const char *name;
	void *(*open)(void);
	void (*pass)(void *self, const uint8_t *iq, uint8_t *ret_iq, uint32_t n);
	void (*close)(void *self);
} ways[] = {
    {"fftw", fftw_open, fftw_pass, fftw_close}, {"upols", upols_open, upols_pass, upols_close}};

static void block_time(const struct way *way)
{
	static const uint8_t in[IQ_BYTES * BLOCK] = {1, 2, 3, 4, 5, 6, 7, 8};
	uint8_t out[IQ_BYTES * BLOCK];
	void *self = way->open();
	double us[BATCHES];

	for (int batch = 0; batch < BATCHES; batch++) {
		const uint64_t begin = clock_ns();

		for (int i = 0; i < BATCH; i++)
			way->pass(self, in, out, BLOCK);
		us[batch] = (double)(clock_ns() - begin) / (1e3 * BATCH);
	}
	qsort(us, BATCHES, sizeof(us[0]), pairs_compare);
	printf("-- 512 taps in blocks of 256, %s: %.2f us a block (256 samples at 100 MSa/s are "
	       "2.56 us)\n",
	    way->name, us[BATCHES / 2]);
	way->close(self);
}

static int stream(const struct cli_args *args, const struct way *way)
{
	struct loop_work work = {way->pass, way->open()};
	const int status = x310loop_run(args, &work);

	way->close(work.self);
	return status;
}

static int stream_fftw(const struct cli_args *args)
{
	return stream(args, &ways[0]);
}

static int stream_upols(const struct cli_args *args)
{
	return stream(args, &ways[1]);
}

static const struct cli_command commands[] = {
    {"fftw", "IP", 1, 1, NULL, "A channel of 512 taps by FFTW in a bare loop.", NULL,
        {x310loop_options, X310LOOP_OPTIONS}, stream_fftw},
    {"upols", "IP", 1, 1, NULL, "A channel of 512 taps by upols in a bare loop.", NULL,
        {x310loop_options, X310LOOP_OPTIONS}, stream_upols},
};

int main(int argc, char **argv)
{
	static const struct cli_program program = {.name = "bench_x310",
	    .section = 1,
	    .summary = "a channel in a bare loop",
	    .commands = CLI_LIST(commands)};

	if (argc > 1)
		return cli_main(&program, argc, argv);
	block_time(&ways[0]);
	block_time(&ways[1]);
	return 0;
}
