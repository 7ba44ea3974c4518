/* SPDX-License-Identifier: BSD-3-Clause
 * clock_skew - the stream as it is heard by somebody whose sample clock is not the sender's:
 * messages of the length that they have, in which the delay of the stream grows or shrinks from
 * item to item.
 *
 * Item k of the output is the stream at time k (1 + ppm / 10^6) - items, by a sinc of 32 items
 * under a Hann window for a signal that fills no more than two thirds of the band (errors are 55 dB
 * down).
 *
 * With `taps` of a channel_tdl connected it is a guide as well: it knows the gains of the channel's
 * paths, and gives the stream as if the strongest path of the message were the first one:
 * `path_items` earlier. It changes from one path to another before item `from` of the message: with
 * frames that begin there, a receiver that stands still is told the delay of the strongest path of
 * each frame. */
#include <aloe/component.h>

#include <math.h>

enum { PATHS_MAX = 24, STEPS = 1024, LEN = 32, KEPT = 2 };

struct clock_skew {
	double ppm;
	double items;
	uint32_t from;
	struct aloe_reals path_items;
	uint64_t strongest;
	uint64_t changes;
	uint32_t max;
	cf32 *stream; /* KEPT messages before this one, and this one */
	float *bank;  /* STEPS filters of LEN taps */
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples by the sender's clock"),
    ALOE_IN_OPTIONAL("taps", ALOE_CF32, "of channel_tdl: gain of each item, tap after tap"),
    ALOE_OUT("out", ALOE_CF32, "samples by the receiver's clock"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(
        struct clock_skew, ppm, 0, -1000, 1000, "ppm", 0, "the sender's clock is so much fast"),
    ALOE_PARAM_REAL(struct clock_skew, items, LEN, LEN, 1e6, "items", 0, "delay at the first item"),
    ALOE_PARAM_INT(
        struct clock_skew, from, 0, 0, 1e6, "items", 0, "where in a message the path may change"),
    ALOE_PARAM_REALS(
        struct clock_skew, path_items, PATHS_MAX, 0, 1e6, "items", 0, "delay of each path"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct clock_skew, strongest, "", "path of the last message that has most power"),
    ALOE_VAR_U64(struct clock_skew, changes, "", "how often it was another path than before"),
};

static int skew_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->in[0].max;
	return 0;
}

static int skew_init(void *self, struct aloe_setup *setup)
{
	struct clock_skew *s = self;

	s->max = setup->in[0].max;
	s->stream = aloe_alloc(setup, (size_t)(KEPT + 1) * s->max * sizeof(cf32));
	s->bank = aloe_alloc(setup, (size_t)(STEPS + 1) * LEN * sizeof(float));
	if (!s->stream || !s->bank)
		return aloe_fail(setup, "no memory for %u items", s->max);
	if (setup->in[1].type && setup->in[1].max != s->path_items.len * s->max)
		return aloe_fail(setup, "path_items has %u delays, taps the gains of %u paths",
		    s->path_items.len, setup->in[1].max / s->max);
	for (int step = 0; step <= STEPS; step++)
		for (int k = 0; k < LEN; k++) {
			const double t = M_PI * (k - (LEN / 2 - 1) - (double)step / STEPS);
			const double window = 0.5 + 0.5 * cos(t / (LEN / 2 + 0.5));

			s->bank[step * LEN + k] = (float)(fabs(t) < 1e-9 ? 1 : sin(t) / t * window);
		}
	return 0;
}

/* The path with most power in the message; the last one where the gains are not known. */
static uint32_t strongest(const struct clock_skew *s, const struct aloe_in *taps)
{
	const cf32 *gain = taps->data;
	uint32_t best = (uint32_t)s->strongest;
	double most = 0;

	for (uint32_t path = 0; path < s->path_items.len && taps->len; path++) {
		double power = 0;

		for (uint32_t i = 0; i < s->max; i += 64) {
			const cf32 g = gain[(size_t)path * s->max + i];

			power += (double)(crealf(g) * crealf(g) + cimagf(g) * cimagf(g));
		}
		if (power > most) {
			most = power;
			best = path;
		}
	}
	return best;
}

/* The stream at item `at`, counted from the oldest one that is kept. */
static cf32 stream_at(const struct clock_skew *s, double at)
{
	const double whole = floor(at);
	const float *tap = s->bank + lrint((at - whole) * STEPS) * LEN;
	const float *in = (const float *)(s->stream + (size_t)whole - (LEN / 2 - 1));
	float re = 0, im = 0;

	for (int k = 0; k < LEN; k++) {
		re += tap[k] * in[2 * k];
		im += tap[k] * in[2 * k + 1];
	}
	return re + I * im;
}

static int skew_work(void *self, struct aloe_slot *slot)
{
	struct clock_skew *s = self;
	const double rate = 1 + 1e-6 * s->ppm, first = (double)slot->index * s->max;
	const uint32_t before = (uint32_t)s->strongest;
	const float *lead = s->path_items.data;
	cf32 *out = aloe_out_cf32(slot, 0), *now = s->stream + (size_t)KEPT * s->max;

	memmove(s->stream, s->stream + s->max, (size_t)KEPT * s->max * sizeof(cf32));
	memset(now, 0, s->max * sizeof(cf32));
	memcpy(now, slot->in[0].data, aloe_in_len(slot, 0) * sizeof(cf32));
	s->strongest = strongest(s, &slot->in[1]);
	s->changes += s->strongest != before;
	for (uint32_t i = 0; i < s->max; i++) {
		const double led =
		    s->path_items.len ? (double)lead[i < s->from ? before : s->strongest] : 0;
		const double at =
		    (first + i) * rate - first - s->items + led + (double)KEPT * s->max;

		if (at < LEN || at > (double)(KEPT + 1) * s->max - LEN / 2 - 1) {
			slot->why = "the clock has run away from what is kept of the stream";
			return -1;
		}
		out[i] = stream_at(s, at);
	}
	aloe_put(slot, 0, s->max);
	return 0;
}

ALOE_COMPONENT(clock_skew) = {
    .summary = "a stream as heard by another sample clock, for tests",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct clock_skew),
    .shape = skew_shape,
    .init = skew_init,
    .work = skew_work,
};
