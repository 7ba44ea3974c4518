/* SPDX-License-Identifier: BSD-3-Clause
 * channel_tdl - a multipath channel that fades: a tapped delay line with the profiles of ITU-R
 * M.1225 and TS 25.101 (components/channel/tdl.h), Rayleigh taps, classical Doppler spectrum.
 *
 * The sample rate is that of full messages in slots, or `rate_hz`. Time is index x slot length +
 * position in the message: the gains of an index follow from seed and index alone. Between points
 * that lie at most 1/128 of a Doppler period apart gains go on straight lines (3e-4 of their root
 * mean square off at most). The signal's history goes on from message to message; a missing message
 * is as many zeros as a full one has items, and what is still in the line comes out behind it; then
 * what comes in (ABSENT, IDLE) goes out.
 *
 * `taps` gives the gains themselves, for a receiver that knows the channel: for each item the gain
 * of the first tap, then for each item that of the second, ... */
#include <aloe/component.h>

#include "components/channel/tdl.h"

#define POINTS_PER_PERIOD 128.0

struct channel_tdl {
	struct tdl tdl; /* first: the table of parameters counts on it */
	double doppler_now_hz;
	uint64_t path_count;
	uint64_t tails;
	struct tdl_line line;
	const struct fading_kernels *kernels;
	struct fading *fading; /* of each tap */
	double slot_s, item_s;
	uint32_t max, step; /* items from one point to the next */
	bool gives_taps;
	float *signal; /* `reach` items of history, then a message */
	float *points, *gains, *filtered;
	uint32_t tail; /* items still in the line */
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples sent"),
    ALOE_OUT("out", ALOE_CF32, "samples received"),
    ALOE_OUT_OPTIONAL("taps", ALOE_CF32, "gain of each item, tap after tap"),
};

static const struct aloe_param params[] = {
    TDL_PARAMS,
    ALOE_PARAM_REAL(struct tdl, rate_hz, ALOE_NAN, 1e-3, 1e12, "Hz", 0,
        "samples per second; if not set, one full message per slot"),
};

static const struct aloe_var vars[] = {
    {"doppler_now_hz", 1, (uint32_t)offsetof(struct channel_tdl, doppler_now_hz), "Hz",
        "largest Doppler shift"},
    ALOE_VAR_U64(struct channel_tdl, path_count, "", "taps of the line"),
    ALOE_VAR_U64(
        struct channel_tdl, tails, "", "messages made only of samples that were still in the line"),
};

static double rate_of(const struct channel_tdl *channel, const struct aloe_setup *setup)
{
	return !isnan(channel->tdl.rate_hz) ? channel->tdl.rate_hz
	                                    : setup->in[0].max * 1e9 / (double)setup->slot_ns;
}

/* What there is to refuse depends on the sample rate, and that on the length of messages. */
static int channel_tdl_shape(void *self, struct aloe_setup *setup)
{
	const struct channel_tdl *channel = self;
	const float *delays_ns, *powers_db;
	uint64_t all;

	if (tdl_check(&channel->tdl, rate_of(channel, setup), setup) < 0)
		return -1;
	all = (uint64_t)setup->in[0].max * tdl_arrays(&channel->tdl, &delays_ns, &powers_db);
	if (setup->out[1].type && all > UINT32_MAX)
		return aloe_fail(
		    setup, "the gains of %u items are too many for a message", setup->in[0].max);
	setup->out[0].max = setup->in[0].max;
	setup->out[1].max = (uint32_t)all;
	return 0;
}

static int alloc_buffers(struct channel_tdl *channel, struct aloe_setup *setup)
{
	const size_t items = (size_t)channel->max + 1;

	channel->fading = aloe_alloc(setup, channel->line.n_taps * sizeof(*channel->fading));
	channel->signal = aloe_alloc(setup, (channel->line.reach + items) * 8);
	channel->points = aloe_alloc(setup, (channel->max / channel->step + 2) * (size_t)8);
	channel->gains = aloe_alloc(setup, items * 8);
	channel->filtered = aloe_alloc(setup, items * 8);
	return channel->fading && channel->signal && channel->points && channel->gains &&
	        channel->filtered
	    ? 0
	    : -1;
}

