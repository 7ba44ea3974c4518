/* SPDX-License-Identifier: BSD-3-Clause
 *
 * upols against the sum in double precision that it stands for, sample by sample: whatever the
 * number of partitions, the block, the inputs and outputs, and with whichever response holds at an
 * index. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/mock/mock.h"

#define TOLERANCE 2e-6 /* of the root mean square; 1e-5 is asked for */

enum { PORTS = 4, RESPONSE_PORT = 4, SLOTS = 24 };

/* One run of SLOTS slots: what went in, what came out, which response held. */
struct rig {
	struct mock mock;
	uint32_t block, n_in, n_out, taps;
	float *in[PORTS], *out[PORTS];
	const float *held[SLOTS]; /* taps of every path */
	uint32_t state[SLOTS], len[SLOTS];
};

static float *random_floats(size_t n)
{
	float *x = malloc(n * sizeof(*x));

	assert_non_null(x);
	for (size_t i = 0; i < n; i++)
		x[i] = (float)rand() / (float)RAND_MAX - 0.5f;
	return x;
}

static void set_number(struct mock *m, const char *name, uint32_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%u", value);
	assert_int_equal(mock_set(m, name, text), 0);
}

static void rig_open(struct rig *rig, uint32_t block, uint32_t n_in, uint32_t n_out, uint32_t taps)
{
	*rig = (struct rig){.block = block, .n_in = n_in, .n_out = n_out, .taps = taps};
	mock_open(&rig->mock, "upols");
	for (uint32_t i = 0; i < n_in; i++) {
		mock_input(&rig->mock, i, ALOE_CF32, block);
		rig->in[i] = random_floats(2 * (size_t)block * SLOTS);
	}
	for (uint32_t o = 0; o < n_out; o++) {
		mock_output(&rig->mock, o, ALOE_CF32);
		rig->out[o] = calloc((size_t)block * SLOTS, 8);
	}
	for (int n = 0; n < SLOTS; n++)
		rig->len[n] = block;
}

static float *random_response(const struct rig *rig)
{
	return random_floats(2 * (size_t)rig->taps * rig->n_in * rig->n_out);
}

static uint32_t reals(const struct rig *rig)
{
	return 2 * rig->taps * rig->n_in * rig->n_out;
}

static void rig_start(struct rig *rig)
{
	if (mock_start(&rig->mock) != 0)
		fail_msg("%s", rig->mock.setup.error);
}

/* Slot n; with nothing where len[n] is 0: what was made up for it becomes the zeros that it stands
 * for. */
static void rig_slot(struct rig *rig, uint32_t n)
{
	const size_t at = 2 * (size_t)rig->block * n;

	for (uint32_t i = 0; i < rig->n_in; i++) {
		if (rig->len[n])
			mock_give(&rig->mock, i, rig->in[i] + at, rig->len[n]);
		memset(rig->in[i] + at + 2 * (size_t)rig->len[n], 0,
		    (size_t)(rig->block - rig->len[n]) * 8);
	}
	assert_int_equal(mock_work(&rig->mock, n), 0);
	for (uint32_t o = 0; o < rig->n_out; o++) {
		rig->state[n] = rig->mock.out[o].state;
		memcpy(rig->out[o] + at, rig->mock.out[o].data, (size_t)rig->mock.out[o].len * 8);
	}
}

static void rig_close(struct rig *rig)
{
	mock_close(&rig->mock);
	for (int i = 0; i < PORTS; i++) {
		free(rig->in[i]);
		free(rig->out[i]);
	}
}

/* The definition, in double precision. */
static double complex direct(const struct rig *rig, const float *response, uint32_t o, uint32_t t)
{
	double re = 0, im = 0;

	for (uint32_t i = 0; i < rig->n_in; i++) {
		const float *h = response + 2 * (size_t)rig->taps * (o * rig->n_in + i);

		for (uint32_t k = 0; k < rig->taps && k <= t; k++) {
			const float *x = rig->in[i] + 2 * (size_t)(t - k);

			re += (double)h[2 * k] * x[0] - (double)h[2 * k + 1] * x[1];
			im += (double)h[2 * k] * x[1] + (double)h[2 * k + 1] * x[0];
		}
	}
	return re + I * im;
}

