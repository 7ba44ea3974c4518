/* SPDX-License-Identifier: BSD-3-Clause
 * radio_tx - samples for a channel of the radio to send for this slot: written straight into its
 * packets, which leave at once. When a sample leaves the antenna is the radio's constant
 * (`tx_advance` of the platform file; the variable `advance` shows it): the sample that came at
 * time t is answered at t + advance, whatever the slot.
 *
 * Of cf32, full scale is 1; what does not fit is limited and counted (core/kernels/iq.h). ci16 goes
 * out as it is. A slot has slot_samples: what a message lacks, and what an ABSENT or IDLE one would
 * have had, are zeros, so that the radio never waits, or is left out (`missing`): the radio is
 * silent, and its next burst begins with the next message. */
#include "components/radio/radio.h"
#include "core/kernels/iq.h"

struct radio_sink {
	struct radio_user user;
	int32_t missing;
	uint64_t slots_absent;
	uint64_t slots_short;
	uint64_t values_limited;
	uint64_t samples_left;
	uint64_t packets_late;
	uint64_t underruns;
	uint64_t sequence_errors;
	double advance;

	const struct iq_kernels *kernels;
	uint32_t slot_samples;
	uint32_t type;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32 | ALOE_CI16, "samples to send, at most slot_samples"),
};

static const char *const missings[] = {"zeros", "silence", NULL};

static const struct aloe_param params[] = {
    RADIO_PARAMS,
    ALOE_PARAM_ENUM(struct radio_sink, missing, missings, "zeros", ALOE_LIVE,
        "what is sent for a message that does not come or is short: zeros, or nothing"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct radio_sink, slots_absent, "", "slots without a message"),
    ALOE_VAR_U64(
        struct radio_sink, slots_short, "", "slots with fewer samples than a slot has room for"),
    ALOE_VAR_U64(struct radio_sink, values_limited, "",
        "real and imaginary parts that did not fit in 16 bits"),
    ALOE_VAR_U64(struct radio_sink, samples_left, "",
        "samples that were not sent because the transport had no room"),
    ALOE_VAR_U64(struct radio_sink, packets_late, "",
        "packets that came to the radio too late since the radio's start"),
    ALOE_VAR_U64(struct radio_sink, underruns, "",
        "times that the radio had nothing to send since the radio's start"),
    ALOE_VAR_U64(struct radio_sink, sequence_errors, "",
        "packets that did not come to the radio since the radio's start"),
    ALOE_VAR_F64(struct radio_sink, advance, "items",
        "samples from the reception of a sample to the transmission of its answer; negative: at "
        "once"),
};

static int radio_tx_check(void *self, struct aloe_setup *setup)
{
	(void)self;
	return radio_check(setup);
}

static int radio_tx_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	if (setup->in[0].max > setup->slot_samples)
		return aloe_fail(setup, "messages have up to %u samples, but a slot has %u",
		    setup->in[0].max, setup->slot_samples);
	return 0;
}

static int radio_tx_init(void *self, struct aloe_setup *setup)
{
	struct radio_sink *tx = self;
	struct aloe_radio_channel set;

	tx->kernels = iq_kernels((enum simd_level)setup->simd);
	tx->slot_samples = setup->slot_samples;
	tx->type = setup->in[0].type;
	if (radio_find(&tx->user, setup) < 0)
		return -1;
	if (setup->radio->tx_packet == 0)
		return aloe_fail(setup,
		    "the radio only listens (listen = true in the radio file), so radio_tx cannot "
		    "send");
	set = radio_was_set(&tx->user);
	tx->advance = (double)setup->radio->tx_advance;
	return radio_agree_all(
	    &tx->user, set.tx_frequency_hz, set.tx_gain_db, setup->radio->tx_packet, setup);
}

/* n samples of the message, from `from` on, and zeros where it has ended. */
static void write_samples(
    struct radio_sink *tx, const struct aloe_in *in, uint32_t from, uint32_t n, uint8_t *iq)
{
	const uint32_t left = from < in->len ? in->len - from : 0, some = n < left ? n : left;

	if (some > 0 && tx->type == ALOE_CI16)
		iq_from_ci16((const struct aloe_ci16 *)in->data + from, iq, some);
	else if (some > 0)
		tx->values_limited +=
		    tx->kernels->from_f32((const float *)in->data + 2 * (size_t)from, iq, some);
	memset(iq + (size_t)some * IQ_BYTES, 0, (size_t)(n - some) * IQ_BYTES);
}

static void send_samples(struct radio_sink *tx, const struct aloe_in *in, uint32_t total)
{
	struct aloe_radio *radio = tx->user.radio;

	for (uint32_t from = 0; from < total;) {
		uint32_t n = 0;
		uint8_t *iq = radio->place(radio, tx->user.channel, &n);

		if (!iq || n == 0) {
			tx->samples_left += total - from;
			return;
		}
		n = n < total - from ? n : total - from;
		write_samples(tx, in, from, n, iq);
		radio->send(radio, tx->user.channel, n);
		from += n;
	}
}

static int radio_tx_work(void *self, struct aloe_slot *slot)
{
	struct radio_sink *tx = self;
	const struct aloe_radio_counts *counts = &tx->user.radio->counts[tx->user.channel];
	const struct aloe_in *in = &slot->in[0];

	tx->slots_absent += in->state != ALOE_VALID && !aloe_after(slot);
	tx->slots_short += in->state == ALOE_VALID && in->len < tx->slot_samples;
	send_samples(tx, in, tx->missing ? in->len : tx->slot_samples);
	tx->packets_late = counts->tx_late;
	tx->underruns = counts->tx_underruns;
	tx->sequence_errors = counts->tx_sequence;
	return 0;
}

ALOE_COMPONENT(radio_tx) = {
    .summary = "send samples on a channel of the radio that is the clock of the waveform",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct radio_sink),
    .kmac = 1,
    .check = radio_tx_check,
    .shape = radio_tx_shape,
    .init = radio_tx_init,
    .work = radio_tx_work,
};