static int channel_tdl_init(void *self, struct aloe_setup *setup)
{
	struct channel_tdl *channel = self;
	const double rate_hz = rate_of(channel, setup);
	double step;

	tdl_note(&channel->tdl, setup);
	tdl_line_init(&channel->tdl, rate_hz, &channel->line);
	channel->kernels = fading_kernels((enum simd_level)setup->simd);
	channel->doppler_now_hz = channel->line.doppler_hz;
	channel->path_count = channel->line.n_taps;
	channel->slot_s = (double)setup->slot_ns * 1e-9;
	channel->item_s = 1 / rate_hz;
	channel->max = setup->in[0].max;
	channel->gives_taps = setup->out[1].type != 0;
	/* infinite when it stands still */
	step = floor(rate_hz / POINTS_PER_PERIOD / channel->line.doppler_hz);
	channel->step = step < 1  ? 1
	    : step < channel->max ? (uint32_t)step
	    : channel->max        ? channel->max
	                          : 1;
	if (alloc_buffers(channel, setup) < 0)
		return aloe_fail(setup,
		    "no memory for %u taps of messages of %u items and %u of history",
		    channel->line.n_taps, channel->max, channel->line.reach);
	for (uint32_t i = 0; i < channel->line.n_taps; i++)
		fading_init(channel->tdl.seed, i, channel->line.doppler_hz, &channel->fading[i]);
	return 0;
}

/* take_signal puts the message, or zeros, behind the history; items to make, 0 when there is
 * nothing. */
static uint32_t take_signal(struct channel_tdl *channel, const struct aloe_in *in)
{
	float *now = channel->signal + 2 * (size_t)channel->line.reach;
	const bool valid = in->state == ALOE_VALID;
	const uint32_t n = valid ? in->len : channel->max;

	if (!valid && channel->tail == 0)
		return 0;
	if (valid) {
		channel->tail = channel->line.reach;
		memcpy(now, in->data, (size_t)n * 8);
	} else {
		channel->tail -= n < channel->tail ? n : channel->tail;
		channel->tails++;
		memset(now, 0, (size_t)n * 8);
	}
	return n;
}

static void keep_history(struct channel_tdl *channel, uint32_t n)
{
	memmove(channel->signal, channel->signal + 2 * (size_t)n, (size_t)channel->line.reach * 8);
}

/* add_tap adds what comes by one tap to `out`. */
static void add_tap(struct channel_tdl *channel, uint32_t tap_number, double start_s, uint32_t n,
    float *gains, float *out)
{
	const struct tdl_tap *tap = &channel->line.taps[tap_number];
	const float *x = channel->signal + 2 * (size_t)(channel->line.reach - tap->delay);
	const uint32_t points = (n + channel->step - 1) / channel->step + 1;

	channel->kernels->gains(&channel->fading[tap_number], start_s,
	    channel->step * channel->item_s, points, tap->amplitude, channel->points);
	channel->kernels->spread(channel->points, channel->step, n, gains);
	if (tap->n_filter > 1) {
		channel->kernels->filter(tap->filter, tap->n_filter, x, n, channel->filtered);
		x = channel->filtered;
	}
	channel->kernels->add_product(gains, x, n, out);
}

static int channel_tdl_work(void *self, struct aloe_slot *slot)
{
	struct channel_tdl *channel = self;
	const bool valid = aloe_in_valid(slot, 0);
	const uint32_t n = take_signal(channel, &slot->in[0]);
	const double start_s = (double)slot->index * channel->slot_s;
	float *out = slot->out[0].data, *taps = slot->out[1].data;

	if (n == 0 && !valid) {
		slot->out[0].state = slot->out[1].state = slot->in[0].state;
		return 0;
	}
	memset(out, 0, (size_t)n * 8);
	for (uint32_t i = 0; i < channel->line.n_taps; i++)
		add_tap(channel, i, start_s, n,
		    channel->gives_taps ? taps + 2 * (size_t)i * n : channel->gains, out);
	keep_history(channel, n);
	aloe_put(slot, 0, n);
	if (channel->gives_taps)
		aloe_put(slot, 1, n * channel->line.n_taps);
	return 0;
}

static int channel_tdl_reset(void *self)
{
	struct channel_tdl *channel = self;

	memset(channel->signal, 0, (size_t)channel->line.reach * 8);
	channel->tail = 0;
	return 0;
}

/* The work of one tap after the other goes through all of it. */
static void channel_tdl_warm(const void *self, struct aloe_warm *warm)
{
	const struct channel_tdl *channel = self;
	const size_t items = (size_t)channel->max + 1;

	aloe_warm(warm, &channel->line, sizeof(channel->line));
	aloe_warm(warm, channel->fading, channel->line.n_taps * sizeof(*channel->fading));
	aloe_warm_code(warm, (uintptr_t)channel->kernels->gains, 2048);
	aloe_warm(warm, channel->points, (channel->max / channel->step + 2) * (size_t)8);
	aloe_warm(warm, channel->signal, (channel->line.reach + items) * 8);
	aloe_warm(warm, channel->gains, items * 8);
	aloe_warm(warm, channel->filtered, items * 8);
}

ALOE_COMPONENT(channel_tdl) = {
    .summary = "multipath fading channel: ITU and 3GPP profiles, Rayleigh, Jakes Doppler",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct channel_tdl),
    .kmac = 20,
    .shape = channel_tdl_shape,
    .init = channel_tdl_init,
    .work = channel_tdl_work,
    .reset = channel_tdl_reset,
    .warm = channel_tdl_warm,
};
