/* SPDX-License-Identifier: BSD-3-Clause
 * x310_tx - samples for a channel of the radio to send for this slot: written straight into its packets, which leave at once.
 * When a sample leaves the antenna is the radio's constant (`tx_advance` of the platform file; the variable `advance` shows it):
 * the sample that came at time t is answered at t + advance, whatever the slot.
 *
 * Of cf32, full scale is 1; what does not fit is limited and counted (core/kernels/iq.h). ci16 goes out as it is. A slot has
 * slot_samples: what a message lacks, and what an ABSENT or IDLE one would have had, are zeros, so that the radio never
 * waits, or is left out (`missing`): the radio is silent, and its next burst begins with the next message. */
#include "components/x310/x310.h"
#include "core/kernels/iq.h"

struct x310_tx {
	struct x310 x310;
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
    X310_PARAMS,
    ALOE_PARAM_ENUM(struct x310_tx, missing, missings, "zeros", ALOE_LIVE,
        "what is sent for a message that does not come or is short: zeros, or nothing"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct x310_tx, slots_absent, "", "slots without a message"),
    ALOE_VAR_U64(
        struct x310_tx, slots_short, "", "slots with fewer samples than they have room for"),
    ALOE_VAR_U64(
        struct x310_tx, values_limited, "", "real and imaginary parts that did not fit in 16 bits"),
    ALOE_VAR_U64(struct x310_tx, samples_left, "", "samples for which the way out had no room"),
    ALOE_VAR_U64(
        struct x310_tx, packets_late, "", "packets that the radio got too late, since its start"),
    ALOE_VAR_U64(
        struct x310_tx, underruns, "", "times that the radio had nothing to send, since its start"),
    ALOE_VAR_U64(
        struct x310_tx, sequence_errors, "", "packets that the radio missed, since its start"),
    ALOE_VAR_F64(struct x310_tx, advance, "items",
        "from a sample received to its answer; negative: as soon as it comes"),
};

static int x310_tx_check(void *self, struct aloe_setup *setup)
{
	(void)self;
	return x310_check(setup);
}

static int x310_tx_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	if (setup->in[0].max > setup->slot_samples)
		return aloe_fail(setup, "messages have up to %u samples, a slot has %u",
		    setup->in[0].max, setup->slot_samples);
	return 0;
}

static int x310_tx_init(void *self, struct aloe_setup *setup)
{
	struct x310_tx *tx = self;
	struct aloe_radio_channel set;

	tx->kernels = iq_kernels((enum simd_level)setup->simd);
	tx->slot_samples = setup->slot_samples;
	tx->type = setup->in[0].type;
	if (x310_find(&tx->x310, setup) < 0)
		return -1;
	if (setup->radio->tx_packet == 0)
		return aloe_fail(setup,
		    "the radio only listens (listen = true in the platform file): nothing can be sent");
	set = x310_was_set(&tx->x310);
	tx->advance = (double)setup->radio->tx_advance;
	return x310_agree_all(
	    &tx->x310, set.tx_frequency_hz, set.tx_gain_db, setup->radio->tx_packet, setup);
}

/* n samples of the message, from `from` on, and zeros where it has ended. */
static void write_samples(
    struct x310_tx *tx, const struct aloe_in *in, uint32_t from, uint32_t n, uint8_t *iq)
{
	const uint32_t left = from < in->len ? in->len - from : 0, some = n < left ? n : left;

	if (some > 0 && tx->type == ALOE_CI16)
		iq_from_ci16((const struct aloe_ci16 *)in->data + from, iq, some);
	else if (some > 0)
		tx->values_limited +=
		    tx->kernels->from_f32((const float *)in->data + 2 * (size_t)from, iq, some);
	memset(iq + (size_t)some * IQ_BYTES, 0, (size_t)(n - some) * IQ_BYTES);
}

static void send_samples(struct x310_tx *tx, const struct aloe_in *in, uint32_t total)
{
	struct aloe_radio *radio = tx->x310.radio;

	for (uint32_t from = 0; from < total;) {
		uint32_t n = 0;
		uint8_t *iq = radio->place(radio, tx->x310.channel, &n);

		if (!iq || n == 0) {
			tx->samples_left += total - from;
			return;
		}
		n = n < total - from ? n : total - from;
		write_samples(tx, in, from, n, iq);
		radio->send(radio, tx->x310.channel, n);
		from += n;
	}
}

static int x310_tx_work(void *self, struct aloe_slot *slot)
{
	struct x310_tx *tx = self;
	const struct aloe_radio_counts *counts = &tx->x310.radio->counts[tx->x310.channel];
	const struct aloe_in *in = &slot->in[0];

	tx->slots_absent += in->state != ALOE_VALID;
	tx->slots_short += in->state == ALOE_VALID && in->len < tx->slot_samples;
	send_samples(tx, in, tx->missing ? in->len : tx->slot_samples);
	tx->packets_late = counts->tx_late;
	tx->underruns = counts->tx_underruns;
	tx->sequence_errors = counts->tx_sequence;
	return 0;
}

ALOE_COMPONENT(x310_tx) = {
    .summary = "samples for a channel of an X310, which is the waveform's clock, to send",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct x310_tx),
    .kmac = 1,
    .check = x310_tx_check,
    .shape = x310_tx_shape,
    .init = x310_tx_init,
    .work = x310_tx_work,
};
