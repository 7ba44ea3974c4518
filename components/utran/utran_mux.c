/* SPDX-License-Identifier: BSD-3-Clause
 * utran_mux - one radio frame of each transport channel, one after the other, 3GPP TS 25.212
 * section 4.2.8.
 *
 * With one physical channel its segmentation (4.2.10), which comes next, changes nothing: no
 * component does it. */
#include <aloe/component.h>

enum { CHANNELS = 4 };

struct mux {
	uint32_t bits[CHANNELS]; /* of a radio frame; 0 not connected */
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in0", ALOE_BIT | ALOE_BYTE, "radio frame of transport channel 1"),
    ALOE_IN_OPTIONAL("in1", ALOE_BIT | ALOE_BYTE, "radio frame of transport channel 2"),
    ALOE_IN_OPTIONAL("in2", ALOE_BIT | ALOE_BYTE, "radio frame of transport channel 3"),
    ALOE_IN_OPTIONAL("in3", ALOE_BIT | ALOE_BYTE, "radio frame of transport channel 4"),
    ALOE_OUT("out", ALOE_BIT | ALOE_BYTE, "radio frame of the physical channel"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct mux, short_blocks, "block", "messages that were not one whole radio frame"),
};

static int mux_shape(void *self, struct aloe_setup *setup)
{
	uint64_t total = 0;

	(void)self;
	for (unsigned i = 0; i < CHANNELS; i++)
		total += setup->in[i].type ? setup->in[i].max : 0;
	if (total > UINT32_MAX)
		return aloe_fail(setup,
		    "inputs of %llu bits together are more than a message holds",
		    (unsigned long long)total);
	setup->out[0].max = (uint32_t)total;
	return 0;
}

static int mux_init(void *self, struct aloe_setup *setup)
{
	struct mux *s = self;

	for (unsigned i = 0; i < CHANNELS; i++)
		s->bits[i] = setup->in[i].type ? setup->in[i].max : 0;
	return 0;
}

/* The frame needs all its channels: one that is ABSENT or not whole makes it ABSENT, else one that
 * is IDLE makes it so.
 */
static uint32_t mux_state(struct mux *s, const struct aloe_slot *slot)
{
	uint32_t state = ALOE_VALID;

	for (unsigned i = 0; i < CHANNELS; i++) {
		uint32_t one = s->bits[i] ? slot->in[i].state : ALOE_VALID;
		if (s->bits[i] && one == ALOE_VALID && slot->in[i].len != s->bits[i]) {
			s->short_blocks++;
			one = ALOE_ABSENT;
		}
		state = one < state ? one : state;
	}
	return state;
}

static int mux_work(void *self, struct aloe_slot *slot)
{
	struct mux *s = self;
	uint8_t *out = aloe_out_bit(slot, 0);
	uint32_t len = 0;

	slot->out[0].state = mux_state(s, slot);
	if (slot->out[0].state != ALOE_VALID)
		return 0;
	for (unsigned i = 0; i < CHANNELS; i++) {
		if (s->bits[i])
			memcpy(out + len, aloe_in_bit(slot, i), s->bits[i]);
		len += s->bits[i];
	}
	aloe_put(slot, 0, len);
	return 0;
}

ALOE_COMPONENT(utran_mux) = {
    .summary = "multiplex 1 to 4 UTRAN transport channels into a radio frame",
    .doc = "The channels follow in the order of the inputs. The frame is ABSENT if an input is "
           "ABSENT, else IDLE if an input is IDLE.",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct mux),
    .kmac = 1,
    .mix = "copy 1",
    .shape = mux_shape,
    .init = mux_init,
    .work = mux_work,
    .stateless = 1,
};
