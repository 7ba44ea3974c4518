/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/scope/scope.h - what is seen of a signal: items in, a figure out; a figure in, text out.
 * Pure: no file, no clock.
 *
 *      items --scope_take--> struct scope_signal --scope_look--> struct scope_figure
 *        --> scope_csv, scope_gnuplot, scope_text
 *
 * On the way a figure of frequencies may be averaged with those before it, and cut to a part of the
 * band.
 *
 * Levels are in dBFS: 0 dBFS is the power 1, that of a complex tone of amplitude 1; a real tone of
 * amplitude 1 has -3 dBFS. Whole numbers of 16 bits count in 1/32768. A spectrum is by Welch:
 * blocks that overlap by half, with a window, their powers averaged. Its levels are those of a
 * tone; of noise a level is the power in the resolution bandwidth, which the figure states.
 */
#ifndef ALOE_SCOPE_H
#define ALOE_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum scope_view {
	SCOPE_TIME,
	SCOPE_SPECTRUM,
	SCOPE_WATERFALL,
	SCOPE_CONSTELLATION,
	SCOPE_EYE,
	SCOPE_HISTOGRAM,
	SCOPE_BITS
};
/* Flat top: a tone is right to 0.02 dB between the lines, too (a real one not within 5 lines of
 * 0 or half the rate). Hann: a finer resolution, and a tone between two lines is up to 1.4 dB
 * too low. */
enum scope_window { SCOPE_FLATTOP, SCOPE_HANN };
enum scope_modulation { SCOPE_NONE, SCOPE_BPSK, SCOPE_QPSK, SCOPE_QAM16, SCOPE_QAM64 };

enum {
	SCOPE_SAMPLES_MAX = 1 << 24,
	SCOPE_FFT_MIN = 16,
	SCOPE_FFT_MAX = 1 << 20,
	SCOPE_DOTS_MAX = 10000, /* a constellation of more is drawn as a density */
	SCOPE_SYMBOL_MAX = 4096
};

struct scope_signal {
	float *iq; /* pairs of real and imaginary part; of a real signal the latter is 0 */
	size_t n;
	bool is_complex, is_bits;
	double rate_hz;   /* 0: not known, then frequencies are shares of the rate */
	double centre_hz; /* what frequency 0 of the samples is */
};

struct scope_options {
	enum scope_view view;
	enum scope_window window;
	enum scope_modulation modulation; /* of a constellation, for its EVM */
	uint32_t fft;                     /* items of a block, a power of two; 0: the usual */
	uint32_t symbol;                  /* samples of a symbol, for the eye */
};

enum scope_kind { SCOPE_LINES, SCOPE_DOTS, SCOPE_BARS, SCOPE_HEAT };

struct scope_figure {
	enum scope_kind kind;
	char title[128]; /* the view, and how it was made */
	char x_label[48], y_label[48], z_label[48];
	/* lines, dots, bars: n_series times n values; x is common to all but dots and lines of an
	 * eye, which have one series and NAN between the lines */
	double *x, *y;
	size_t n, n_series;
	const char *series[2];
	/* heat: rows times columns values, row 0 at y_low */
	size_t rows, columns;
	double x_low, x_high, y_low, y_high;
};

/* scope_take turns `len` bytes of items of one type (aloe/component.h) into a signal, at most
 * SCOPE_SAMPLES_MAX of them. 0, -EINVAL (not exactly one type), -ENODATA (no item), -ENOMEM. End
 * with scope_signal_fini. */
int scope_take(uint32_t item_type, const void *items, size_t len, struct scope_signal *ret);
void scope_signal_fini(struct scope_signal *signal);

/* scope_look makes a figure. 0; -EINVAL with the reason in words (a view that the signal cannot
 * have); -ENOMEM. End with scope_figure_fini. */
int scope_look(const struct scope_signal *signal, const struct scope_options *options,
    struct scope_figure *ret, char *ret_why, size_t size);
void scope_figure_fini(struct scope_figure *figure);

/* scope_most gives the largest magnitude of a part that is a number; 1 if all are 0. */
float scope_most(const struct scope_signal *signal);

/* scope_welch_new makes what spectra in blocks of `fft`, a power of two, need again and again: the
 * window and its memory. NULL: there is no memory. scope_welch_free takes NULL. */
struct scope_welch;
struct scope_welch *scope_welch_new(uint32_t fft, enum scope_window window);
void scope_welch_free(struct scope_welch *welch);
/* scope_welch_power is scope_power, with the blocks and the window of `welch`; it allocates
 * nothing. */
void scope_welch_power(struct scope_welch *welch, const struct scope_signal *signal,
    double *ret_power, double *ret_rbw, size_t *ret_blocks);

/* scope_power gives the spectrum of a signal in blocks of `fft`, a power of two: linear, as power
 * in the resolution bandwidth, fft values from the lowest frequency on, of a real signal the
 * fft / 2 + 1 values from 0 on. *ret_rbw is the bandwidth in shares of the rate. 0 with the number
 * of blocks in *ret_blocks, or -ENOMEM. `signal` has at least `fft` samples. */
int scope_power(const struct scope_signal *signal, uint32_t fft, enum scope_window window,
    double *ret_power, double *ret_rbw, size_t *ret_blocks);

/* scope_span keeps of the frequencies of a spectrum or a waterfall the middle 1 / 2^halvings (of a
 * real signal, which begins at `low`, the lowest), but at least two lines. */
void scope_span(struct scope_figure *figure, unsigned halvings, bool low);

/* scope_average puts into a spectrum the mean of its powers and of those of the figures before it:
 * of all so far, up to `over` of them; after that an old one counts less and less. With `over` 0
 * the figure is shown the mean and adds nothing; nor does one with a power that is not finite. It
 * begins anew with a figure of other frequencies.
 * 0 or -ENOMEM. End with scope_average_fini. */
struct scope_averaged {
	double *power;
	size_t n;
	double x_low, x_high;
	unsigned count; /* figures that are in it */
};
int scope_average(struct scope_figure *figure, unsigned over, struct scope_averaged *averaged);
void scope_average_fini(struct scope_averaged *averaged);

/* A figure as text: values with commas between them; what gnuplot is to do, after `set terminal`;
 * at most `rows` lines of at most `columns` characters, SCOPE_TEXT_COLUMNS times SCOPE_TEXT_ROWS at
 * least, in colours if the terminal has any. */
enum { SCOPE_TEXT_COLUMNS = 40, SCOPE_TEXT_ROWS = 8 };
void scope_csv(const struct scope_figure *figure, FILE *out);
void scope_gnuplot(const struct scope_figure *figure, const char *title, FILE *out);
int scope_text(
    const struct scope_figure *figure, uint32_t columns, uint32_t rows, bool colours, FILE *out);

#endif
