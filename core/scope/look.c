/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The views. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/scope/scope.h"

enum {
	FFT_USUAL = 1024,
	TIME_MAX = 4096, /* samples */
	ROWS_MAX = 200,  /* of a waterfall */
	GRID = 100,      /* of a density */
	BINS = 64,
	TRACES_MAX = 300,
	BITS_WIDTH = 64,
	BITS_ROWS = 16
};

struct scope_looking { /* a figure, while it is made */
	const struct scope_signal *signal;
	const struct scope_options *options;
	struct scope_figure *figure;
	char *why;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static int look_refuse(
    const struct scope_looking *look, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(look->why, look->size, format, args);
	va_end(args);
	return -EINVAL;
}

static int values_new(struct scope_figure *figure, enum scope_kind kind, size_t n, size_t n_series)
{
	figure->kind = kind;
	figure->n = n;
	figure->n_series = n_series;
	figure->x = calloc(n + 1, sizeof(*figure->x));
	figure->y = calloc(n * n_series + 1, sizeof(*figure->y));
	return figure->x && figure->y ? 0 : -ENOMEM;
}

static int heat_new(struct scope_figure *figure, size_t rows, size_t columns)
{
	figure->kind = SCOPE_HEAT;
	figure->rows = rows;
	figure->columns = columns;
	figure->y = calloc(rows * columns + 1, sizeof(*figure->y));
	return figure->y ? 0 : -ENOMEM;
}

static void labels_set(struct scope_figure *figure, const char *x, const char *y, const char *z)
{
	snprintf(figure->x_label, sizeof(figure->x_label), "%s", x);
	snprintf(figure->y_label, sizeof(figure->y_label), "%s", y);
	snprintf(figure->z_label, sizeof(figure->z_label), "%s", z);
}

/* Parts of a complex signal, or the one of a real signal. */
static size_t parts_name(const struct scope_looking *look)
{
	look->figure->series[0] = look->signal->is_complex ? "I" : "value";
	look->figure->series[1] = "Q";
	return look->signal->is_complex ? 2 : 1;
}

static int look_time(const struct scope_looking *look)
{
	const struct scope_signal *signal = look->signal;
	struct scope_figure *figure = look->figure;
	const size_t n = signal->n < TIME_MAX ? signal->n : TIME_MAX, parts = parts_name(look);

	if (values_new(figure, SCOPE_LINES, n, parts) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		figure->x[i] = signal->rate_hz > 0 ? (double)i / signal->rate_hz : (double)i;
		for (size_t p = 0; p < parts; p++)
			figure->y[p * n + i] = signal->iq[2 * i + p];
	}
	labels_set(figure, signal->rate_hz > 0 ? "time in s" : "sample", "value", "");
	snprintf(figure->title, sizeof(figure->title), "samples 0 to %zu of %zu", n - 1, signal->n);
	return 0;
}

/* ---- frequencies ---- */

static uint32_t fft_choose(const struct scope_looking *look, uint32_t usual)
{
	uint32_t fft = look->options->fft ? look->options->fft : usual;

	while (fft > look->signal->n && fft > SCOPE_FFT_MIN)
		fft /= 2;
	return fft;
}

/* The frequency of a line in Hz, or as a share of the rate. */
static double line_frequency(const struct scope_signal *signal, uint32_t fft, double line)
{
	const double share = (line - (signal->is_complex ? fft / 2 : 0)) / fft;

	return signal->rate_hz > 0 ? signal->centre_hz + share * signal->rate_hz : share;
}

static void spectrum_title(
    const struct scope_looking *look, uint32_t fft, double rbw, size_t blocks)
{
	const char *window = look->options->window == SCOPE_HANN ? "Hann" : "flat top";
	const double rate = look->signal->rate_hz;

	snprintf(look->figure->title, sizeof(look->figure->title),
	    "Welch, %zu block%s of %u, %s window, RBW %.6g %s", blocks, blocks == 1 ? "" : "s", fft,
	    window, rate > 0 ? rbw * rate : rbw, rate > 0 ? "Hz" : "of the rate");
}

static double level_db(double power)
{
	return isnan(power) ? NAN : 10 * log10(fmax(power, 1e-30));
}

static int spectrum_wanted(const struct scope_looking *look, uint32_t fft)
{
	if (fft < SCOPE_FFT_MIN || look->signal->n < fft)
		return look_refuse(look, "a spectrum needs at least %d samples, and there are %zu",
		    SCOPE_FFT_MIN, look->signal->n);
	return 0;
}

static int look_spectrum(const struct scope_looking *look)
{
	struct scope_figure *figure = look->figure;
	const uint32_t fft = fft_choose(look, FFT_USUAL);
	const size_t n = look->signal->is_complex ? fft : fft / 2 + 1;
	size_t blocks = 0;
	double rbw = 0;
	int rc = spectrum_wanted(look, fft);

	if (rc == 0)
		rc = values_new(figure, SCOPE_LINES, n, 1);
	if (rc == 0)
		rc =
		    scope_power(look->signal, fft, look->options->window, figure->y, &rbw, &blocks);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++) {
		figure->x[i] = line_frequency(look->signal, fft, (double)i);
		figure->y[i] = level_db(figure->y[i]);
	}
	figure->series[0] = "level";
	labels_set(figure,
	    look->signal->rate_hz > 0 ? "frequency in Hz" : "frequency in shares of the rate",
	    "level in dBFS", "");
	spectrum_title(look, fft, rbw, blocks);
	return 0;
}

