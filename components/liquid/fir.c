/* SPDX-License-Identifier: BSD-3-Clause
 * fir - a finite impulse response filter with real taps, one that may also decimate or interpolate.
 *
 * out = sum of taps[k] * in[n - k]; the history goes on from message to message, an ABSENT message
 * leaves it as it is. With `decimation` M only every M-th output is computed, the first of the
 * stream and each M-th after it: messages need not be multiples of M. With `interpolation` L each
 * item is followed by L - 1 zeros before the filter, so for gain 1 the taps add up to L.
 * liquid-dsp's firfilt and firpfb do the sums.
 *
 * Taps set while it runs hold for all of what comes out from their index on, also for the samples
 * that came in before: the filter made of them is given the history. */
#include <aloe/component.h>

#include <liquid/liquid.h>

#include "components/liquid/guard.h"

enum { TAPS_MAX = 4096 };

struct fir {
	struct aloe_reals taps;
	uint32_t decimation;
	uint32_t interpolation;
	uint64_t rejected;
	uint32_t skip;    /* inputs to push before the next output */
	uint32_t version; /* of the taps that were used last */
	uint32_t at;      /* where the next message goes in `line`; TAPS_MAX inputs lie before it */
	uint32_t room;    /* of `line`, samples */
	cf32 *line;
};

/* What is made of an array of taps: one of the two. */
struct filter {
	firfilt_crcf plain;
	firpfb_crcf bank; /* interpolation: a filter for each of the outputs of an input */
	uint32_t memory;  /* inputs that it looks at */
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples"),
    ALOE_OUT("out", ALOE_CF32, "filtered samples"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REALS(
        struct fir, taps, TAPS_MAX, -1e6, 1e6, "", ALOE_REQUIRED | ALOE_LIVE, "impulse response"),
    ALOE_PARAM_INT(struct fir, decimation, 1, 1, 1024, "", 0,
        "number of input samples for each output sample"),
    ALOE_PARAM_INT(struct fir, interpolation, 1, 1, 1024, "", 0,
        "number of output samples for each input sample"),
};

static const struct aloe_var vars[] = {
    GUARD_VAR(struct fir),
};

static int fir_check(void *self, struct aloe_setup *setup)
{
	const struct fir *fir = self;

	if (fir->taps.len < 1)
		return aloe_fail(setup, "taps is empty; at least one is needed");
	if (fir->decimation > 1 && fir->interpolation > 1)
		return aloe_fail(setup,
		    "decimation = %u and interpolation = %u: only one may differ from 1; see "
		    "resample",
		    fir->decimation, fir->interpolation);
	if (fir->interpolation > fir->taps.len)
		return aloe_fail(setup,
		    "interpolation = %u needs at least as many taps, but taps has %u",
		    fir->interpolation, fir->taps.len);
	return 0;
}

static int fir_shape(void *self, struct aloe_setup *setup)
{
	const struct fir *fir = self;
	const double kept = ((double)setup->in[0].max + fir->decimation - 1) / fir->decimation;

	return guard_max(setup, (uint32_t)kept * (double)fir->interpolation);
}

static int fir_init(void *self, struct aloe_setup *setup)
{
	struct fir *fir = self;

	fir->at = TAPS_MAX;
	fir->room = 2 * TAPS_MAX + setup->in[0].max;
	fir->line = guard_alloc(setup, fir->room);
	return fir->line
	    ? 0
	    : aloe_fail(setup, "no memory for messages of %u samples", setup->in[0].max);
}

/* The bank takes a multiple of its number of filters. */
static void make_bank(const struct fir *fir, struct filter *filter, float *taps, uint32_t len)
{
	filter->memory = (len + fir->interpolation - 1) / fir->interpolation;
	filter->bank =
	    firpfb_crcf_create(fir->interpolation, taps, filter->memory * fir->interpolation);
}

static int fir_prepare(const void *self, const struct aloe_param *param, struct aloe_reals *next,
    struct aloe_setup *setup)
{
	const struct fir *fir = self;
	struct filter *filter = aloe_alloc(setup, sizeof(*filter));
	float *taps = aloe_alloc(setup, (next->len + fir->interpolation) * sizeof(*taps));

