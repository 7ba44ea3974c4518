/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/liquid, one by one, against formulas; the chain of all of them is in
 * test_components_bpsk_rf.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/kernels/random.h"
#include "tests/mock/mock.h"

enum { N = 2000 };

static void make_noise(cf32 *out, uint32_t n, uint64_t seed)
{
	random_gauss(seed, 0, (float *)out, 2 * n);
}

static cf32 turn(double cycles)
{
	return (cf32)cexp(2 * M_PI * I * cycles);
}

static double mean_power(const cf32 *x, uint32_t n)
{
	double power = 0;

	for (uint32_t i = 0; i < n; i++)
		power += crealf(x[i]) * crealf(x[i]) + cimagf(x[i]) * cimagf(x[i]);
	return power / n;
}

/* run_through gives the whole stream in messages of changing lengths and returns how many items
 * came out. */
static uint32_t run_through(struct mock *m, const cf32 *in, uint32_t n, cf32 *out)
{
	uint32_t done = 0, made = 0;

	for (uint64_t k = 0; done < n; k++) {
		const uint32_t want = 37 + (uint32_t)(k * 53 % 64),
		               len = want < n - done ? want : n - done;
		mock_give(m, 0, in + done, len);
		assert_int_equal(mock_work(m, k), 0);
		assert_int_equal(m->out[0].state, ALOE_VALID);
		memcpy(out + made, m->out[0].data, m->out[0].len * sizeof(cf32));
		done += len;
		made += m->out[0].len;
	}
	return made;
}

static void start(struct mock *m)
{
	mock_input(m, 0, ALOE_CF32, 100);
	if (mock_start(m))
		fail_msg("%s", m->setup.error);
}

/* ---- fir ---- */

static void fir_is_a_convolution(void **state)
{
	static const float taps[] = {0.5f, -1, 0.25f, 3, 0, 0.125f, -2};
	static cf32 in[N], out[N];
	struct mock m;

	(void)state;
	make_noise(in, N, 1);
	for (uint32_t decimation = 1; decimation <= 5; decimation += 2) {
		char text[8];
		uint32_t made;

		snprintf(text, sizeof(text), "%u", decimation);
		mock_open(&m, "fir");
		mock_set_reals(&m, "taps", taps, 7);
		mock_set(&m, "decimation", text);
		start(&m);
		made = run_through(&m, in, N, out);
		assert_int_equal(made, (N + decimation - 1) / decimation);
		for (uint32_t i = 0; i < made; i++) {
			cf32 expected = 0;
			for (uint32_t k = 0; k < 7 && k <= i * decimation; k++)
				expected += taps[k] * in[i * decimation - k];
			assert_true(cabsf(out[i] - expected) < 1e-4f);
		}
		mock_close(&m);
	}
}

static void fir_interpolates(void **state)
{
	static const float taps[] = {1, 2, 3, 4, 5, 6, 7};
	static cf32 in[N], out[3 * N];
	struct mock m;

	(void)state;
	make_noise(in, N, 2);
	mock_open(&m, "fir");
	mock_set_reals(&m, "taps", taps, 7);
	mock_set(&m, "interpolation", "3");
	start(&m);
	assert_int_equal(run_through(&m, in, N, out), 3 * N);
	for (uint32_t i = 0; i < 3 * N; i++) {
		cf32 expected = 0;
		for (uint32_t k = i % 3; k < 7 && k <= i; k += 3)
			expected += taps[k] * in[(i - k) / 3];
		assert_true(cabsf(out[i] - expected) < 1e-3f);
	}
	mock_close(&m);
}

static void fir_refuses_both(void **state)
{
	static const float taps[] = {1, 1, 1};
	struct mock m;

	(void)state;
	mock_open(&m, "fir");
	mock_set_reals(&m, "taps", taps, 3);
	mock_set(&m, "decimation", "2");
	mock_set(&m, "interpolation", "3");
	mock_input(&m, 0, ALOE_CF32, 100);
	assert_int_equal(mock_start(&m), -1);
	assert_non_null(strstr(m.setup.error, "only one may differ from 1"));
	mock_close(&m);
}

/* ---- nco, agc ---- */

#define NCO_ERROR 4e-7f /* three roundings of a float, of each part */

