/* SPDX-License-Identifier: BSD-3-Clause
 * core/scope: levels of tones and of noise to 0.1 dB, at their frequencies; EVM, densities, eyes
 * and bits; what a signal has not; values that are no numbers; figures as text. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/scope/scope.h"

#include <aloe/component.h>

enum { N = 1 << 18, FFT = 1024 };

static char why[160];

static uint64_t seed = 1;

static double uniform(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* A tone of a level at a share of the rate, and noise of a level in all of the band. */
static struct scope_signal made(bool is_complex, double tone_db, double share, double noise_db)
{
	const double tone = pow(10, tone_db / 20) * (is_complex ? 1 : sqrt(2)),
	             noise = pow(10, noise_db / 20) * (is_complex ? sqrt(0.5) : 1);
	float *items = malloc(N * 2 * sizeof(*items));
	struct scope_signal signal;

	assert_non_null(items);
	for (size_t i = 0; i < N; i++) {
		const double phase = 2 * M_PI * share * (double)i;

		if (is_complex) {
			items[2 * i] = (float)(tone * cos(phase) + noise * gauss());
			items[2 * i + 1] = (float)(tone * sin(phase) + noise * gauss());
		} else {
			items[i] = (float)(tone * cos(phase) + noise * gauss());
		}
	}
	assert_int_equal(scope_take(is_complex ? ALOE_CF32 : ALOE_F32, items,
	                     N * sizeof(float) * (is_complex ? 2 : 1), &signal),
	    0);
	free(items);
	return signal;
}

static struct scope_figure look(const struct scope_signal *signal, struct scope_options options)
{
	struct scope_figure figure = {.n = 0};

	assert_int_equal(scope_look(signal, &options, &figure, why, sizeof(why)), 0);
	return figure;
}

static size_t highest(const struct scope_figure *figure)
{
	size_t best = 0;

	for (size_t i = 0; i < figure->n; i++)
		if (figure->y[i] > figure->y[best])
			best = i;
	return best;
}

/* The mean power of the lines that are far from the tone. */
static double floor_db(const struct scope_figure *figure, size_t tone)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 20; i + 20 < figure->n; i++)
		if (i + 20 < tone || i > tone + 20) {
			sum += pow(10, figure->y[i] / 10);
			n++;
		}
	return 10 * log10(sum / (double)n);
}

static void assert_near(double found, double wanted, double within)
{
	if (!(fabs(found - wanted) <= within))
		fail_msg("%g is not within %g of %g", found, within, wanted);
}

/* The share lies between two lines, where a window errs most. */
static void levels_check(bool is_complex, double share, enum scope_window window, double lines)
{
	struct scope_signal signal = made(is_complex, -20, share, -30);
	struct scope_figure figure;
	double power[FFT], rbw = 0;
	size_t blocks = 0, tone;

	signal.rate_hz = 1e6;
	signal.centre_hz = 100e6;
	figure = look(&signal, (struct scope_options){.view = SCOPE_SPECTRUM, .window = window});
	tone = highest(&figure);
	assert_int_equal(scope_power(&signal, FFT, window, power, &rbw, &blocks), 0);
	assert_int_equal(blocks, 2 * N / FFT - 1);
	assert_near(rbw * FFT, lines, 0.001);
	assert_near(figure.x[tone], 100e6 + share * 1e6, 0.51 * 1e6 / FFT);
	/* on a line the tone is right with any window */
	assert_near(figure.y[tone], -20, 0.1);
	/* noise is spread over the rate, or over half of it */
	assert_near(floor_db(&figure, tone), -30 + 10 * log10(rbw * (is_complex ? 1 : 2)), 0.1);
	scope_figure_fini(&figure);
	scope_signal_fini(&signal);
}

static void test_levels(void **state)
{
	(void)state;
	levels_check(true, 100.5 / FFT, SCOPE_FLATTOP, 3.770);
	levels_check(true, -300.3 / FFT, SCOPE_FLATTOP, 3.770);
	levels_check(false, 77.5 / FFT, SCOPE_FLATTOP, 3.770);
	levels_check(true, 200.0 / FFT, SCOPE_HANN, 1.5);
}

