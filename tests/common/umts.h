/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/umts.h - for tests of the UTRA downlink's radio level: a transmitter, and what of it
 * reaches a receiver.
 *
 * 	struct air air;
 *      air_open(&air, 8);                                     // frames of random bits: chips, and
 *                                                             samples, two a chip
 * 	air_receive(&air, &(struct path){.delay = 20000.25, .amplitude = 1}, k, message);
 */
#ifndef TESTS_COMMON_UMTS_H
#define TESTS_COMMON_UMTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/kernels/random.h"
#include "tests/mock/mock.h"
#include "tests/utran_plain/utran_plain_radio.h"

enum { CHIPS = PLAIN_CHIPS, FRAME = 2 * CHIPS, BITS = 9600, DATA = 9120, PRIMARY = 9 };

static inline void set_real(struct mock *m, const char *name, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.17g", value);
	assert_int_equal(mock_set(m, name, text), 0);
}

static inline void start(struct mock *m)
{
	if (mock_start(m) < 0)
		fail_msg("%s: %s", m->name, m->setup.error);
}

static inline void run(struct mock *m, const void *in, uint32_t n, uint64_t index)
{
	mock_give(m, 0, in, n);
	assert_int_equal(mock_work(m, index), 0);
}

static inline double power(const cf32 *samples, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += creal((double complex)samples[i] * conj((double complex)samples[i]));
	return sum / n;
}

/* ---- transmitter ---- */

struct sender {
	struct mock map, mod, spread, pilot, scramble;
};

static inline void sender_open(struct sender *s, int format, int code, double share)
{
	const int *row = plain_slot_format(format);

	mock_open(&s->map, "utran_dpch_map");
	set_real(&s->map, "slot_format", format);
	set_real(&s->map, "tfci", 77);
	set_real(&s->map, "tpc", 0);
	mock_input(&s->map, 0, ALOE_BIT, 15 * (uint32_t)(row[1] + row[2]));
	start(&s->map);
	mock_open(&s->mod, "qpsk_mod");
	mock_input(&s->mod, 0, ALOE_BIT, s->map.format_out[0].max);
	start(&s->mod);
	mock_open(&s->spread, "utran_spread");
	set_real(&s->spread, "sf", row[0]);
	set_real(&s->spread, "code", code);
	set_real(&s->spread, "gain", sqrt(share));
	mock_input(&s->spread, 0, ALOE_CF32, s->mod.format_out[0].max);
	start(&s->spread);
	mock_open(&s->pilot, "utran_cpich");
	set_real(&s->pilot, "gain", sqrt(1 - share));
	mock_input(&s->pilot, 0, ALOE_CF32, CHIPS);
	start(&s->pilot);
	mock_open(&s->scramble, "utran_scramble");
	set_real(&s->scramble, "primary_code", PRIMARY);
	mock_input(&s->scramble, 0, ALOE_CF32, CHIPS);
	start(&s->scramble);
}

/* The chips of a frame of random bits; the bits of the frame as the plain one maps them. */
static const cf32 *sender_frame(struct sender *s, int format, uint64_t index, uint8_t *ret_bits)
{
	uint8_t data[18720];

	random_bits(5, index, data, s->map.format_in[0].max);
	plain_dpch(format, 77, 0, data, ret_bits);
	run(&s->map, data, s->map.format_in[0].max, index);
	run(&s->mod, s->map.out[0].data, s->map.out[0].len, index);
	run(&s->spread, s->mod.out[0].data, s->mod.out[0].len, index);
	assert_int_equal(s->spread.out[0].len, CHIPS);
	run(&s->pilot, s->spread.out[0].data, CHIPS, index);
	run(&s->scramble, s->pilot.out[0].data, CHIPS, index);
	assert_int_equal(s->scramble.out[0].state, ALOE_VALID);
	return s->scramble.out[0].data;
}

static inline void sender_close(struct sender *s)
{
	mock_close(&s->map);
	mock_close(&s->mod);
	mock_close(&s->spread);
	mock_close(&s->pilot);
	mock_close(&s->scramble);
}

/* ---- a stream of samples to receive ---- */

struct air {
	cf32 *sent;    /* frames of chips */
	cf32 *samples; /* pulses, two a chip */
	uint32_t frames;
};