/* The output turns by exactly frequency * n, of whatever sign and however small, without drift:
 * 10^7 items of each. */
static void nco_keeps_its_phase(void **state)
{
	enum { ITEMS = 10000, MESSAGES = 1000, EVERY = 97 };
	static const char *const frequencies[] = {"0", "1e-8", "-1e-8", "1e-7", "-1e-7", "-1e-3",
	    "0.25", "-0.25", "0.1", "-0.1", "0.33333333333333331", "-0.33333333333333331", "0.499",
	    "0.5", "-0.5", "2.3283064365386963e-10"};
	static cf32 ones[ITEMS];
	struct mock m;

	(void)state;
	for (uint32_t i = 0; i < ITEMS; i++)
		ones[i] = 1;
	for (size_t f = 0; f < sizeof(frequencies) / sizeof(frequencies[0]); f++) {
		const long double frequency = strtod(frequencies[f], NULL);

		mock_open(&m, "nco");
		mock_set(&m, "frequency", frequencies[f]);
		mock_set(&m, "initial_phase", f % 2 ? "-1" : "0.75");
		mock_input(&m, 0, ALOE_CF32, ITEMS);
		assert_int_equal(mock_start(&m), 0);
		for (uint64_t k = 0; k < MESSAGES; k++) {
			mock_give(&m, 0, ones, ITEMS);
			assert_int_equal(mock_work(&m, k), 0);
			for (uint64_t i = k % EVERY; i < ITEMS; i += EVERY) {
				const long double cycles =
				    (long double)(k * ITEMS + i) * frequency + (f % 2 ? 0 : 0.75L);
				const float error = cabsf(((const cf32 *)m.out[0].data)[i] -
				    turn((double)(cycles - floorl(cycles))));

				if (!(error < NCO_ERROR))
					fail_msg("frequency %s, item %llu: off by %g",
					    frequencies[f], (unsigned long long)(k * ITEMS + i),
					    (double)error);
			}
		}
		mock_close(&m);
	}
}

static void nco_turns_and_goes_on(void **state)
{
	static cf32 in[N], out[N];
	struct mock m;

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		in[i] = 1;
	mock_open(&m, "nco");
	mock_set(&m, "frequency", "0.0123");
	mock_set(&m, "initial_phase", "0.25");
	start(&m);
	run_through(&m, in, N, out);
	for (uint32_t i = 0; i < N; i++)
		assert_true(cabsf(out[i] - turn(0.25 + 0.0123 * i)) < NCO_ERROR);
	mock_set(&m, "frequency", "-0.1"); /* live: the phase does not jump */
	run_through(&m, in, N, out);
	for (uint32_t i = 0; i < 100; i++)
		assert_true(cabsf(out[i] - turn(0.25 + 0.0123 * N - 0.1 * i)) < NCO_ERROR);
	mock_close(&m);
}

static void agc_brings_every_level_to_one(void **state)
{
	static const float levels[] = {1e-3f, 0.3f, 1, 40};
	static cf32 in[20 * N], out[20 * N];

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct mock m;
		make_noise(in, 20 * N, 3);
		for (uint32_t n = 0; n < 20 * N; n++)
			in[n] *= levels[i];
		mock_open(&m, "agc");
		mock_set(&m, "bandwidth", "0.005");
		mock_set(&m, "level", "2");
		start(&m);
		run_through(&m, in, 20 * N, out);
		assert_true(fabs(mean_power(out + 15 * N, 5 * N) / 4 - 1) < 0.1);
		assert_true(
		    fabs(mock_var(&m, "gain_db") - 20 * log10(2 / (levels[i] * sqrt(2)))) < 1.5);
		mock_close(&m);
	}
}

static void agc_recovers_from_nonsense(void **state)
{
	static cf32 in[N], out[N];
	struct mock m;

	(void)state;
	make_noise(in, N, 4);
	for (uint32_t i = 100; i < 200; i++)
		in[i] = (float)NAN + (float)INFINITY * I;
	mock_open(&m, "agc");
	start(&m);
	run_through(&m, in, N, out);
	for (uint32_t i = 0; i < N; i++)
		assert_true(cabsf(out[i]) < 100);
	assert_true(mock_var(&m, "rejected") == 100);
	mock_close(&m);
}