static double complex made(const struct rig *rig, uint32_t o, uint32_t t)
{
	return rig->out[o][2 * (size_t)t] + I * rig->out[o][2 * (size_t)t + 1];
}

/* The response of slot n, `fade` of whose items go over from the one of the slot before. */
static double complex expected(const struct rig *rig, uint32_t fade, uint32_t o, uint32_t t)
{
	const uint32_t n = t / rig->block, at = t % rig->block;
	const double complex now = direct(rig, rig->held[n], o, t);

	if (n == 0 || rig->held[n] == rig->held[n - 1] || at >= fade)
		return now;
	return now * at / fade + direct(rig, rig->held[n - 1], o, t) * (1 - (double)at / fade);
}

/* The largest deviation of slots [from, to) over the root mean square of what is expected there. */
static double deviation(const struct rig *rig, uint32_t fade, uint32_t from, uint32_t to)
{
	double most = 0, power = 0, count = 0;

	for (uint32_t o = 0; o < rig->n_out; o++) {
		for (uint32_t t = from * rig->block; t < to * rig->block; t++) {
			const double complex want = expected(rig, fade, o, t);
			const double wrong = cabs(made(rig, o, t) - want);

			most = wrong > most ? wrong : most;
			power += creal(want * conj(want));
			count++;
		}
	}
	return most / sqrt(power / count);
}

static void check_deviation(const struct rig *rig, uint32_t fade, uint32_t from, uint32_t to)
{
	const double found = deviation(rig, fade, from, to);

	if (!(found < TOLERANCE))
		fail_msg("block %u, %u x %u, %u taps: %g off", rig->block, rig->n_in, rig->n_out,
		    rig->taps, found);
}

static void hold(struct rig *rig, const float *response, uint32_t from)
{
	for (uint32_t n = from; n < SLOTS; n++)
		rig->held[n] = response;
}

/* ---- one response ---- */

static void check_convolution(uint32_t block, uint32_t n_in, uint32_t n_out, uint32_t taps,
    const char *transform, uint32_t simd)
{
	struct rig rig;
	float *response;

	rig_open(&rig, block, n_in, n_out, taps);
	response = random_response(&rig);
	rig.mock.setup.simd = simd;
	mock_set_reals(&rig.mock, "response", response, reals(&rig));
	assert_int_equal(mock_set(&rig.mock, "transform", transform), 0);
	rig_start(&rig);
	hold(&rig, response, 0);
	for (uint32_t n = 0; n < SLOTS; n++)
		rig_slot(&rig, n);
	check_deviation(&rig, 0, 0, SLOTS);
	assert_true(mock_var(&rig.mock, "forward_transforms") == n_in * SLOTS);
	assert_true(mock_var(&rig.mock, "inverse_transforms") == n_out * SLOTS);
	assert_true(mock_var(&rig.mock, "responses") == 1);
	rig_close(&rig);
	free(response);
}

static void partitions(void **state)
{
	static const uint32_t counts[] = {1, 2, 5, 16};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (uint32_t simd = 0; simd < SIMD_LEVELS; simd++)
			if (simd_has((enum simd_level)simd)) {
				check_convolution(64, 1, 1, 64 * counts[i], "own", simd);
				check_convolution(64, 1, 1, 64 * counts[i], "fftw", simd);
				check_convolution(64, 1, 1, 64 * counts[i] - 63, "auto", simd);
			}
	check_convolution(256, 1, 1, 512, "auto", simd_best());
	check_convolution(256, 1, 1, 256 * 16, "auto", simd_best());
	check_convolution(2048, 1, 1, 2048, "auto", simd_best());
}

/* Of 1 item, of primes, of sizes that FFTW pads. */
static void blocks(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 31, 100, 127, 300, 1000};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_convolution(sizes[i], 1, 1, 3 * sizes[i], "auto", simd_best());
	check_convolution(100, 1, 1, 1, "auto", simd_best());
	check_convolution(64, 1, 1, 64 * 64, "auto", simd_best());
}

static void many_ports(void **state)
{
	(void)state;
	check_convolution(64, 2, 1, 128, "auto", simd_best());
	check_convolution(64, 1, 3, 100, "auto", simd_best());
	check_convolution(100, 2, 3, 250, "auto", simd_best());
	check_convolution(64, 4, 4, 200, "auto", simd_best());
}

/* ---- another response ---- */

