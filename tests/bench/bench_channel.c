/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The channel emulator, per slot: the whole call of upols beside a loop that does the same with
 * FFTW, with care and without anything of ours (peers/plain.h), both turning blocks of complex
 * samples into blocks of complex samples. 256 samples at
 * 100 MSa/s last 2.56 us. Each figure is the median over batches of calls, so a half of the calls
 * take less.
 */
#include <complex.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/fft/fft.h"
#include "core/kernels/spectrum.h"
#include "tests/bench/pairs.h"
#include "tests/bench/peers/plain.h"
#include "tests/mock/mock.h"

enum { BLOCKS = 8, BATCH = 8, BATCHES = 41 }; /* BLOCKS different ones go in, in turn */

#define REACH_US 0.95

static float *floats(size_t n)
{
	float *x = aligned_alloc(64, (n * sizeof(*x) + 63) / 64 * 64);

	for (size_t i = 0; i < n; i++)
		x[i] = (float)rand() / (float)RAND_MAX - 0.5f;
	return x;
}

/* The median over BATCHES of the mean over BATCH calls, in ns. */
static double median_of(void (*call)(void *context, uint32_t k), void *context)
{
	double ns[BATCHES];

	for (int b = 0; b < BATCHES; b++) {
		const uint64_t begin = clock_ns();

		for (uint32_t k = 0; k < BATCH; k++)
			call(context, k);
		ns[b] = (double)(clock_ns() - begin) / BATCH;
	}
	qsort(ns, BATCHES, sizeof(ns[0]), pairs_compare);
	return ns[BATCHES / 2];
}

/* ---- the component ---- */

struct component {
	struct mock mock;
	float *in, *response;
	uint32_t block, n_in;
	uint64_t index;
};

static void component_open(struct component *c, uint32_t block, uint32_t partitions, uint32_t n_in,
    uint32_t n_out, const char *transform)
{
	const uint32_t reals = 2 * block * partitions * n_in * n_out;

	*c = (struct component){
	    .in = floats(2 * (size_t)block * BLOCKS), .block = block, .n_in = n_in};
	c->response = floats(reals);
	mock_open(&c->mock, "upols");
	for (uint32_t i = 0; i < n_in; i++)
		mock_input(&c->mock, i, ALOE_CF32, block);
	for (uint32_t o = 0; o < n_out; o++)
		mock_output(&c->mock, o, ALOE_CF32);
	mock_set_reals(&c->mock, "response", c->response, reals);
	if (mock_set(&c->mock, "transform", transform) < 0 || mock_start(&c->mock) < 0) {
		printf("%s\n", c->mock.setup.error);
		exit(1);
	}
}

static void component_close(struct component *c)
{
	mock_close(&c->mock);
	free(c->in);
	free(c->response);
}

static void component_call(void *context, uint32_t k)
{
	struct component *c = context;
	struct aloe_slot slot = {.index = c->index++, .in = c->mock.in, .out = c->mock.out};

	for (uint32_t i = 0; i < c->n_in; i++)
		c->mock.in[i] = (struct aloe_in){
		    c->in + 2 * (size_t)c->block * ((k + i) % BLOCKS), c->block, ALOE_VALID};
	if (c->mock.component->work(c->mock.state, &slot) < 0)
		exit(1);
}

static double component_ns(void *context)
{
	return median_of(component_call, context);
}

/* ---- plain FFTW ---- */

struct plain {
	struct plain_channel channel;
	float *in, *response, *result;
};

static void plain_begin(
    struct plain *p, const struct plain_plans *plans, uint32_t block, uint32_t partitions)
{
	p->in = floats(2 * (size_t)block * BLOCKS);
	p->response = floats(2 * (size_t)block * partitions);
	p->result = floats(2 * (size_t)block);
	if (plain_open(&p->channel, plans, block, partitions, p->response) < 0)
		exit(1);
}

static void plain_end(struct plain *p)
{
	plain_close(&p->channel);
	free(p->in);
	free(p->response);
	free(p->result);
}

static void plain_call(void *context, uint32_t k)
{
	struct plain *p = context;
	const size_t half = 2 * (size_t)p->channel.block;

	memcpy(plain_place(&p->channel), p->in + half * k, half * sizeof(float));
	memcpy(p->result, plain_work(&p->channel), half * sizeof(float));
}

static double plain_ns(void *context)
{
	return median_of(plain_call, context);
}

/* ---- the transforms alone ---- */

struct pair {
	const struct spectrum_kernels *kernels;
	struct spectrum_plan plan;
	struct fft *there, *back;
	float *tables, *history, *in, *one, *two;
};

static void own_call(void *context, uint32_t k)
{
	struct pair *p = context;

	(void)k;
	p->kernels->forward(&p->plan, p->in, p->history, p->one);
	p->kernels->inverse(&p->plan, p->one, p->two);
}

static void fftw_call(void *context, uint32_t k)
{
	struct pair *p = context;

	(void)k;
	p->in[0] = 1; /* what came back grows with every turn */
	fft_execute(p->there, p->one, p->two);
	fft_execute(p->back, p->two, p->one);
	memset(p->one, 0, 64);
}

