/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fm_demod, deemphasis, to_i16 and resample_rational of real samples, one by one against
 * formulas. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/mock/mock.h"

enum { N = 4000, MOST = 100 };

static void start(struct mock *m, uint32_t type)
{
	mock_input(m, 0, type, MOST);
	if (mock_start(m))
		fail_msg("%s", m->setup.error);
}

/* The whole stream in messages of changing lengths, with an ABSENT message now and then; how many
 * items came out. */
static uint32_t run_through(
    struct mock *m, const void *in, uint32_t in_bytes, uint32_t n, void *out, uint32_t out_bytes)
{
	uint32_t done = 0, made = 0;

	for (uint64_t k = 0; done < n; k++) {
		const uint32_t want = 1 + (uint32_t)(k * 53 % MOST),
		               len = want < n - done ? want : n - done;

		mock_give(m, 0, (const uint8_t *)in + (size_t)done * in_bytes, len);
		assert_int_equal(mock_work(m, 2 * k), 0);
		memcpy((uint8_t *)out + (size_t)made * out_bytes, m->out[0].data,
		    (size_t)m->out[0].len * out_bytes);
		done += len;
		made += m->out[0].len;
		assert_int_equal(mock_work(m, 2 * k + 1), 0);
		assert_int_equal(m->out[0].state, ALOE_ABSENT);
	}
	return made;
}

/* A chirp over the whole range: its frequency comes out, divided by the deviation. */
static void fm_demod_tells_the_frequency(void **state)
{
	static cf32 in[N];
	static float out[N];
	double phase = 0, frequency[N];
	struct mock m;

	(void)state;
	for (int i = 0; i < N; i++) {
		frequency[i] = -0.49 + 0.98 * i / N;
		phase += frequency[i];
		in[i] = (float)(1 + i % 7) * (cf32)cexp(2 * M_PI * I * phase);
	}
	mock_open(&m, "fm_demod");
	mock_set(&m, "deviation", "0.3125");
	start(&m, ALOE_CF32);
	assert_int_equal(run_through(&m, in, sizeof(cf32), N, out, sizeof(float)), N);
	assert_true(out[0] == 0);
	for (int i = 1; i < N; i++)
		assert_true(fabs(out[i] - frequency[i] / 0.3125) < 1e-5);
	assert_true(mock_var(&m, "rejected") == 0);
	mock_close(&m);
}

static void fm_demod_survives_anything(void **state)
{
	const cf32 in[] = {1, NAN, 1, INFINITY, 3e38f, 3e38f, 1, 1};
	float out[8];
	struct mock m;

	(void)state;
	mock_open(&m, "fm_demod");
	start(&m, ALOE_CF32);
	assert_int_equal(run_through(&m, in, sizeof(cf32), 8, out, sizeof(float)), 8);
	for (int i = 0; i < 8; i++)
		assert_true(out[i] == 0);
	assert_true(mock_var(&m, "rejected") >= 5);
	mock_close(&m);
}

static void deemphasis_is_its_impulse_response(void **state)
{
	static float in[N], out[N];
	struct mock m;

	(void)state;
	in[0] = 1;
	in[2000] = NAN;
	in[2001] = -2;
	mock_open(&m, "deemphasis");
	mock_set(&m, "tau", "12");
	start(&m, ALOE_F32);
	assert_int_equal(run_through(&m, in, sizeof(float), N, out, sizeof(float)), N);
	for (int i = 0; i < N; i++) {
		const double h = (1 - exp(-1 / 12.0)) * exp(-i / 12.0),
		             later = i < 2001 ? 0 : (1 - exp(-1 / 12.0)) * exp(-(i - 2001) / 12.0);

		assert_true(fabs(out[i] - (h - 2 * later)) < 1e-7);
	}
	assert_true(mock_var(&m, "rejected") == 1);
	mock_close(&m);
}

static void to_i16_rounds_and_limits(void **state)
{
	static const float in[] = {
	    0, 0.5f, -0.5f, 1, -1, 2, -2, NAN, 1.5f / 32768, 2.5f / 32768, -1.5f / 32768, 0.99997f};
	static const int16_t want[] = {
	    0, 16384, -16384, 32767, -32768, 32767, -32768, 0, 2, 2, -2, 32767};
	enum { LEN = sizeof(in) / sizeof(in[0]) };
	int16_t out[LEN];
	struct mock m;

	(void)state;
	mock_open(&m, "to_i16");
	start(&m, ALOE_F32);
	assert_int_equal(run_through(&m, in, sizeof(float), LEN, out, sizeof(int16_t)), LEN);
	assert_memory_equal(out, want, sizeof(out));
	assert_true(mock_var(&m, "limited") == 4); /* 1, 2, -2 and NaN */
	mock_close(&m);
}

/* What the complex one makes of the real part. */
static void resample_of_reals(void **state)
{
	static cf32 complex_in[N], complex_out[N];
	static float in[N], out[N];
	struct mock m;

	(void)state;
	for (int i = 0; i < N; i++)
		complex_in[i] = in[i] = (float)sin(0.01 * i) + (float)(i * 37 % 11) / 50;
	for (int real = 0; real < 2; real++) {
		mock_open(&m, "resample_rational");
		mock_set(&m, "interpolation", "2");
		mock_set(&m, "decimation", "5");
		start(&m, real ? ALOE_F32 : ALOE_CF32);
		for (uint32_t at = 0; at < N; at += MOST) {
			mock_give(
			    &m, 0, real ? (void *)(in + at) : (void *)(complex_in + at), MOST);
			assert_int_equal(mock_work(&m, at / MOST), 0);
			assert_int_equal(m.out[0].len, MOST * 2 / 5);
			memcpy(
			    real ? (void *)(out + at * 2 / 5) : (void *)(complex_out + at * 2 / 5),
			    m.out[0].data, m.out[0].len * (real ? sizeof(float) : sizeof(cf32)));
		}
		mock_close(&m);
	}
	for (int i = 0; i < N * 2 / 5; i++)
		assert_true(fabsf(out[i] - crealf(complex_out[i])) < 1e-5f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fm_demod_tells_the_frequency),
	    cmocka_unit_test(fm_demod_survives_anything),
	    cmocka_unit_test(deemphasis_is_its_impulse_response),
	    cmocka_unit_test(to_i16_rounds_and_limits),
	    cmocka_unit_test(resample_of_reals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