/* A row is the spectrum of as many samples as all others. */
static int look_waterfall(const struct scope_looking *look)
{
	struct scope_figure *figure = look->figure;
	const struct scope_signal *signal = look->signal;
	const uint32_t fft = fft_choose(look, signal->n < 4096 ? 64 : 256);
	const size_t columns = signal->is_complex ? fft : fft / 2 + 1, most = signal->n / fft,
	             rows = most < ROWS_MAX ? most : ROWS_MAX;
	size_t blocks = 0;
	double rbw = 0;
	int rc = spectrum_wanted(look, fft);

	if (rc == 0)
		rc = heat_new(figure, rows, columns);
	for (size_t r = 0; rc == 0 && r < rows; r++) {
		struct scope_signal part = *signal;

		part.iq = signal->iq + 2 * (signal->n / rows * r);
		part.n = signal->n / rows;
		rc = scope_power(
		    &part, fft, look->options->window, figure->y + r * columns, &rbw, &blocks);
	}
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < rows * columns; i++)
		figure->y[i] = level_db(figure->y[i]);
	figure->x_low = line_frequency(signal, fft, 0);
	figure->x_high = line_frequency(signal, fft, (double)columns - 1);
	figure->y_high = rows > 1 ? (double)(signal->n / rows * (rows - 1)) : 0;
	figure->y_high /= signal->rate_hz > 0 ? signal->rate_hz : 1;
	labels_set(figure,
	    signal->rate_hz > 0 ? "frequency in Hz" : "frequency in shares of the rate",
	    signal->rate_hz > 0 ? "time in s" : "sample", "level in dBFS");
	spectrum_title(look, fft, rbw, blocks);
	return 0;
}

/* ---- values ---- */

float scope_most(const struct scope_signal *signal)
{
	float most = 0;

	for (size_t i = 0; i < 2 * signal->n; i++)
		if (isfinite(signal->iq[i]) && fabsf(signal->iq[i]) > most)
			most = fabsf(signal->iq[i]);
	return most > 0 ? most : 1;
}

/* The nearest of `levels` values of a part, -levels + 1 .. levels - 1 in steps of 2. */
static double nearest_of(double part, int levels)
{
	const double at = 2 * floor(part / 2) + 1;

	return fmax(-levels + 1, fmin(levels - 1, at));
}

/* The root mean square of the errors in percent of the points', once the signal has the power of
 * the points. */
static double evm_percent(const struct scope_signal *signal, enum scope_modulation modulation)
{
	static const int levels[] = {0, 2, 2, 4, 8};
	const int per_part = levels[modulation];
	const double points = modulation == SCOPE_BPSK ? 1 : 2.0 * (per_part * per_part - 1) / 3;
	double power = 0, error = 0, gain;

	for (size_t i = 0; i < 2 * signal->n; i++)
		power += (double)signal->iq[i] * signal->iq[i];
	gain = power > 0 ? sqrt(points * (double)signal->n / power) : 0;
	for (size_t i = 0; i < signal->n; i++) {
		const double re = gain * signal->iq[2 * i], im = gain * signal->iq[2 * i + 1],
		             x = re - nearest_of(re, per_part),
		             y = modulation == SCOPE_BPSK ? im : im - nearest_of(im, per_part);

		error += x * x + y * y;
	}
	return 100 * sqrt(error / (points * (double)signal->n));
}

static void density_fill(const struct scope_looking *look, float most)
{
	struct scope_figure *figure = look->figure;

	for (size_t i = 0; i < look->signal->n; i++) {
		const float *iq = &look->signal->iq[2 * i];

		if (!isfinite(iq[0]) || !isfinite(iq[1]))
			continue;
		figure->y[(size_t)((iq[1] / most + 1) * 0.4999f * GRID) * GRID +
		    (size_t)((iq[0] / most + 1) * 0.4999f * GRID)]++;
	}
	figure->x_low = figure->y_low = -most;
	figure->x_high = figure->y_high = most;
}