static void check_set(uint32_t fade, const char *transform)
{
	float *responses[3];
	struct rig rig;

	rig_open(&rig, 64, 2, 2, 150);
	for (int i = 0; i < 3; i++)
		responses[i] = random_response(&rig);
	mock_set_reals(&rig.mock, "response", responses[0], reals(&rig));
	assert_int_equal(mock_set(&rig.mock, "transform", transform), 0);
	set_number(&rig.mock, "fade", fade);
	rig_start(&rig);
	hold(&rig, responses[0], 0);
	for (uint32_t n = 0; n < SLOTS; n++) {
		if (n == 10 || n == 11) { /* two, one right after the other */
			assert_int_equal(
			    mock_set_live(&rig.mock, "response", responses[n - 9], reals(&rig)), 0);
			hold(&rig, responses[n - 9], n);
		}
		rig_slot(&rig, n);
	}
	check_deviation(&rig, fade, 0, SLOTS);
	assert_true(mock_var(&rig.mock, "responses") == 3);
	assert_true(mock_var(&rig.mock, "response_index") == 11);
	assert_true(mock_var(&rig.mock, "forward_transforms") == 2 * SLOTS);
	assert_true(mock_var(&rig.mock, "inverse_transforms") == 2 * SLOTS + (fade ? 4 : 0));
	assert_true(mock_var(&rig.mock, "response_transforms") == 0);
	rig_close(&rig);
	for (int i = 0; i < 3; i++)
		free(responses[i]);
}

static void sets(void **state)
{
	(void)state;
	check_set(0, "auto");
	check_set(64, "auto");
	check_set(17, "auto");
	check_set(0, "fftw");
	check_set(40, "fftw");
}

/* Shorter and longer ones within what there is room for; what there is not room for changes
 * nothing. */
static void set_lengths(void **state)
{
	struct rig rig;
	float *response;

	(void)state;
	rig_open(&rig, 64, 1, 1, 250);
	response = random_response(&rig);
	mock_set_reals(&rig.mock, "response", response, reals(&rig));
	assert_int_equal(mock_set(&rig.mock, "partitions", "5"), 0);
	rig_start(&rig);
	hold(&rig, response, 0);
	for (uint32_t n = 0; n < 8; n++)
		rig_slot(&rig, n);
	assert_int_equal(mock_set_live(&rig.mock, "response", rig.in[0], 2 * 321), -1);
	assert_non_null(strstr(rig.mock.setup.error,
	    "321 taps for each path, but 5 partitions of 64 items hold only 320"));
	assert_int_equal(mock_set_live(&rig.mock, "response", rig.in[0], 0), -1);
	rig_slot(&rig, 8);
	check_deviation(&rig, 0, 0, 9);

	free(response);
	rig.taps = 320;
	response = random_response(&rig);
	assert_int_equal(mock_set_live(&rig.mock, "response", response, reals(&rig)), 0);
	hold(&rig, response, 9);
	for (uint32_t n = 9; n < 16; n++)
		rig_slot(&rig, n);
	check_deviation(&rig, 0, 9, 16);
	rig.taps = 3;
	assert_int_equal(mock_set_live(&rig.mock, "response", response, reals(&rig)), 0);
	for (uint32_t n = 16; n < SLOTS; n++)
		rig_slot(&rig, n);
	check_deviation(&rig, 0, 16, SLOTS);
	rig_close(&rig);
	free(response);
}

/* Messages of the port at slots 5, 14 and 15: with `per_slot` the one of 5 holds from 5 + delay on,
 * and those that come while one is being worked on are left out. */
