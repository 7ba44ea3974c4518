/* SPDX-License-Identifier: BSD-3-Clause
 * kinds - has one parameter of every kind, live where it can be, and shows in every message what
 * the live ones are: six numbers. */
#include <aloe/component.h>

struct kinds {
	double real;
	int32_t whole;
	uint64_t wide;
	bool flag;
	int32_t word;
	struct aloe_reals list;
	char text[8], path[256];
};

static const char *const words[] = {"zero", "one", "two", NULL};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_F32, "real, whole, wide, flag, position of word, first of the list"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct kinds, real, 0.5, -1, 1, "dB", ALOE_LIVE, "a number"),
    ALOE_PARAM_INT(struct kinds, whole, 0, -5, 5, "", ALOE_LIVE, "a whole number"),
    ALOE_PARAM_INT(struct kinds, wide, 0, 0, 0x1p53, "", ALOE_LIVE, "a large whole number"),
    ALOE_PARAM_BOOL(struct kinds, flag, 0, ALOE_LIVE, "true or false"),
    ALOE_PARAM_ENUM(struct kinds, word, words, "zero", ALOE_LIVE, "one of some words"),
    ALOE_PARAM_REALS(struct kinds, list, 4, -1, 1, "", ALOE_LIVE | ALOE_REQUIRED, "an array"),
    ALOE_PARAM_TEXT(struct kinds, text, "", 0, "a text"),
    ALOE_PARAM_PATH(struct kinds, path, "/dev/null", 0, "a path"),
};

static int kinds_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = 6;
	return 0;
}

static int kinds_work(void *self, struct aloe_slot *slot)
{
	const struct kinds *kinds = self;
	float *out = aloe_out_f32(slot, 0);

	out[0] = (float)kinds->real;
	out[1] = (float)kinds->whole;
	out[2] = (float)kinds->wide;
	out[3] = kinds->flag;
	out[4] = (float)kinds->word;
	out[5] = kinds->list.data[0];
	aloe_put(slot, 0, 6);
	return 0;
}

ALOE_COMPONENT(kinds) = {
    .summary = "shows its parameters, one of each kind, for tests",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct kinds),
    .shape = kinds_shape,
    .work = kinds_work,
};
