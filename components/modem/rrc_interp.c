/* SPDX-License-Identifier: BSD-3-Clause
 * rrc_interp - pulse shaping: each symbol becomes samples_per_symbol samples of root-raised-cosine
 * pulses.
 *
 * The taps are scaled so that independent symbols of mean power 1 give samples of mean power 1:
 * then Es of a symbol is samples_per_symbol, and an awgn behind it takes bits_per_item = bits per
 * symbol / samples_per_symbol. The pulse is cut at `delay` symbols on each side, so its peak comes
 * `delay` symbols late. The receiver's counterpart is symsync, or utran_sync for chips, with the
 * same samples_per_symbol, rolloff and delay. */
#include <aloe/component.h>

#include <math.h>

#include "core/kernels/fir.h"
#include "core/kernels/pulse.h"

enum { BLOCK = 128, SAMPLES_MAX = 64 };

struct rrc_interp {
	uint32_t samples_per_symbol;
	double rolloff;
	uint32_t delay;
	uint32_t len;  /* taps of a phase */
	float *taps;   /* phase by phase, backwards */
	cf32 *edge;    /* the last len - 1 symbols, and room for as many of the message */
	cf32 **phases; /* BLOCK samples of each */
	const struct fir_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "symbols"),
    ALOE_OUT("out", ALOE_CF32, "samples_per_symbol samples for each symbol"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct rrc_interp, samples_per_symbol, 2, 2, SAMPLES_MAX, "", 0,
        "number of output samples for each symbol"),
    ALOE_PARAM_REAL(struct rrc_interp, rolloff, 0.3, 0.05, 1, "", 0, "excess bandwidth"),
    ALOE_PARAM_INT(
        struct rrc_interp, delay, 7, 1, 64, "symbols", 0, "half the length of the pulse"),
};

static int rrc_interp_shape(void *self, struct aloe_setup *setup)
{
	const uint64_t max =
	    (uint64_t)setup->in[0].max * ((const struct rrc_interp *)self)->samples_per_symbol;

	if (max > 1 << 28)
		return aloe_fail(
		    setup, "a message of %llu items is too long", (unsigned long long)max);
	setup->out[0].max = (uint32_t)max;
	return 0;
}

/* Tap k of phase p meets the symbol that came len - 1 - k before the newest. */
static void taps_design(struct rrc_interp *rrc)
{
	const uint32_t k = rrc->samples_per_symbol;
	double energy = 0;

	for (uint32_t p = 0; p < k; p++)
		for (uint32_t i = 0; i < rrc->len; i++) {
			const double t = (double)(rrc->len - 1 - i) + (double)p / k - rrc->delay;
			const double tap = t <= rrc->delay ? pulse_rrc(t, rrc->rolloff) : 0;

			rrc->taps[p * rrc->len + i] = (float)tap;
			energy += tap * tap;
		}
	for (uint32_t i = 0; i < k * rrc->len; i++)
		rrc->taps[i] *= (float)sqrt(k / energy);
}

static int rrc_interp_init(void *self, struct aloe_setup *setup)
{
	struct rrc_interp *rrc = self;
	const uint32_t k = rrc->samples_per_symbol;
	cf32 *block;

	rrc->len = 2 * rrc->delay + 1;
	rrc->kernels = fir_kernels((enum simd_level)setup->simd);
	rrc->taps = aloe_alloc(setup, (size_t)k * rrc->len * sizeof(*rrc->taps));
	rrc->edge = aloe_alloc(setup, (size_t)4 * rrc->delay * sizeof(*rrc->edge));
	rrc->phases = aloe_alloc(setup, k * sizeof(*rrc->phases));
	block = aloe_alloc(setup, (size_t)k * BLOCK * sizeof(*block));
	if (!rrc->taps || !rrc->edge || !rrc->phases || !block)
		return aloe_fail(setup, "no memory for %u taps", k * rrc->len);
	for (uint32_t p = 0; p < k; p++)
		rrc->phases[p] = block + (size_t)p * BLOCK;
	taps_design(rrc);
	return 0;
}

/* in[0] is len - 1 symbols before the first of n. */
static void shape_symbols(struct rrc_interp *rrc, const cf32 *in, uint32_t n, cf32 *out)
{
	const uint32_t k = rrc->samples_per_symbol;

	for (uint32_t at = 0; at < n; at += BLOCK) {
		const uint32_t some = n - at < BLOCK ? n - at : BLOCK;
		const cf32 *from = in + at;

		for (uint32_t p = 0; p < k; p++)
			rrc->kernels->sum(rrc->taps + (size_t)p * rrc->len, rrc->len, &from, 1,
			    rrc->phases[p], some);
		rrc->kernels->join((const cf32 *const *)rrc->phases, k, out + (size_t)at * k, some);
	}
}

/* The first symbols need those before them, from `edge`; the others find theirs in the message. */
static int rrc_interp_work(void *self, struct aloe_slot *slot)
{
	struct rrc_interp *rrc = self;
	const uint32_t n = aloe_in_len(slot, 0), past = rrc->len - 1, head = n < past ? n : past;
	const cf32 *in = aloe_in_cf32(slot, 0);
	cf32 *out = aloe_out_cf32(slot, 0);

	slot->out[0].state = slot->in[0].state;
	slot->out[0].len = n * rrc->samples_per_symbol;
	if (n == 0)
		return 0;
	memcpy(rrc->edge + past, in, head * sizeof(*in));
	shape_symbols(rrc, rrc->edge, head, out);
	shape_symbols(rrc, in, n - head, out + (size_t)head * rrc->samples_per_symbol);
	if (n < past)
		memmove(rrc->edge, rrc->edge + n, past * sizeof(*in));
	else
		memcpy(rrc->edge, in + n - past, past * sizeof(*in));
	return 0;
}

static int rrc_interp_reset(void *self)
{
	struct rrc_interp *rrc = self;

	memset(rrc->edge, 0, (rrc->len - 1) * sizeof(*rrc->edge));
	return 0;
}

static void rrc_interp_warm(const void *self, struct aloe_warm *warm)
{
	const struct rrc_interp *rrc = self;
	const uint32_t k = rrc->samples_per_symbol;

	aloe_warm(warm, rrc->taps, (size_t)k * rrc->len * sizeof(*rrc->taps));
	aloe_warm(warm, rrc->edge, (size_t)4 * rrc->delay * sizeof(*rrc->edge));
	aloe_warm_code(warm, (uintptr_t)rrc->kernels->sum, 2048);
	aloe_warm(warm, rrc->phases[0], (size_t)k * BLOCK * sizeof(**rrc->phases));
}

ALOE_COMPONENT(rrc_interp) = {
    .summary = "shape symbols into root-raised-cosine pulses",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct rrc_interp),
    .kmac = 60,
    .shape = rrc_interp_shape,
    .init = rrc_interp_init,
    .work = rrc_interp_work,
    .reset = rrc_interp_reset,
    .warm = rrc_interp_warm,
};
