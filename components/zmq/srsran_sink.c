/* SPDX-License-Identifier: BSD-3-Clause
 * srsran_sink - what a base station or a UE of srsRAN receives with its ZeroMQ radio
 * (device_name = zmq): cf32, one message for each request of one byte.
 *
 * `address` is the rx_port of that end (rx_port=tcp://127.0.0.1:2001), which connects. A message
 * stays until it is asked for: srsRAN is the clock. An ABSENT message after the first VALID one is
 * sent as silence of the largest length, because srsRAN counts samples as time. */
#include "components/zmq/zmq.h"

struct srsran_sink {
	char address[ZMQ_ADDRESS_MAX];
	uint32_t buffer_ms;
	uint64_t messages, items, silent, requests, refused, dropped;
	struct zmq_out zmq;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples for srsRAN"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_TEXT(struct srsran_sink, address, "tcp://127.0.0.1:2001", 0,
        "rx_port of the other end, tcp://HOST:PORT"),
    ALOE_PARAM_INT(struct srsran_sink, buffer_ms, 200, 10, 10000, "ms", 0,
        "time of samples that the buffer between the slot and the socket holds"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct srsran_sink, messages, "", "VALID messages taken"),
    ALOE_VAR_U64(struct srsran_sink, items, "", "samples sent"),
    ALOE_VAR_U64(struct srsran_sink, silent, "", "ABSENT messages, sent as silence"),
    ALOE_VAR_U64(struct srsran_sink, requests, "", "requests answered"),
    ALOE_VAR_U64(struct srsran_sink, refused, "", "requests that were none"),
    ALOE_VAR_U64(struct srsran_sink, dropped, "",
        "messages that nobody had asked for at the end of the run"),
};

static int srsran_sink_check(void *self, struct aloe_setup *setup)
{
	return address_check(((const struct srsran_sink *)self)->address, setup);
}

static int srsran_sink_init(void *self, struct aloe_setup *setup)
{
	struct srsran_sink *sink = self;

	return zmq_out_open(&sink->zmq,
	    &(struct samples_use){.address = sink->address,
	        .pattern = SAMPLES_REQ_REP,
	        .request = SAMPLES_REQUEST_BYTE,
	        .bind = true,
	        .queue = 2,
	        .item_bytes = sizeof(cf32)},
	    setup);
}

static int srsran_sink_work(void *self, struct aloe_slot *slot)
{
	struct srsran_sink *sink = self;
	struct zmq_out *zmq = &sink->zmq;
	const bool silence = zmq->started && slot->in[0].state == ALOE_ABSENT && slot->record;

	sink->messages += slot->in[0].state == ALOE_VALID;
	sink->silent += silence;
	zmq_out_work(zmq, slot);
	if (silence) {
		memset(slot->record->data, 0, zmq->length * sizeof(cf32));
		slot->record->len = zmq->length;
		slot->record->state = ALOE_VALID;
		zmq->taken++;
	}
	sink->items = atomic_load_explicit(&zmq->items_sent, memory_order_relaxed);
	sink->requests = atomic_load_explicit(&zmq->requests, memory_order_relaxed);
	sink->refused = atomic_load_explicit(&zmq->refused, memory_order_relaxed);
	return 0;
}

static int srsran_sink_drain(void *self, const struct aloe_record *record, struct aloe_setup *setup)
{
	return zmq_out_drain(&((struct srsran_sink *)self)->zmq, record, setup);
}

static int srsran_sink_close(void *self, struct aloe_setup *setup)
{
	struct srsran_sink *sink = self;

	sink->items = atomic_load(&sink->zmq.items_sent);
	sink->requests = atomic_load(&sink->zmq.requests);
	sink->dropped = zmq_out_close(&sink->zmq, setup);
	return 0;
}

ALOE_COMPONENT(srsran_sink) = {
    .summary = "samples for the ZeroMQ radio of srsRAN",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct srsran_sink),
    .check = srsran_sink_check,
    .init = srsran_sink_init,
    .work = srsran_sink_work,
    .close = srsran_sink_close,
    .drain = srsran_sink_drain,
};
