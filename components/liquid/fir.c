/* SPDX-License-Identifier: BSD-3-Clause
 * fir - a finite impulse response filter with real taps, one that may also decimate or interpolate.
 *
 * out = sum of taps[k] * in[n - k]; the history goes on from message to message, an ABSENT message leaves it as it is.
 * With `decimation` M only every M-th output is computed, the first of the stream and each M-th after it: messages need
 * not be multiples of M. With `interpolation` L each item is followed by L - 1 zeros before the filter, so for gain 1
 * the taps add up to L. liquid-dsp's firfilt and firinterp do the sums. */
#include <aloe/component.h>

#include <liquid/liquid.h>

#include "components/liquid/guard.h"

struct fir {
	struct aloe_reals taps;
	uint32_t decimation;
	uint32_t interpolation;
	uint64_t rejected;
	uint32_t skip; /* inputs to push before the next output */
	cf32 *in;
	firfilt_crcf filter;
	firinterp_crcf interpolator;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples"),
    ALOE_OUT("out", ALOE_CF32, "filtered samples"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REALS(struct fir, taps, 4096, -1e6, 1e6, "", ALOE_REQUIRED, "impulse response"),
    ALOE_PARAM_INT(struct fir, decimation, 1, 1, 1024, "", 0, "keep one sample in so many"),
    ALOE_PARAM_INT(struct fir, interpolation, 1, 1, 1024, "", 0, "make so many samples of one"),
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
				 "decimation = %u and interpolation = %u: only one may differ from 1; see resample",
				 fir->decimation, fir->interpolation);
	if (fir->interpolation > fir->taps.len)
		return aloe_fail(setup, "interpolation = %u needs as many taps, there are %u", fir->interpolation,
				 fir->taps.len);
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
	float *taps = aloe_alloc(setup, fir->taps.len * sizeof(*taps));

	fir->in = guard_alloc(setup, setup->in[0].max);
	if (!taps || !fir->in)
		return aloe_fail(setup, "no memory for %u taps", fir->taps.len);
	memcpy(taps, fir->taps.data, fir->taps.len * sizeof(*taps));
	if (fir->interpolation > 1)
		fir->interpolator = firinterp_crcf_create(fir->interpolation, taps, fir->taps.len);
	else
		fir->filter = firfilt_crcf_create(taps, fir->taps.len);
	return fir->interpolator || fir->filter ? 0 : aloe_fail(setup, "liquid-dsp makes no filter of these taps");
}

/* filter_keep pushes every sample and computes the outputs that are kept; how many. */
static uint32_t filter_keep(struct fir *fir, uint32_t n, cf32 *out)
{
	uint32_t made = 0;

	for (uint32_t i = 0; i < n; i++) {
		firfilt_crcf_push(fir->filter, fir->in[i]);
		if (fir->skip) {
			fir->skip--;
			continue;
		}
		firfilt_crcf_execute(fir->filter, &out[made++]);
		fir->skip = fir->decimation - 1;
	}
	return made;
}

static int fir_work(void *self, struct aloe_slot *slot)
{
	struct fir *fir = self;
	const uint32_t n = aloe_in_len(slot, 0);
	cf32 *out = aloe_out_cf32(slot, 0);

	slot->out[0].state = slot->in[0].state;
	fir->rejected += guard_copy(fir->in, aloe_in_cf32(slot, 0), n);
	if (fir->interpolator) {
		firinterp_crcf_execute_block(fir->interpolator, fir->in, n, out);
		slot->out[0].len = n * fir->interpolation;
	} else {
		slot->out[0].len = filter_keep(fir, n, out);
	}
	return 0;
}

static int fir_reset(void *self)
{
	struct fir *fir = self;

	fir->skip = 0;
	return fir->interpolator ? firinterp_crcf_reset(fir->interpolator) : firfilt_crcf_reset(fir->filter);
}

static int fir_close(void *self, struct aloe_setup *setup)
{
	struct fir *fir = self;

	(void)setup;
	if (fir->interpolator)
		firinterp_crcf_destroy(fir->interpolator);
	if (fir->filter)
		firfilt_crcf_destroy(fir->filter);
	fir->interpolator = NULL;
	fir->filter = NULL;
	return 0;
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
    .work = fir_work,
    .reset = fir_reset,
    .close = fir_close,
};