/* 0 dBFS is the largest number of 16 bits, and a tone of amplitude 1. */
static void test_full_scale(void **state)
{
	int16_t *whole = malloc(N * 2 * sizeof(*whole));
	struct scope_signal signal;
	struct scope_figure figure;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		whole[2 * i] = (int16_t)lrint(32767 * cos(2 * M_PI * 0.1 * (double)i));
		whole[2 * i + 1] = (int16_t)lrint(32767 * sin(2 * M_PI * 0.1 * (double)i));
	}
	assert_int_equal(scope_take(ALOE_CI16, whole, N * 4, &signal), 0);
	figure = look(&signal, (struct scope_options){.view = SCOPE_SPECTRUM});
	assert_near(figure.y[highest(&figure)], 0, 0.1);
	assert_near(figure.x[highest(&figure)], 0.1, 0.51 / FFT);
	assert_string_equal(figure.y_label, "level in dBFS");
	assert_non_null(strstr(figure.title, "flat top window, RBW 0.00368"));
	scope_figure_fini(&figure);
	scope_signal_fini(&signal);
	free(whole);
}

/* A tone that jumps half way is seen so in the waterfall. */
static void test_waterfall(void **state)
{
	struct scope_signal signal = made(true, -10, 0.25, -60),
	                    other = made(true, -10, -0.25, -60);
	struct scope_figure figure;

	(void)state;
	memcpy(signal.iq + N, other.iq + N, N * sizeof(float));
	figure = look(&signal, (struct scope_options){.view = SCOPE_WATERFALL, .fft = 64});
	assert_int_equal(figure.columns, 64);
	assert_int_equal(figure.rows, 200);
	assert_near(figure.y[10 * 64 + 48], -10, 0.1);
	assert_near(figure.y[190 * 64 + 16], -10, 0.1);
	assert_true(figure.y[10 * 64 + 16] < -60 && figure.y[190 * 64 + 48] < -60);
	scope_figure_fini(&figure);
	scope_signal_fini(&signal);
	scope_signal_fini(&other);
}

/* Points of a modulation with an error of 10 % of their power, scaled by what the scope does not
 * know. */
static void evm_check(enum scope_modulation modulation, int levels, size_t n)
{
	const double points = modulation == SCOPE_BPSK ? 1 : 2.0 * (levels * levels - 1) / 3,
	             error = 0.05 * sqrt(points / 2);
	float *items = calloc(n * 2, sizeof(*items));
	struct scope_signal signal;
	struct scope_figure figure;
	double evm = 0, cells = 0;

	for (size_t i = 0; i < n; i++) {
		const int re = 2 * (int)(uniform() * levels) - levels + 1,
		          im = modulation == SCOPE_BPSK
		    ? 0
		    : 2 * (int)(uniform() * levels) - levels + 1;

		items[2 * i] = (float)(0.01 * (re + error * gauss()));
		items[2 * i + 1] = (float)(0.01 * (im + error * gauss()));
	}
	assert_int_equal(scope_take(ALOE_CF32, items, n * 8, &signal), 0);
	figure = look(
	    &signal, (struct scope_options){.view = SCOPE_CONSTELLATION, .modulation = modulation});
	assert_int_equal(sscanf(strstr(figure.title, "EVM"), "EVM %lf %%", &evm), 1);
	assert_near(evm, 5, 0.2);
	assert_int_equal(figure.kind, n > SCOPE_DOTS_MAX ? SCOPE_HEAT : SCOPE_DOTS);
	for (size_t i = 0; figure.kind == SCOPE_HEAT && i < figure.rows * figure.columns; i++)
		cells += figure.y[i];
	assert_true(figure.kind == SCOPE_DOTS || cells == (double)n);
	scope_figure_fini(&figure);
	scope_signal_fini(&signal);
	free(items);
}

static void test_constellation(void **state)
{
	(void)state;
	evm_check(SCOPE_BPSK, 2, 10000);
	evm_check(SCOPE_QPSK, 2, 20000);
	evm_check(SCOPE_QAM16, 4, 20000);
}