static double own_ns(void *context)
{
	return median_of(own_call, context);
}

static double fftw_ns(void *context)
{
	memset(((struct pair *)context)->one, 0, 64);
	return median_of(fftw_call, context);
}

static void run_transforms(uint32_t size, struct fft *there, struct fft *back)
{
	struct pair pair = {
	    .kernels = spectrum_kernels(simd_best(), size), .there = there, .back = back};
	char name[64];

	pair.tables = floats(spectrum_plan_bytes(size) / sizeof(float));
	spectrum_plan_init(size, pair.tables, &pair.plan);
	pair.in = floats(size);
	pair.history = floats(size);
	pair.one = floats(2 * (size_t)size);
	pair.two = floats(2 * (size_t)size);
	memset(pair.one, 0, 2 * (size_t)size * sizeof(float));
	snprintf(name, sizeof(name), "transforms of %u, a pair", size);
	pairs_run(name, own_ns, &pair, "FFTW", fftw_ns, &pair, 0);
	free(pair.tables);
	free(pair.in);
	free(pair.history);
	free(pair.one);
	free(pair.two);
}

/* ---- what is run ---- */

static void run(
    uint32_t block, uint32_t partitions, const char *transform, const struct plain_plans *plans)
{
	struct component component;
	struct plain plain;
	char name[64];

	component_open(&component, block, partitions, 1, 1, transform);
	plain_begin(&plain, plans, block, partitions);
	snprintf(name, sizeof(name), "block %u, %u partitions%s", block, partitions,
	    strcmp(transform, "auto") ? ", FFTW" : "");
	pairs_run(name, component_ns, &component, "plain FFTW", plain_ns, &plain,
	    block == 256 && partitions == 2 && !strcmp(transform, "auto") ? REACH_US : 0);
	component_close(&component);
	plain_end(&plain);
}

static void run_ports(uint32_t n, uint32_t partitions)
{
	struct component many, one;
	char name[64];

	component_open(&many, 256, partitions, n, n, "auto");
	component_open(&one, 256, partitions, 1, 1, "auto");
	snprintf(name, sizeof(name), "%u x %u, %u partitions of 256", n, n, partitions);
	pairs_run(name, component_ns, &many, "1 x 1", component_ns, &one, 0);
	component_close(&many);
	component_close(&one);
}

/* What another response costs in its slot: one from the port, with a partition transformed in each
 * slot, or one that is faded to over a whole block. A message comes in every slot. */
static void run_response(uint32_t partitions, uint32_t fade)
{
	struct component with, without;
	char name[64], text[16];

	component_open(&without, 256, partitions, 1, 1, "auto");
	with = (struct component){.in = floats((size_t)2 * 256 * BLOCKS), .block = 256, .n_in = 1};
	with.response = floats((size_t)2 * 256 * partitions);
	mock_open(&with.mock, "upols");
	mock_input(&with.mock, 0, ALOE_CF32, 256);
	mock_input(&with.mock, 4, ALOE_CF32, 256 * partitions);
	snprintf(text, sizeof(text), "%u", fade);
	if (mock_set(&with.mock, "per_slot", fade ? "0" : "1") < 0 ||
	    mock_set(&with.mock, "fade", text) < 0 || mock_start(&with.mock) < 0)
		exit(1);
	with.mock.in[4] = (struct aloe_in){with.response, 256 * partitions, ALOE_VALID};
	snprintf(name, sizeof(name), fade ? "%u new partitions, faded" : "one new partition of %u",
	    partitions);
	pairs_run(name, component_ns, &with, "none", component_ns, &without, 0);
	component_close(&with);
	component_close(&without);
}

int main(void)
{
	static const uint32_t partitions[] = {1, 2, 4, 16, 64};

	pairs_quiet();
	printf("-- channel emulator, %s, against plain FFTW (FFTW_PATIENT, gcc -O3, "
	       "AVX-512 where there is)\n",
	    simd_name(simd_best()));
	for (uint32_t block = 64; block <= 2048; block *= 2) {
		struct fft *there = NULL, *back = NULL;
		struct plain_plans plans;

		if (plain_plan(block, &plans) < 0 ||
		    fft_new(2 * block, FFT_FORWARD, FFT_FASTEST, &there) < 0 ||
		    fft_new(2 * block, FFT_INVERSE, FFT_FASTEST, &back) < 0)
			return 1;
		run_transforms(2 * block, there, back);
		for (size_t i = 0; i < sizeof(partitions) / sizeof(partitions[0]); i++)
			run(block, partitions[i], "auto", &plans);
		if (block == 256)
			run(block, 2, "fftw", &plans);
		fft_free(there);
		fft_free(back);
		plain_plan_free(&plans);
	}
	run_ports(2, 2);
	run_ports(4, 2);
	run_response(2, 0);
	run_response(16, 0);
	run_response(1, 256);
	return 0;
}