static void check_port(uint32_t per_slot, uint32_t delay, uint32_t fade)
{
	const uint32_t n_in = 2, n_out = 2, taps = 100;
	float *responses[3];
	struct rig rig;

	rig_open(&rig, 64, n_in, n_out, taps);
	mock_input(&rig.mock, RESPONSE_PORT, ALOE_CF32, taps * n_in * n_out);
	for (int i = 0; i < 3; i++)
		responses[i] = random_response(&rig);
	mock_set_reals(&rig.mock, "response", responses[0], reals(&rig));
	set_number(&rig.mock, "per_slot", per_slot);
	set_number(&rig.mock, "fade", fade);
	rig_start(&rig);
	hold(&rig, responses[0], 0);
	for (uint32_t n = 0; n < SLOTS; n++) {
		const int which = n == 5 ? 1 : n == 14 || n == 15 ? 2 : 0;
		const float *message = responses[n == 15 && delay ? 0 : which];

		if (which)
			mock_give(&rig.mock, RESPONSE_PORT, message, reals(&rig) / 2);
		if (n == 5 + delay || n == 14 + delay)
			hold(&rig, responses[n == 5 + delay ? 1 : 2], n);
		rig_slot(&rig, n);
	}
	check_deviation(&rig, fade, 0, SLOTS);
	assert_true(mock_var(&rig.mock, "response_transforms") == (delay ? 2 : 3) * 8);
	assert_true(mock_var(&rig.mock, "responses_missed") == (delay ? 1 : 0));
	assert_true(mock_var(&rig.mock, "forward_transforms") == n_in * SLOTS);
	rig_close(&rig);
	for (int i = 0; i < 3; i++)
		free(responses[i]);
}

static void port(void **state)
{
	(void)state;
	check_port(0, 0, 0);
	check_port(8, 0, 64);
	check_port(4, 1, 0);
	check_port(3, 2, 32);
	check_port(1, 7, 0);
}

/* Before a port has said anything there is silence; a short message ends in zeros; whoever comes
 * last holds. */
static void port_alone(void **state)
{
	float zeros[2 * 50] = {0}, filled[2 * 50] = {0}, *response;
	struct rig rig;

	(void)state;
	rig_open(&rig, 64, 1, 1, 50);
	response = random_response(&rig);
	mock_input(&rig.mock, RESPONSE_PORT, ALOE_CF32, 50);
	rig_start(&rig);
	hold(&rig, zeros, 0);
	hold(&rig, response, 3);
	hold(&rig, filled, 6);
	memcpy(filled, response, 20 * 8);
	hold(&rig, response, 9);
	for (uint32_t n = 0; n < 12; n++) {
		if (n == 3)
			mock_give(&rig.mock, RESPONSE_PORT, response, 50);
		if (n == 6)
			mock_give(&rig.mock, RESPONSE_PORT, response, 20);
		if (n == 9)
			assert_int_equal(mock_set_live(&rig.mock, "response", response, 100), 0);
		rig_slot(&rig, n);
		assert_int_equal(rig.state[n], ALOE_VALID);
	}
	check_deviation(&rig, 0, 3, 12);
	for (uint32_t t = 0; t < 3 * 64; t++)
		assert_true(made(&rig, 0, t) == 0);
	rig_close(&rig);
	free(response);
}

/* ---- messages that are not whole ---- */

static void tails(void **state)
{
	enum { TAPS = 150 }; /* three partitions */
	struct rig rig;
	float *response;

	(void)state;
	rig_open(&rig, 64, 1, 1, TAPS);
	response = random_response(&rig);
	mock_set_reals(&rig.mock, "response", response, reals(&rig));
	rig_start(&rig);
	hold(&rig, response, 0);
	rig.len[0] = 0;  /* nothing yet */
	rig.len[3] = 20; /* short */
	rig.len[6] = rig.len[7] = 0;
	for (uint32_t n = 10; n < 16; n++)
		rig.len[n] = 0;
	for (uint32_t n = 0; n < SLOTS; n++) {
		rig_slot(&rig, n);
		assert_int_equal(
		    rig.state[n], n == 0 || (n >= 13 && n < 16) ? ALOE_ABSENT : ALOE_VALID);
		if (rig.state[n] == ALOE_VALID)
			assert_int_equal(rig.mock.out[0].len, rig.len[n] ? rig.len[n] : 64);
	}
	for (uint32_t t = 3 * 64 + 20; t < 4 * 64; t++) { /* did not come out */
		const double complex want = direct(&rig, response, 0, t);
		rig.out[0][2 * t] = (float)creal(want);
		rig.out[0][2 * t + 1] = (float)cimag(want);
	}
	check_deviation(&rig, 0, 0, SLOTS);
	assert_true(mock_var(&rig.mock, "short_blocks") == 1);
	assert_true(mock_var(&rig.mock, "tails") == 2 + 3);
	mock_give_state(&rig.mock, 0, ALOE_IDLE);
	for (int n = 0; n < 4; n++) {
		mock_give_state(&rig.mock, 0, ALOE_IDLE);
		assert_int_equal(mock_work(&rig.mock, 100 + (uint64_t)n), 0);
		assert_int_equal(rig.mock.out[0].state, n < 3 ? ALOE_VALID : ALOE_IDLE);
	}
	rig_close(&rig);
	free(response);
}