/* ---- resample, rrc_interp ---- */

/* What is left of items when the tone of frequency f that fits them best is taken off, over what it
 * has. */
static double beside_tone(const cf32 *items, uint32_t n, double f, double *ret_amplitude)
{
	double complex sum = 0;
	double left = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (double complex)items[i] * conj((double complex)turn(fmod(f * i, 1)));
	sum /= n;
	for (uint32_t i = 0; i < n; i++) {
		const double complex error =
		    (double complex)items[i] - sum * (double complex)turn(fmod(f * i, 1));

		left += creal(error * conj(error));
	}
	*ret_amplitude = cabs(sum);
	return left / n / (cabs(sum) * cabs(sum));
}

/* In the pass band a tone keeps its amplitude and is alone; the number of items is exact, whatever
 * the message. */
static void rational_keeps_a_tone(void **state)
{
	static const uint32_t ratios[][2] = {{768, 625}, {625, 768}, {3, 2}, {2, 3}, {50, 40}};
	static cf32 in[20 * N], out[32 * N];

	(void)state;
	for (unsigned r = 0; r < sizeof(ratios) / sizeof(ratios[0]); r++) {
		const double ratio = (double)ratios[r][0] / ratios[r][1],
		             lower = ratio < 1 ? ratio : 1;

		for (double f = -0.35; f < 0.36; f += 0.05) { /* of the lower rate */
			const uint32_t block = ratios[r][1] == 40 ? 4 : ratios[r][1],
			               blocks = 10 * N / block;
			char text[2][32];
			double amplitude, beside;
			uint32_t made = 0;
			struct mock m;

			for (uint32_t i = 0; i < 10 * N; i++)
				in[i] = turn(fmod(f * lower * i, 1));
			snprintf(text[0], sizeof(text[0]), "%u", ratios[r][0]);
			snprintf(text[1], sizeof(text[1]), "%u", ratios[r][1]);
			mock_open(&m, "resample_rational");
			mock_set(&m, "interpolation", text[0]);
			mock_set(&m, "decimation", text[1]);
			mock_input(&m, 0, ALOE_CF32, 3 * block);
			assert_int_equal(mock_start(&m), 0);
			for (uint32_t b = 0, more = 1; b + more <= blocks;
			     b += more, more = 1 + b % 3) {
				mock_give(&m, 0, in + (size_t)b * block, more * block);
				assert_int_equal(mock_work(&m, b), 0);
				assert_int_equal(
				    m.out[0].len, more * block * ratios[r][0] / ratios[r][1]);
				memcpy(out + made, m.out[0].data, m.out[0].len * sizeof(cf32));
				made += m.out[0].len;
			}
			beside =
			    beside_tone(out + made / 2, made / 2, f * lower / ratio, &amplitude);
			if (!(fabs(20 * log10(amplitude)) < 0.02) || !(10 * log10(beside) < -55))
				fail_msg("%u / %u at %.2f: %.4f dB, %.1f dB beside", ratios[r][0],
				    ratios[r][1], f, 20 * log10(amplitude), 10 * log10(beside));
			assert_true(mock_var(&m, "dropped") == 0);
			mock_close(&m);
		}
	}
}

static void rational_wants_groups(void **state)
{
	static const cf32 zeros[12];
	struct mock m;

	(void)state;
	mock_open(&m, "resample_rational");
	mock_set(&m, "interpolation", "6");
	mock_set(&m, "decimation", "8");
	mock_input(&m, 0, ALOE_CF32, 10);
	assert_int_equal(mock_start(&m), -1);
	assert_string_equal(
	    m.setup.error, "messages of up to 10 items are no whole number of groups of 4");
	mock_input(&m, 0, ALOE_CF32, 12);
	assert_int_equal(mock_start(&m), 0);
	assert_int_equal(m.out[0].max, 9);
	mock_give(&m, 0, zeros, 11);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(m.out[0].len, 6);
	assert_true(mock_var(&m, "dropped") == 3);
	mock_close(&m);
}

