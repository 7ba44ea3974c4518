/* SPDX-License-Identifier: BSD-3-Clause
 * fader - the impulse response of a multipath channel that fades, one message for each slot: for
 * port `response` of upols.
 *
 * Profiles and Doppler are those of channel_tdl (components/channel/tdl.h); a message is the
 * response in the middle of its slot, `length` complex taps for each of `paths` paths, path after
 * path. All taps of all paths fade independently; path 0 is what channel_tdl has with the same
 * seed. With upols' `fade` at a whole block the channel goes over from slot to slot on a straight
 * line; from the middle of one slot to that of the next, half a slot late. */
#include <aloe/component.h>

#include "components/channel/tdl.h"

struct fader {
	struct tdl tdl; /* first: the table of parameters counts on it */
	uint32_t length;
	uint32_t paths;
	struct tdl_line line;
	uint32_t made; /* taps of a response */
	const struct fading_kernels *kernels;
	struct fading *fading; /* of each tap of each path */
	double slot_s;
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_CF32, "taps of the response, path after path"),
};

static const struct aloe_param params[] = {
    TDL_PARAMS,
    ALOE_PARAM_REAL(struct tdl, rate_hz, ALOE_NAN, 1e-3, 1e12, "Hz", 0,
        "samples per second of the signal; must be set"),
    ALOE_PARAM_INT(struct fader, length, 0, 0, TDL_DELAY_MAX * 2, "items", 0,
        "taps of a response; 0: as many as the longest delay needs"),
    ALOE_PARAM_INT(struct fader, paths, 1, 1, 16, "", 0,
        "responses in a message: outputs times inputs of upols"),
};

static uint32_t length_of(const struct fader *fader, const struct tdl_line *line)
{
	return fader->length ? fader->length : line->reach + 1;
}

static int fader_check(void *self, struct aloe_setup *setup)
{
	const struct fader *fader = self;
	struct tdl_line line;

	if (isnan(fader->tdl.rate_hz))
		return aloe_fail(setup,
		    "rate_hz is not set; give the number of samples per second of the signal");
	if (tdl_check(&fader->tdl, fader->tdl.rate_hz, setup) < 0)
		return -1;
	tdl_line_init(&fader->tdl, fader->tdl.rate_hz, &line);
	if (length_of(fader, &line) <= line.reach)
		return aloe_fail(setup, "length = %u is too short: the longest delay needs %u taps",
		    fader->length, line.reach + 1);
	return 0;
}

static int fader_shape(void *self, struct aloe_setup *setup)
{
	const struct fader *fader = self;
	struct tdl_line line;

	tdl_line_init(&fader->tdl, fader->tdl.rate_hz, &line);
	setup->out[0].max = fader->paths * length_of(fader, &line);
	return 0;
}

static int fader_init(void *self, struct aloe_setup *setup)
{
	struct fader *fader = self;
	uint32_t n;

	tdl_note(&fader->tdl, setup);
	tdl_line_init(&fader->tdl, fader->tdl.rate_hz, &fader->line);
	n = fader->paths * fader->line.n_taps;
	fader->made = length_of(fader, &fader->line);
	fader->kernels = fading_kernels((enum simd_level)setup->simd);
	fader->slot_s = (double)setup->slot_ns * 1e-9;
	fader->fading = aloe_alloc(setup, n * sizeof(*fader->fading));
	if (!fader->fading)
		return aloe_fail(setup, "no memory for %u taps", n);
	for (uint32_t i = 0; i < n; i++)
		fading_init(fader->tdl.seed, i, fader->line.doppler_hz, &fader->fading[i]);
	return 0;
}

static void make_path(const struct fader *fader, uint32_t path, double time_s, float *out)
{
	for (uint32_t i = 0; i < fader->line.n_taps; i++) {
		const struct tdl_tap *tap = &fader->line.taps[i];
		float gain[2];

		fader->kernels->gains(&fader->fading[path * fader->line.n_taps + i], time_s, 0, 1,
		    tap->amplitude, gain);
		for (uint32_t k = 0; k < tap->n_filter; k++) {
			out[2 * (tap->delay + k)] += gain[0] * tap->filter[k];
			out[2 * (tap->delay + k) + 1] += gain[1] * tap->filter[k];
		}
	}
}

static int fader_work(void *self, struct aloe_slot *slot)
{
	const struct fader *fader = self;
	const double time_s = ((double)slot->index + 0.5) * fader->slot_s;
	float *out = slot->out[0].data;

	memset(out, 0, (size_t)fader->paths * fader->made * 8);
	for (uint32_t path = 0; path < fader->paths; path++)
		make_path(fader, path, time_s, out + 2 * (size_t)path * fader->made);
	aloe_put(slot, 0, fader->paths * fader->made);
	return 0;
}

static void fader_warm(const void *self, struct aloe_warm *warm)
{
	const struct fader *fader = self;

	aloe_warm(warm, &fader->line, sizeof(fader->line));
	aloe_warm(warm, fader->fading,
	    (size_t)fader->paths * fader->line.n_taps * sizeof(*fader->fading));
	aloe_warm_code(warm, (uintptr_t)fader->kernels->gains, 2048);
}

ALOE_COMPONENT(fader) = {
    .summary = "impulse responses of a multipath fading channel, one a slot",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct fader),
    .kmac = 2,
    .check = fader_check,
    .shape = fader_shape,
    .init = fader_init,
    .work = fader_work,
    .warm = fader_warm,
};