static void test_others(void **state)
{
	uint8_t bits[200];
	float values[] = {-1, 1, 0.5f, NAN, INFINITY, 0.5f, -0.5f, 0};
	struct scope_signal signal;
	struct scope_figure figure;
	double counted = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bits); i++)
		bits[i] = i % 3 == 0;
	assert_int_equal(scope_take(ALOE_BIT, bits, sizeof(bits), &signal), 0);
	figure = look(&signal, (struct scope_options){.view = SCOPE_BITS});
	assert_int_equal(figure.rows, 3);
	assert_true(figure.y[0] == 1 && figure.y[1] == 0 && figure.y[64 + 2] == 1);
	scope_figure_fini(&figure);
	scope_signal_fini(&signal);

	assert_int_equal(scope_take(ALOE_F32, values, sizeof(values), &signal), 0);
	figure = look(&signal, (struct scope_options){.view = SCOPE_HISTOGRAM});
	for (size_t i = 0; i < figure.n; i++)
		counted += figure.y[i];
	assert_true(counted == 6 && figure.y[0] == 1 && figure.y[figure.n - 1] == 1);
	scope_figure_fini(&figure);
	figure = look(&signal, (struct scope_options){.view = SCOPE_EYE, .symbol = 2});
	assert_int_equal(figure.n, 2 * 6);
	assert_true(isnan(figure.y[5]) && figure.y[6] == 0.5);
	scope_figure_fini(&figure);
	scope_signal_fini(&signal);
}

static void test_refused(void **state)
{
	float values[16] = {0};
	struct scope_signal signal, eight;
	struct scope_figure figure = {.n = 0};
	const struct {
		const struct scope_signal *signal;
		struct scope_options options;
		const char *words;
	} wrong[] = {{&signal, {.view = SCOPE_CONSTELLATION}, "complex"},
	    {&signal, {.view = SCOPE_BITS}, "type bit"},
	    {&eight, {.view = SCOPE_SPECTRUM}, "at least 16 samples"},
	    {&eight, {.view = SCOPE_WATERFALL}, "at least 16 samples"},
	    {&eight, {.view = SCOPE_EYE, .symbol = 8}, "is 17 long"},
	    {&eight, {.view = SCOPE_EYE}, "at least 2"}};

	(void)state;
	assert_int_equal(scope_take(ALOE_F32, values, sizeof(values), &signal), 0);
	assert_int_equal(scope_take(ALOE_CF32, values, sizeof(values), &eight), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(
		    scope_look(wrong[i].signal, &wrong[i].options, &figure, why, sizeof(why)),
		    -EINVAL);
		assert_non_null(strstr(why, wrong[i].words));
		assert_null(figure.x);
	}
	scope_signal_fini(&signal);
	scope_signal_fini(&eight);
	assert_int_equal(scope_take(ALOE_F32, values, 3, &signal), -ENODATA);
	assert_int_equal(scope_take(0, values, 4, &signal), -EINVAL);
}

static char *text_of(const struct scope_figure *figure, char kind)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	if (kind == 'c')
		scope_csv(figure, out);
	else if (kind == 'g')
		scope_gnuplot(figure, "it's", out);
	else
		assert_int_equal(scope_text(figure, 40, 10, false, out), 0);
	fclose(out);
	return text;
}

/* A picture has the unit that makes its numbers short; values are in Hz. */
static void test_units(void **state)
{
	static const struct {
		double rate_hz, centre_hz;
		const char *label, *scaled;
	} cases[] = {{0, 0, "'frequency in shares of the rate'", "using ($1/1):2"},
	    {1000, 0, "'frequency in Hz'", "using ($1/1):2"},
	    {912e3, 0, "'frequency in kHz'", "using ($1/1000):2"},
	    {912e3, 100e6, "'frequency in MHz'", "using ($1/1e+06):2"},
	    {912e3, -2.4e9, "'frequency in GHz'", "using ($1/1e+09):2"}};
	struct scope_signal signal = made(true, 0, 0.1, -60);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scope_figure figure;
		char *text;

		signal.rate_hz = cases[i].rate_hz;
		signal.centre_hz = cases[i].centre_hz;
		figure = look(&signal, (struct scope_options){.view = SCOPE_SPECTRUM});
		text = text_of(&figure, 'g');
		assert_non_null(strstr(text, cases[i].label));
		assert_non_null(strstr(text, cases[i].scaled));
		free(text);
		scope_figure_fini(&figure);
	}
	scope_signal_fini(&signal);
}