/* A tone keeps its amplitude and its frequency in Hz; the number of items is the ratio's. */
static void resample_keeps_a_tone(void **state)
{
	static const double ratios[] = {0.1, 0.37, 0.9999, 1, 1.0001, 1.5, 3.3, 7.9};
	static cf32 in[10 * N], out[80 * N];

	(void)state;
	for (unsigned r = 0; r < sizeof(ratios) / sizeof(ratios[0]); r++) {
		const double f = 0.01;
		char text[32];
		uint32_t made;
		struct mock m;

		for (uint32_t i = 0; i < 10 * N; i++)
			in[i] = turn(f * i);
		snprintf(text, sizeof(text), "%g", ratios[r]);
		mock_open(&m, "resample");
		mock_set(&m, "ratio", text);
		start(&m);
		made = run_through(&m, in, 10 * N, out);
		assert_true(fabs(made - ratios[r] * 10 * N) < 20 + 2 * ratios[r]);
		for (uint32_t i = made / 2; i + 1 < made; i++) {
			const double step =
			    carg((double complex)out[i + 1] * conj((double complex)out[i])) /
			    (2 * M_PI);
			assert_true(fabsf(cabsf(out[i]) - 1) < 0.02f);
			assert_true(fabs(step - f / ratios[r]) < 0.003);
		}
		assert_true(mock_var(&m, "dropped") == 0);
		mock_close(&m);
	}
}

static void rrc_interp_keeps_the_power(void **state)
{
	static const char *const samples[] = {"2", "4", "8"};
	static cf32 symbols[10 * N], out[80 * N];

	(void)state;
	for (int s = 0; s < 3; s++) {
		struct mock m;
		uint8_t bits[10 * N];
		uint32_t made;

		random_bits(1, 1, bits, 10 * N);
		for (uint32_t i = 0; i < 10 * N; i++)
			symbols[i] = bits[i] ? -1 : 1;
		mock_open(&m, "rrc_interp");
		mock_set(&m, "samples_per_symbol", samples[s]);
		start(&m);
		made = run_through(&m, symbols, 10 * N, out);
		assert_int_equal(made, 10 * N * (uint32_t)atoi(samples[s]));
		assert_true(fabs(mean_power(out, made) - 1) < 0.01);
		mock_close(&m);
	}
}

/* ---- modem ---- */

static void modem_there_and_back(void **state)
{
	struct mock m;
	uint8_t bits[840];
	unsigned schemes = 0;

	(void)state;
	random_bits(5, 5, bits, 840);
	mock_open(&m, "modem_mod");
	while (m.component->params.items[0].names[schemes])
		schemes++;
	for (unsigned s = 0; s < schemes; s++) {
		const char *name = m.component->params.items[0].names[s];
		struct mock mod, demod;

		mock_open(&mod, "modem_mod");
		assert_int_equal(mock_set(&mod, "scheme", name), 0);
		mock_input(&mod, 0, ALOE_BIT, 840);
		assert_int_equal(mock_start(&mod), 0);
		mock_open(&demod, "modem_demod");
		assert_int_equal(mock_set(&demod, "scheme", name), 0);
		mock_input(&demod, 0, ALOE_CF32, 840);
		assert_int_equal(mock_start(&demod), 0);
		mock_give(&mod, 0, bits, 840);
		assert_int_equal(mock_work(&mod, 0), 0);
		assert_true(fabs(mean_power(mod.out[0].data, mod.out[0].len) - 1) < 0.2);
		mock_give(&demod, 0, mod.out[0].data, mod.out[0].len);
		assert_int_equal(mock_work(&demod, 0), 0);
		assert_int_equal(demod.out[0].len, 840);
		/* The first symbol of a differential scheme has nothing before it. */
		assert_memory_equal((uint8_t *)demod.out[0].data + 3, bits + 3, 837);
		assert_true(mock_var(&demod, "evm_db") < -40);
		mock_close(&mod);
		mock_close(&demod);
	}
	assert_true(schemes >= 15);
	mock_close(&m);
}