/* One of two inputs has nothing: it counts as zeros, from its history on. */
static void one_input_absent(void **state)
{
	struct rig rig;
	float *response;

	(void)state;
	rig_open(&rig, 64, 2, 1, 100);
	response = random_response(&rig);
	mock_set_reals(&rig.mock, "response", response, reals(&rig));
	rig_start(&rig);
	hold(&rig, response, 0);
	for (uint32_t n = 0; n < SLOTS; n++) {
		const size_t at = 2 * (size_t)64 * n;

		mock_give(&rig.mock, 0, rig.in[0] + at, 64);
		if (n % 3)
			mock_give(&rig.mock, 1, rig.in[1] + at, 64);
		else
			memset(rig.in[1] + at, 0, 64 * 8);
		assert_int_equal(mock_work(&rig.mock, n), 0);
		memcpy(rig.out[0] + at, rig.mock.out[0].data, 64 * 8);
	}
	check_deviation(&rig, 0, 0, SLOTS);
	rig_close(&rig);
	free(response);
}

/* What is not a number is gone when it has left the response. */
static void nonsense_is_forgotten(void **state)
{
	struct rig rig;
	float *response;

	(void)state;
	rig_open(&rig, 64, 1, 1, 128);
	response = random_response(&rig);
	mock_set_reals(&rig.mock, "response", response, reals(&rig));
	rig_start(&rig);
	hold(&rig, response, 0);
	rig.in[0][2 * 64 * 4 + 7] = NAN;
	for (uint32_t n = 0; n < SLOTS; n++)
		rig_slot(&rig, n);
	rig.in[0][2 * 64 * 4 + 7] = 0;
	check_deviation(&rig, 0, 0, 4);
	assert_true(isnan(rig.out[0][2 * 64 * 5]));
	check_deviation(&rig, 0, 7, SLOTS);
	rig_close(&rig);
	free(response);
}

/* ---- what is refused ---- */

static void refused(
    const char *param, const char *value, uint32_t block, uint32_t len, const char *why)
{
	static const float taps[200] = {1};
	struct mock m;

	mock_open(&m, "upols");
	mock_input(&m, 0, ALOE_CF32, block);
	if (len)
		mock_set_reals(&m, "response", taps, len);
	if (param)
		assert_int_equal(mock_set(&m, param, value), 0);
	assert_int_equal(mock_start(&m), -1);
	if (!strstr(m.setup.error, why))
		fail_msg("\"%s\" does not say \"%s\"", m.setup.error, why);
	mock_close(&m);
}

static void what_is_refused(void **state)
{
	struct mock m;

	(void)state;
	refused(NULL, NULL, 64, 0,
	    "there is no response; set the parameter response, or link the port response");
	refused("partitions", "1", 64, 130, "needs 2 partitions of 64 items, but there are 1");
	refused("taps", "3", 64, 8,
	    "response has 4 taps, but the most is 3, with taps = 3 for each path");
	refused("transform", "own", 100, 2,
	    "a power of two from 64 to 4096 items, but a block has 100");
	refused("fade", "65", 64, 2, "fade = 65 is more than a block of 64 items");
	refused(NULL, NULL, 1, 200, "needs 100 partitions of 1 items, but there are 64");
	mock_open(&m, "upols");
	mock_input(&m, 0, ALOE_CF32, 64);
	mock_input(&m, 1, ALOE_CF32, 65);
	mock_set_reals(&m, "response", (const float[]){1, 0, 1, 0}, 4);
	assert_int_equal(mock_start(&m), -1);
	assert_non_null(strstr(m.setup.error,
	    "the messages of in0 have a length up to 64, but those of in1 up to 65"));
	mock_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(partitions),
	    cmocka_unit_test(blocks),
	    cmocka_unit_test(many_ports),
	    cmocka_unit_test(sets),
	    cmocka_unit_test(set_lengths),
	    cmocka_unit_test(port),
	    cmocka_unit_test(port_alone),
	    cmocka_unit_test(tails),
	    cmocka_unit_test(one_input_absent),
	    cmocka_unit_test(nonsense_is_forgotten),
	    cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
