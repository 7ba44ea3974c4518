/* SPDX-License-Identifier: BSD-3-Clause
 * radio_rx - the samples that a channel of the radio has received in this slot. The radio is the
 * waveform's clock, so each slot has exactly slot_samples, of however many packets; as cf32, full
 * scale is 1 (core/kernels/iq.h), as ci16 they are as they came.
 *
 * A slot of which a packet is missing is ABSENT, or has zeros there (`missing`): counted both ways,
 * and the samples behind it are where their time stamps say.
 *
 * Where the radio ends (a recording), the last message may be short, and the run ends with it. */
#include "components/radio/radio.h"
#include "core/kernels/iq.h"

struct radio_rx {
	struct radio_user user;
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
    RADIO_PARAMS,
    ALOE_PARAM_ENUM(struct radio_rx, type, types, "cf32", 0, "type of the samples that come out"),
    ALOE_PARAM_ENUM(struct radio_rx, missing, missings, "absent", ALOE_LIVE,
        "what becomes of a slot with lost packets: absent (no message), or zeros in place of the "
        "samples"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct radio_rx, slots_short, "", "slots with missing samples"),
    ALOE_VAR_U64(struct radio_rx, samples_missing, "", "samples missing in all slots together"),
    ALOE_VAR_U64(struct radio_rx, packets_lost, "",
        "packets of the channel that did not come since the radio's start"),
    ALOE_VAR_U64(struct radio_rx, overruns, "",
        "times that the radio had to stop receiving since the radio's start"),
};

static int radio_rx_check(void *self, struct aloe_setup *setup)
{
	(void)self;
	return radio_check(setup);
}

static int radio_rx_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->slot_samples;
	return 0;
}

static int radio_rx_init(void *self, struct aloe_setup *setup)
{
	struct radio_rx *rx = self;
	struct aloe_radio_channel set;

	rx->kernels = iq_kernels((enum simd_level)setup->simd);
	if (radio_find(&rx->user, setup) < 0)
		return -1;
	if (setup->radio->rx_packet == 0)
		return aloe_fail(setup,
		    "the radio only sends (direction = \"tx\" in the radio file), so radio_rx "
		    "cannot receive");
	set = radio_was_set(&rx->user);
	return radio_agree_all(
	    &rx->user, set.rx_frequency_hz, set.rx_gain_db, setup->radio->rx_packet, setup);
}

/* The samples from `from` on, to the end of a piece; how many. */
static uint32_t take(struct radio_rx *rx, struct aloe_out *out, uint32_t from,
    uint32_t slot_samples, uint32_t *missing)
{
	const uint32_t item = aloe_item_bytes(rx->type ? ALOE_CI16 : ALOE_CF32),
	               left = slot_samples - from;
	struct aloe_radio *radio = rx->user.radio;
	uint8_t *to = (uint8_t *)out->data + (size_t)from * item;
	uint32_t n = 0;
	const uint8_t *iq = radio->received(radio, rx->user.channel, from, &n);

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

static int radio_rx_work(void *self, struct aloe_slot *slot)
{
	struct radio_rx *rx = self;
	const struct aloe_radio_counts *counts = &rx->user.radio->counts[rx->user.channel];
	const uint32_t max = aloe_out_max(slot, 0);
	const uint64_t left = rx->user.radio->left;
	const uint32_t n = left < max ? (uint32_t)left : max;
	uint32_t missing = 0;

	for (uint32_t from = 0; from < n;)
		from += take(rx, &slot->out[0], from, n, &missing);
	rx->slots_short += missing > 0;
	rx->samples_missing += missing;
	rx->packets_lost = counts->rx_lost;
	rx->overruns = counts->rx_overruns;
	if (n > 0 && (missing == 0 || rx->missing))
		aloe_put(slot, 0, n);
	if (left <= max)
		aloe_end(slot);
	return 0;
}

ALOE_COMPONENT(radio_rx) = {
    .summary = "receive the samples of a channel of the radio that is the clock of the waveform",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct radio_rx),
    .kmac = 1,
    .check = radio_rx_check,
    .shape = radio_rx_shape,
    .init = radio_rx_init,
    .work = radio_rx_work,
};