	(void)param;
	if (fir->interpolation > next->len)
		return aloe_fail(setup,
		    "interpolation = %u needs at least as many taps, but taps has %u",
		    fir->interpolation, next->len);
	if (!filter || !taps)
		return aloe_fail(setup, "no memory for %u taps", next->len);
	memcpy(taps, next->data, next->len * sizeof(*taps));
	filter->memory = next->len;
	if (fir->interpolation > 1)
		make_bank(fir, filter, taps, next->len);
	else
		filter->plain = firfilt_crcf_create(taps, next->len);
	next->derived = filter;
	return filter->bank || filter->plain
	    ? 0
	    : aloe_fail(setup, "liquid-dsp makes no filter of these taps");
}

static void fir_release(const void *self, const struct aloe_param *param, struct aloe_reals *old)
{
	struct filter *filter = old->derived;

	(void)self, (void)param;
	if (filter && filter->bank)
		firpfb_crcf_destroy(filter->bank);
	if (filter && filter->plain)
		firfilt_crcf_destroy(filter->plain);
}

static inline void line_push(const struct filter *filter, cf32 sample)
{
	if (filter->bank)
		firpfb_crcf_push(filter->bank, sample);
	else
		firfilt_crcf_push(filter->plain, sample);
}

/* New taps see what came in before them. */
static void take_history(struct fir *fir, const struct filter *filter)
{
	for (uint32_t i = fir->at - filter->memory; i < fir->at; i++)
		line_push(filter, fir->line[i]);
	fir->version = fir->taps.version;
}

/* The history goes back to the beginning when the line is full, once in TAPS_MAX samples at
 * most. */
static cf32 *line_place(struct fir *fir, uint32_t n)
{
	if (fir->at + n > fir->room) {
		memmove(fir->line, fir->line + fir->at - TAPS_MAX, TAPS_MAX * sizeof(*fir->line));
		fir->at = TAPS_MAX;
	}
	fir->at += n;
	return fir->line + fir->at - n;
}

/* filter_keep pushes every sample and computes the outputs that are kept; how many. */
static uint32_t filter_keep(
    struct fir *fir, const struct filter *filter, const cf32 *in, uint32_t n, cf32 *out)
{
	uint32_t made = 0;

	for (uint32_t i = 0; i < n; i++) {
		firfilt_crcf_push(filter->plain, in[i]);
		if (fir->skip) {
			fir->skip--;
			continue;
		}
		firfilt_crcf_execute(filter->plain, &out[made++]);
		fir->skip = fir->decimation - 1;
	}
	return made;
}

static uint32_t filter_interpolate(
    const struct fir *fir, const struct filter *filter, const cf32 *in, uint32_t n, cf32 *out)
{
	for (uint32_t i = 0; i < n; i++) {
		firpfb_crcf_push(filter->bank, in[i]);
		for (uint32_t k = 0; k < fir->interpolation; k++)
			firpfb_crcf_execute(filter->bank, k, out++);
	}
	return n * fir->interpolation;
}

static int fir_work(void *self, struct aloe_slot *slot)
{
	struct fir *fir = self;
	const struct filter *filter = fir->taps.derived;
	const uint32_t n = aloe_in_len(slot, 0);
	cf32 *out = aloe_out_cf32(slot, 0), *in;

	if (fir->version != fir->taps.version)
		take_history(fir, filter);
	slot->out[0].state = slot->in[0].state;
	in = line_place(fir, n);
	fir->rejected += guard_copy(in, aloe_in_cf32(slot, 0), n);
	if (filter->bank)
		slot->out[0].len = filter_interpolate(fir, filter, in, n, out);
	else
		slot->out[0].len = filter_keep(fir, filter, in, n, out);
	return 0;
}

static int fir_reset(void *self)
{
	struct fir *fir = self;
	const struct filter *filter = fir->taps.derived;

	fir->skip = 0;
	fir->at = TAPS_MAX;
	memset(fir->line, 0, TAPS_MAX * sizeof(*fir->line));
	return filter->bank ? firpfb_crcf_reset(filter->bank) : firfilt_crcf_reset(filter->plain);
}

ALOE_COMPONENT(fir) = {
    .summary = "filter with given taps, decimating or interpolating if wanted",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct fir),
    .kmac = 100,
    .check = fir_check,
    .shape = fir_shape,
    .init = fir_init,
    .prepare = fir_prepare,
    .release = fir_release,
    .work = fir_work,
    .reset = fir_reset,
};