static inline void air_open(struct air *air, uint32_t frames)
{
	struct sender sender;
	struct mock pulse;
	uint8_t bits[BITS];

	air->frames = frames;
	air->sent = malloc((size_t)frames * CHIPS * sizeof(cf32));
	air->samples = malloc((size_t)frames * FRAME * sizeof(cf32));
	assert_true(air->sent && air->samples);
	sender_open(&sender, 15, 1, 0.9);
	mock_open(&pulse, "rrc_interp");
	set_real(&pulse, "rolloff", 0.22);
	set_real(&pulse, "delay", 10);
	mock_input(&pulse, 0, ALOE_CF32, CHIPS);
	start(&pulse);
	for (uint32_t k = 0; k < frames; k++) {
		cf32 *sent = air->sent + (size_t)k * CHIPS;

		memcpy(sent, sender_frame(&sender, 15, k, bits), CHIPS * sizeof(cf32));
		run(&pulse, sent, CHIPS, k);
		memcpy(air->samples + (size_t)k * FRAME, pulse.out[0].data, FRAME * sizeof(cf32));
	}
	mock_close(&pulse);
	sender_close(&sender);
}

static inline void air_close(struct air *air)
{
	free(air->sent);
	free(air->samples);
}

struct path {
	double delay;     /* samples, any fraction */
	double ppm;       /* the sender's clock is fast */
	double carrier;   /* Hz */
	double phase;     /* turns */
	double amplitude; /* 0: silence */
	double noise;     /* power a sample */
	uint64_t settle;  /* before this message errors do not count */
};

/* The stream at time `at` samples, by a sinc of 48 samples under a Hann window: the signal fills
 * 0.61 of the band. */
static inline double complex air_at(const struct air *air, double at)
{
	const long long whole = (long long)floor(at), size = (long long)air->frames * FRAME;
	const double fraction = at - (double)whole, sine = sin(M_PI * fraction) / M_PI;
	const double complex step = cexp(I * M_PI / 24.5);
	double complex sum = 0, turn = cexp(I * M_PI * (-23 - fraction) / 24.5);

	if (fraction < 1e-9)
		return whole >= 0 && whole < size ? (double complex)air->samples[whole] : 0;
	for (int k = -23; k <= 24; k++, turn *= step) { /* the window's cosine, turned on */
		const double t = k - fraction, window = 0.5 + 0.5 * creal(turn);
		const double weight = (k % 2 ? sine : -sine) / t * window;

		if (whole + k >= 0 && whole + k < size)
			sum += weight * (double complex)air->samples[whole + k];
	}
	return sum;
}

/* Message `index` of what a receiver hears. */
static inline void air_receive(
    const struct air *air, const struct path *path, uint64_t index, cf32 *out)
{
	static float noise[2 * FRAME];

	random_gauss(17, index, noise, 2 * FRAME);
	for (uint32_t i = 0; i < FRAME; i++) {
		const double time = (double)index * FRAME + i;
		const double complex turned =
		    cexp(2 * I * M_PI * (path->carrier / 7.68e6 * time + path->phase));
		const double at = (time - path->delay) * (1 + 1e-6 * path->ppm);
		const double complex signal =
		    path->amplitude > 0 ? path->amplitude * turned * air_at(air, at) : 0;

		out[i] =
		    (cf32)(signal + sqrt(path->noise / 2) * (noise[2 * i] + I * noise[2 * i + 1]));
	}
}

static inline void sync_open(struct mock *m)
{
	mock_open(m, "utran_sync");
	set_real(m, "primary_code", PRIMARY);
	mock_input(m, 0, ALOE_CF32, FRAME);
}

/* The error of received chips, block by block of 256 with the channel taken off, as a share of the
 * signal, in dB. */
static inline double chip_error_db(const cf32 *received, const cf32 *sent)
{
	double error = 0, signal = 0;

	for (uint32_t block = 0; block < CHIPS; block += 256) {
		double complex sum = 0;

		for (uint32_t i = block; i < block + 256; i++)
			sum += received[i] * conj((double complex)sent[i]);
		sum /= 256 * power(sent + block, 256);
		for (uint32_t i = block; i < block + 256; i++) {
			const double complex off = received[i] - sum * sent[i];

			error += creal(off * conj(off));
			signal += creal(sum * conj(sum));
		}
	}
	return 10 * log10(error / signal);
}

#endif