static int look_constellation(const struct scope_looking *look)
{
	const struct scope_signal *signal = look->signal;
	struct scope_figure *figure = look->figure;
	int rc, len;

	if (!signal->is_complex)
		return look_refuse(look, "a constellation needs complex items");
	rc = signal->n > SCOPE_DOTS_MAX ? heat_new(figure, GRID, GRID)
	                                : values_new(figure, SCOPE_DOTS, signal->n, 1);
	if (rc < 0)
		return rc;
	if (figure->kind == SCOPE_HEAT)
		density_fill(look, scope_most(signal));
	for (size_t i = 0; figure->kind == SCOPE_DOTS && i < signal->n; i++) {
		figure->x[i] = signal->iq[2 * i];
		figure->y[i] = signal->iq[2 * i + 1];
	}
	figure->series[0] = "samples";
	labels_set(figure, "I", "Q", "samples");
	len = snprintf(figure->title, sizeof(figure->title), "%zu sample%s", signal->n,
	    plural((double)signal->n));
	if (look->options->modulation != SCOPE_NONE)
		snprintf(figure->title + len, sizeof(figure->title) - (size_t)len, ", EVM %.2f %%",
		    evm_percent(signal, look->options->modulation));
	return 0;
}

/* Two symbols of the real part over each other, with NAN between the traces. */
static int look_eye(const struct scope_looking *look)
{
	const struct scope_signal *signal = look->signal;
	struct scope_figure *figure = look->figure;
	const size_t symbol = look->options->symbol, length = 2 * symbol + 1;
	size_t traces;

	if (symbol < 2)
		return look_refuse(look, "an eye needs the samples of a symbol, at least 2");
	if (signal->n < length)
		return look_refuse(look, "an eye of this symbol is %zu long, and the signal %zu",
		    length, signal->n);
	traces = (signal->n - length) / symbol + 1;
	traces = traces < TRACES_MAX ? traces : TRACES_MAX;
	if (values_new(figure, SCOPE_LINES, traces * (length + 1), 1) < 0)
		return -ENOMEM;
	for (size_t t = 0; t < traces; t++)
		for (size_t i = 0; i <= length; i++) {
			const size_t at = t * (length + 1) + i;

			figure->x[at] = (double)i / (double)symbol;
			figure->y[at] = i < length ? signal->iq[2 * (t * symbol + i)] : NAN;
		}
	figure->series[0] = signal->is_complex ? "I" : "value";
	labels_set(figure, "time in symbols", "value", "");
	snprintf(figure->title, sizeof(figure->title), "%zu trace%s of 2 symbols, a symbol of %zu",
	    traces, plural((double)traces), symbol);
	return 0;
}

static int look_histogram(const struct scope_looking *look)
{
	const struct scope_signal *signal = look->signal;
	struct scope_figure *figure = look->figure;
	const double most = scope_most(signal);
	const size_t parts = parts_name(look);

	if (values_new(figure, SCOPE_BARS, BINS, parts) < 0)
		return -ENOMEM;
	for (size_t b = 0; b < BINS; b++)
		figure->x[b] = most * (2 * ((double)b + 0.5) / BINS - 1);
	for (size_t i = 0; i < signal->n; i++)
		for (size_t p = 0; p < parts; p++) {
			const double value = signal->iq[2 * i + p];

			if (isfinite(value))
				figure
				    ->y[p * BINS + (size_t)((value / most + 1) * 0.49999 * BINS)]++;
		}
	labels_set(figure, "value", "samples", "");
	snprintf(figure->title, sizeof(figure->title), "%zu sample%s in %d bins", signal->n,
	    plural((double)signal->n), BINS);
	return 0;
}

static int look_bits(const struct scope_looking *look)
{
	const struct scope_signal *signal = look->signal;
	struct scope_figure *figure = look->figure;
	const size_t whole = signal->n / BITS_WIDTH, rows = whole < BITS_ROWS ? whole : BITS_ROWS;

	if (!signal->is_bits)
		return look_refuse(look, "only an output of type bit has bits");
	if (rows == 0)
		return look_refuse(look, "a picture of bits needs at least %d of them", BITS_WIDTH);
	if (heat_new(figure, rows, BITS_WIDTH) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < rows * BITS_WIDTH; i++)
		figure->y[i] = signal->iq[2 * i];
	figure->x_high = BITS_WIDTH - 1;
	figure->y_high = (double)((rows - 1) * BITS_WIDTH);
	labels_set(figure, "bit of the row", "first bit of the row", "bit");
	snprintf(figure->title, sizeof(figure->title), "bits 0 to %zu of %zu",
	    rows * BITS_WIDTH - 1, signal->n);
	return 0;
}

int scope_look(const struct scope_signal *signal, const struct scope_options *options,
    struct scope_figure *ret, char *ret_why, size_t size)
{
	static int (*const views[])(const struct scope_looking *) = {look_time, look_spectrum,
	    look_waterfall, look_constellation, look_eye, look_histogram, look_bits};
	const struct scope_looking look = {signal, options, ret, ret_why, size};
	int rc;

	*ret = (struct scope_figure){.n = 0};
	snprintf(ret_why, size, "out of memory");
	rc = views[options->view](&look);
	if (rc < 0)
		scope_figure_fini(ret);
	return rc;
}

void scope_figure_fini(struct scope_figure *figure)
{
	free(figure->x);
	free(figure->y);
	figure->x = figure->y = NULL;
}