static void modem_counts_part_symbols(void **state)
{
	struct mock m;
	const uint8_t bits[7] = {0};

	(void)state;
	mock_open(&m, "modem_mod");
	mock_set(&m, "scheme", "qam16");
	mock_input(&m, 0, ALOE_BIT, 7);
	assert_int_equal(mock_start(&m), 0);
	mock_give(&m, 0, bits, 7);
	mock_work(&m, 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	assert_true(mock_var(&m, "short_blocks") == 1);
	mock_close(&m);
}

/* ---- synchronisers ---- */

/* Symbols of either scheme with a carrier: the loop takes it off and says what it was. */
static void carrier_loop_finds_the_carrier(void **state)
{
	static const char *const schemes[] = {"bpsk", "qpsk"};
	static cf32 in[10 * N], out[10 * N];

	(void)state;
	for (int s = 0; s < 2; s++) {
		struct mock m;
		uint32_t words[10 * N];

		random_words(8, 8, words, 10 * N);
		for (uint32_t i = 0; i < 10 * N; i++) {
			const double symbol =
			    s ? (words[i] % 4) * 0.25 + 0.125 : (words[i] % 2) * 0.5;
			in[i] = turn(symbol + 0.0007 * i + 0.1);
		}
		mock_open(&m, "carrier_loop");
		mock_set(&m, "scheme", schemes[s]);
		start(&m);
		run_through(&m, in, 10 * N, out);
		assert_true(fabs(mock_var(&m, "frequency") - 0.0007) < 1e-5);
		assert_true(mock_var(&m, "phase_error") < 0.01);
		for (uint32_t i = 8 * N; i < 10 * N; i++) {
			const double angle =
			    carg(out[i]) / (2 * M_PI) * (s ? 4 : 2) + (s ? 0.5 : 0.0);
			assert_true(fabs(angle - nearbyint(angle)) < 0.02);
		}
		mock_close(&m);
	}
}

/* Pulses shifted by any part of a sample: the symbols come out with hardly any interference. */
static void symsync_finds_the_symbols(void **state)
{
	static cf32 symbols[10 * N], pulses[20 * N], shifted[21 * N], out[11 * N];

	(void)state;
	for (int shift = 0; shift < 4; shift++) {
		struct mock pulse, clock, sync;
		uint8_t bits[10 * N];
		uint32_t n, made;
		double squares = 0;

		random_bits(2, 2, bits, 10 * N);
		for (uint32_t i = 0; i < 10 * N; i++)
			symbols[i] = bits[i] ? -1 : 1;
		mock_open(&pulse, "rrc_interp");
		start(&pulse);
		n = run_through(&pulse, symbols, 10 * N, pulses);
		mock_open(&clock, "resample");
		mock_set(&clock, "ratio", shift % 2 ? "1.00005" : "0.99995");
		start(&clock);
		n = run_through(&clock, pulses, n, shifted);
		mock_open(&sync, "symsync");
		start(&sync);
		made = run_through(&sync, shifted + shift, n - 10, out);
		assert_true(fabs(made - 10.0 * N) < 30);
		for (uint32_t i = 10000; i < made; i++) {
			const float error = fabsf(crealf(out[i])) - 1;
			squares += error * error;
			assert_true(fabsf(cimagf(out[i])) < 0.05f);
		}
		assert_true(10 * log10(squares / (made - 10000)) < -20);
		mock_close(&pulse);
		mock_close(&clock);
		mock_close(&sync);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fir_is_a_convolution),
	    cmocka_unit_test(fir_interpolates),
	    cmocka_unit_test(fir_refuses_both),
	    cmocka_unit_test(nco_keeps_its_phase),
	    cmocka_unit_test(nco_turns_and_goes_on),
	    cmocka_unit_test(agc_brings_every_level_to_one),
	    cmocka_unit_test(agc_recovers_from_nonsense),
	    cmocka_unit_test(resample_keeps_a_tone),
	    cmocka_unit_test(rational_keeps_a_tone),
	    cmocka_unit_test(rational_wants_groups),
	    cmocka_unit_test(rrc_interp_keeps_the_power),
	    cmocka_unit_test(modem_there_and_back),
	    cmocka_unit_test(modem_counts_part_symbols),
	    cmocka_unit_test(carrier_loop_finds_the_carrier),
	    cmocka_unit_test(symsync_finds_the_symbols),
	};

	/* Stays loaded, so that a leak checker can name what liquid itself leaves behind
	 * (tests/leaks). */
	if (!dlopen("libliquid.so.1", RTLD_LAZY))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
