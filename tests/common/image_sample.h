/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/image_sample.h - a program with something in every table, to do damage to.
 */
#ifndef TESTS_COMMON_IMAGE_SAMPLE_H
#define TESTS_COMMON_IMAGE_SAMPLE_H

#include <stdlib.h>

#include "tests/common/probe.h"
#include "tests/common/rig.h"

struct image_sample_state {
	int32_t colour;
	char text[16];
	struct aloe_reals taps;
};

static const char *const image_sample_colours[] = {"red", "green", "blue", NULL};
static const struct aloe_port image_sample_ports[] = {
    ALOE_IN("in", ALOE_BYTE, "bytes"),
    ALOE_OUT("soft", ALOE_CF32, "samples"),
};
static const struct aloe_param image_sample_params[] = {
    ALOE_PARAM_ENUM(
        struct image_sample_state, colour, image_sample_colours, "green", ALOE_LIVE, "a colour"),
    ALOE_PARAM_TEXT(struct image_sample_state, text, "words", 0, "a text"),
    ALOE_PARAM_REALS(struct image_sample_state, taps, 8, -1, 1, "", ALOE_LIVE, "taps"),
};
static const struct aloe_component image_sample_component = {
    .summary = "of all kinds",
    .ports = ALOE_LIST(image_sample_ports),
    .params = ALOE_LIST(image_sample_params),
    .state_size = sizeof(struct image_sample_state),
};

/* source -> sample -> (nothing), source -> sink; two segments with gates. The caller closes the
 * rig. */
static inline struct rig *image_sample_rig(void)
{
	static const float taps[] = {0.5f, 0.25f, -1};
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &image_sample_component, 1, 1);
	rig_add(rig, &probe_sink, 1, 1);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_link(rig, 0, 0, 2, 0, 2);
	rig->nodes[1].values[2] = (struct rig_value){.reals = taps, .n_reals = 3};
	rig->nodes[0].max = 64;
	rig->nodes[1].max = 13;
	rig->nodes[2].source = 0;
	rig_gates(rig);
	return rig;
}

#endif
