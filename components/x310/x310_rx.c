/* SPDX-License-Identifier: BSD-3-Clause
 * x310_rx - the samples that a channel of the radio has received in this slot. The radio is the waveform's clock, so each slot
 * has exactly slot_samples, of however many packets; as cf32, full scale is 1 (core/kernels/iq.h), as ci16 they are as they came.
 *
 * A slot of which a packet is missing is ABSENT, or has zeros there (`missing`): counted both ways, and the samples behind it
 * are where their time stamps say. */
#include "components/x310/x310.h"
#include "core/kernels/iq.h"

struct x310_rx {
	struct x310 x310;
	int32_t type;
	int32_t missing;
	uint64_t slots_short;
	uint64_t samples_missing;
	uint64_t packets_lost;
	uint64_t overruns;

	const struct iq_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_OUT_AS("out", ALOE_CF32 | ALOE_CI16, "type", "samples received"),
};

static const char *const types[] = {"cf32", "ci16", NULL};
static const char *const missings[] = {"absent", "zeros", NULL};

static const struct aloe_param params[] = {
    X310_PARAMS,
    ALOE_PARAM_ENUM(struct x310_rx, type, types, "cf32", 0, "of the samples that come out"),
    ALOE_PARAM_ENUM(struct x310_rx, missing, missings, "absent", ALOE_LIVE,
        "a slot with lost packets is ABSENT, or has zeros there"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct x310_rx, slots_short, "", "slots of which samples are missing"),
    ALOE_VAR_U64(struct x310_rx, samples_missing, "", "in them"),
    ALOE_VAR_U64(struct x310_rx, packets_lost, "",
        "packets of the channel that did not come, since the radio's start"),
    ALOE_VAR_U64(struct x310_rx, overruns, "", "times that the radio had to stop, since its start"),
};

static int x310_rx_check(void *self, struct aloe_setup *setup)
{
	(void)self;
	return x310_check(setup);
}

static int x310_rx_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->slot_samples;
	return 0;
}

static int x310_rx_init(void *self, struct aloe_setup *setup)
{
	struct x310_rx *rx = self;
	struct aloe_radio_channel set;

	rx->kernels = iq_kernels((enum simd_level)setup->simd);
	if (x310_find(&rx->x310, setup) < 0)
		return -1;
	set = x310_was_set(&rx->x310);
	return x310_agree_all(
	    &rx->x310, set.rx_frequency_hz, set.rx_gain_db, setup->radio->rx_packet, setup);
}

/* The samples from `from` on, to the end of a piece; how many. */
static uint32_t take(struct x310_rx *rx, struct aloe_out *out, uint32_t from, uint32_t slot_samples,
    uint32_t *missing)
{
	const uint32_t item = aloe_item_bytes(rx->type ? ALOE_CI16 : ALOE_CF32),
	               left = slot_samples - from;
	struct aloe_radio *radio = rx->x310.radio;
	uint8_t *to = (uint8_t *)out->data + (size_t)from * item;
	uint32_t n = 0;
	const uint8_t *iq = radio->received(radio, rx->x310.channel, from, &n);

	n = n == 0 || n > left ? left : n;
	if (!iq) {
		memset(to, 0, (size_t)n * item);
		*missing += n;
	} else if (rx->type) {
		iq_to_ci16(iq, to, n);
	} else {
		rx->kernels->to_f32(iq, (float *)(void *)to, n);
	}
	return n;
}

static int x310_rx_work(void *self, struct aloe_slot *slot)
{
	struct x310_rx *rx = self;
	const struct aloe_radio_counts *counts = &rx->x310.radio->counts[rx->x310.channel];
	const uint32_t n = aloe_out_max(slot, 0);
	uint32_t missing = 0;

	for (uint32_t from = 0; from < n;)
		from += take(rx, &slot->out[0], from, n, &missing);
	rx->slots_short += missing > 0;
	rx->samples_missing += missing;
	rx->packets_lost = counts->rx_lost;
	rx->overruns = counts->rx_overruns;
	if (missing == 0 || rx->missing)
		aloe_put(slot, 0, n);
	return 0;
}

ALOE_COMPONENT(x310_rx) = {
    .summary = "samples received by a channel of an X310, which is the waveform's clock",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct x310_rx),
    .kmac = 1,
    .check = x310_rx_check,
    .shape = x310_rx_shape,
    .init = x310_rx_init,
    .work = x310_rx_work,
};
