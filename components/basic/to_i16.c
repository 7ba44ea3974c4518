/* SPDX-License-Identifier: BSD-3-Clause
 * to_i16 - real numbers to whole numbers of 16 bits, for a WAV file: 32768 * gain * in, rounded to
 * the nearest, halves to even. What does not fit is limited to -32768 .. 32767, and counted; NaN
 * becomes 0, and is counted, too. */
#include <aloe/component.h>

#include <math.h>

#define FULL_SCALE 32768.0f
#define MOST 32767.0f

struct to_i16 {
	float gain;
	uint64_t limited;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_F32, "numbers, full scale 1"),
    ALOE_OUT("out", ALOE_I16, "whole numbers, full scale 32768"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct to_i16, gain, 1, 0, 1e6, "", ALOE_LIVE, "linear gain"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct to_i16, limited, "", "numbers that did not fit in 16 bits"),
};

static int to_i16_work(void *self, struct aloe_slot *slot)
{
	struct to_i16 *s = self;
	const float scale = FULL_SCALE * s->gain;
	const float *in = slot->in[0].data;
	int16_t *out = slot->out[0].data;
	const uint32_t n = aloe_pass(slot, 0, 0);
	uint64_t limited = 0;

	for (uint32_t i = 0; i < n; i++) {
		const float want = rintf(scale * in[i]);
		float has = want < -FULL_SCALE ? -FULL_SCALE : want > MOST ? MOST : want;

		has = has == has ? has : 0;
		limited += !(has == want);
		out[i] = (int16_t)has;
	}
	s->limited += limited;
	return 0;
}

ALOE_COMPONENT(to_i16) = {
    .summary = "real numbers to whole numbers of 16 bits, limited",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct to_i16),
    .kmac = 5,
    .work = to_i16_work,
    .stateless = 1,
};