static void test_texts(void **state)
{
	static const float values[] = {0, 1, 0, -1};
	static const char lines[] = "value\n"
	                            "         1 |         *                  \n"
	                            "           |                            \n"
	                            "           |*                 *         \n"
	                            "      -0.2 |                            \n"
	                            "           |                            \n"
	                            "        -1 |                           *\n"
	                            "           +----------------------------\n"
	                            "            0                          3\n"
	                            "            sample\n";
	struct scope_signal signal;
	struct scope_figure figure;
	char *text;

	(void)state;
	assert_int_equal(scope_take(ALOE_F32, values, sizeof(values), &signal), 0);
	figure = look(&signal, (struct scope_options){.view = SCOPE_TIME});
	text = text_of(&figure, 'c');
	assert_string_equal(text, "sample,value\n0,0\n1,1\n2,0\n3,-1\n");
	free(text);
	text = text_of(&figure, 't');
	assert_string_equal(text, lines);
	free(text);
	text = text_of(&figure, 'g');
	assert_non_null(strstr(text, "set title 'it''s' noenhanced\n"));
	assert_non_null(strstr(text, "$data0 << END\n0 0\n1 1\n2 0\n3 -1\nEND\nplot $data0 using"));
	free(text);
	scope_figure_fini(&figure);
	scope_signal_fini(&signal);
}

/* ---- what goes on ---- */

/* A figure of `n` lines from `low` on, all of the same level. */
static struct scope_figure level_figure(size_t n, double low, double db)
{
	struct scope_figure figure = {.kind = SCOPE_LINES, .n = n, .n_series = 1};

	figure.x = calloc(n + 1, sizeof(double));
	figure.y = calloc(n + 1, sizeof(double));
	for (size_t i = 0; i < n; i++) {
		figure.x[i] = low + (double)i;
		figure.y[i] = db;
	}
	return figure;
}

static double averaged(double db, double low, unsigned over, struct scope_averaged *state)
{
	struct scope_figure figure = level_figure(3, low, db);
	double mean;

	assert_int_equal(scope_average(&figure, over, state), 0);
	mean = figure.y[1];
	scope_figure_fini(&figure);
	return mean;
}

/* Powers are averaged, not levels. */
static void test_average(void **state)
{
	struct scope_averaged so_far = {.n = 0};

	(void)state;
	assert_true(isnan(averaged(NAN, 0, 4, &so_far))); /* there is no mean yet */
	assert_int_equal(so_far.count, 0);
	assert_float_equal(averaged(0, 0, 4, &so_far), 0, 1e-9);
	assert_float_equal(averaged(10, 0, 4, &so_far), 10 * log10(5.5), 1e-9);
	assert_float_equal(averaged(-90, 0, 0, &so_far), 10 * log10(5.5), 1e-9); /* only shown */
	assert_int_equal(so_far.count, 2);
	assert_float_equal(averaged(INFINITY, 0, 4, &so_far), 10 * log10(5.5), 1e-9);
	assert_int_equal(so_far.count, 2); /* a figure that is not finite is none */
	assert_float_equal(averaged(0, 0, 4, &so_far), 10 * log10(5.5 + (1 - 5.5) / 3), 1e-9);
	for (int i = 0; i < 200; i++)
		averaged(20, 0, 4, &so_far);
	assert_int_equal(so_far.count, 4);
	assert_float_equal(averaged(20, 0, 4, &so_far), 20, 1e-6);
	assert_float_equal(averaged(3, 7, 4, &so_far), 3, 1e-9); /* other lines: anew */
	assert_int_equal(so_far.count, 1);
	scope_average_fini(&so_far);
}

