/* SPDX-License-Identifier: BSD-3-Clause
 * srsran_source - what a base station or a UE of srsRAN transmits with its ZeroMQ radio
 * (device_name = zmq): cf32, asked for piece by piece with requests of one byte.
 *
 * `address` is the tx_port of that end (tx_port=tcp://127.0.0.1:2000). Whoever is asked answers
 * with as many samples as it has; `length` of them are a message, and until they are there a step
 * waits (slip), or the message is ABSENT (skip). An end that was started again is asked again. */
#include "components/zmq/zmq.h"

struct srsran_source {
	char address[ZMQ_ADDRESS_MAX];
	uint32_t length;
	uint32_t idle_ms;
	uint32_t buffer_ms;
	uint64_t messages, refused;
	struct zmq_in zmq;
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_CF32, "samples that srsRAN transmits"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_TEXT(struct srsran_source, address, "tcp://127.0.0.1:2000", 0,
        "tx_port of the other end, tcp://HOST:PORT"),
    ALOE_PARAM_INT(struct srsran_source, length, 0, 1, 1 << 24, "items", ALOE_REQUIRED,
        "samples in each message"),
    ALOE_PARAM_INT(struct srsran_source, idle_ms, 0, 0, 86400000, "ms", 0,
        "end of the run when nothing has come for so long; 0: never"),
    ALOE_PARAM_INT(struct srsran_source, buffer_ms, 200, 10, 10000, "ms", 0,
        "time of samples that the buffer between the socket and the slot holds"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct srsran_source, messages, "", "answers taken"),
    ALOE_VAR_U64(struct srsran_source, refused, "", "answers refused: no whole number of samples"),
};

static int srsran_source_check(void *self, struct aloe_setup *setup)
{
	return address_check(((const struct srsran_source *)self)->address, setup);
}

static int srsran_source_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct srsran_source *)self)->length;
	return 0;
}

static int srsran_source_init(void *self, struct aloe_setup *setup)
{
	struct srsran_source *source = self;

	source->zmq.length = source->length;
	source->zmq.type = ALOE_CF32;
	source->zmq.idle_ms = source->idle_ms;
	return zmq_in_open(&source->zmq,
	    &(struct samples_use){.address = source->address,
	        .pattern = SAMPLES_REQ_REP,
	        .request = SAMPLES_REQUEST_BYTE,
	        .queue = 2,
	        .item_bytes = sizeof(cf32)},
	    setup);
}

static int srsran_source_fill(void *self, struct aloe_record *record, struct aloe_setup *setup)
{
	return zmq_in_fill(&((struct srsran_source *)self)->zmq, record, setup);
}

static int srsran_source_work(void *self, struct aloe_slot *slot)
{
	struct srsran_source *source = self;
	const struct aloe_record *record = slot->record;

	source->messages = atomic_load_explicit(&source->zmq.messages, memory_order_relaxed);
	source->refused = atomic_load_explicit(&source->zmq.refused, memory_order_relaxed);
	if (!record)
		return 0;
	if (record->state != ALOE_VALID) {
		slot->out[0].state = record->state;
		return 0;
	}
	memcpy(aloe_out_cf32(slot, 0), record->data, record->len * sizeof(cf32));
	aloe_put(slot, 0, record->len);
	return 0;
}

static int srsran_source_close(void *self, struct aloe_setup *setup)
{
	struct srsran_source *source = self;

	(void)setup;
	samples_in_close(source->zmq.in);
	source->zmq.in = NULL;
	return 0;
}

ALOE_COMPONENT(srsran_source) = {
    .summary = "samples that srsRAN transmits with its ZeroMQ radio",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct srsran_source),
    .check = srsran_source_check,
    .shape = srsran_source_shape,
    .init = srsran_source_init,
    .work = srsran_source_work,
    .close = srsran_source_close,
    .fill = srsran_source_fill,
};