static void test_span(void **state)
{
	static const struct {
		unsigned halvings;
		bool low;
		size_t n;
		double first;
	} spans[] = {{0, false, 64, 0}, {1, false, 32, 16}, {2, false, 16, 24}, {2, true, 16, 0},
	    {5, false, 2, 31}, {40, false, 2, 31}};

	(void)state;
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		struct scope_figure lines = level_figure(64, 0, 1),
		                    heat = {.kind = SCOPE_HEAT,
		                        .rows = 2,
		                        .columns = 64,
		                        .x_low = 100,
		                        .x_high = 163,
		                        .y = calloc(128, sizeof(double))};

		for (size_t c = 0; c < 128; c++)
			heat.y[c] = (double)c;
		scope_span(&lines, spans[i].halvings, spans[i].low);
		scope_span(&heat, spans[i].halvings, spans[i].low);
		assert_int_equal(lines.n, spans[i].n);
		assert_float_equal(lines.x[0], spans[i].first, 1e-9);
		assert_int_equal(heat.columns, spans[i].n);
		assert_float_equal(heat.x_low, 100 + spans[i].first, 1e-9);
		assert_float_equal(heat.x_high, 99 + spans[i].first + (double)spans[i].n, 1e-9);
		assert_float_equal(heat.y[0], spans[i].first, 1e-9);
		assert_float_equal(heat.y[spans[i].n], 64 + spans[i].first, 1e-9);
		scope_figure_fini(&lines);
		scope_figure_fini(&heat);
	}
}

/* Characters that take a place; colours take none. */
static size_t places_of(const char *line, const char *end)
{
	size_t n = 0;

	for (; line < end; line++) {
		if (*line == '\033')
			line += strcspn(line, "m");
		else
			n++;
	}
	return n;
}

static void fits(const struct scope_figure *figure, uint32_t columns, uint32_t rows, bool colours)
{
	char *text = NULL;
	size_t len = 0, lines = 0;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(scope_text(figure, columns, rows, colours, out), 0);
	fclose(out);
	for (const char *at = text; *at; at = strchr(at, '\n') + 1, lines++)
		if (places_of(at, strchr(at, '\n')) > columns)
			fail_msg("more than %u columns: %s", columns, at);
	assert_in_range(lines, 5, rows);
	assert_int_equal(strchr(text, '\033') != NULL, colours);
	free(text);
}

/* All views in all sizes, of values as large and small as there are. */
static void test_fits(void **state)
{
	static const float scales[] = {1, 1e30f, 1e-30f, INFINITY, NAN};
	static float values[2 * 12000];

	(void)state;
	for (size_t s = 0; s < sizeof(scales) / sizeof(scales[0]); s++)
		for (int view = SCOPE_TIME; view < SCOPE_BITS; view++) {
			struct scope_signal signal;
			struct scope_figure figure;

			for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
				values[i] = scales[s] * (float)((i * 7919) % 997) / 500 - scales[s];
			assert_int_equal(scope_take(ALOE_CF32, values, sizeof(values), &signal), 0);
			signal.rate_hz = 1.2345678901e9;
			signal.centre_hz = -9.87654321e11;
			figure = look(&signal,
			    (struct scope_options){.view = (enum scope_view)view, .symbol = 8});
			for (uint32_t columns = SCOPE_TEXT_COLUMNS; columns < 400; columns += 53)
				for (uint32_t rows = SCOPE_TEXT_ROWS; rows < 120; rows += 17) {
					fits(&figure, columns, rows, false);
					fits(&figure, columns, rows, true);
				}
			scope_figure_fini(&figure);
			scope_signal_fini(&signal);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_levels),
	    cmocka_unit_test(test_full_scale),
	    cmocka_unit_test(test_waterfall),
	    cmocka_unit_test(test_constellation),
	    cmocka_unit_test(test_others),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_units),
	    cmocka_unit_test(test_texts),
	    cmocka_unit_test(test_average),
	    cmocka_unit_test(test_span),
	    cmocka_unit_test(test_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
