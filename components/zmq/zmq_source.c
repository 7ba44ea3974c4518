/* SPDX-License-Identifier: BSD-3-Clause
 * zmq_source - items that another program sends over ZeroMQ, as the ZMQ sinks of GNU Radio do,
 * `length` of them in each message. See `man aloe-from-gnuradio`.
 *
 * pattern = "pull" reads a ZMQ PUSH Sink, "sub" a ZMQ PUB Sink, "req" a ZMQ REP Sink, which sends
 * only what is asked for. With tagged = true messages have GNU Radio's tag header (Pass Tags):
 * rx_rate, rx_freq and rx_time are shown, and items that the offsets leave out are counted (lost).
 * Both ends must agree. A message whose length is no multiple of an item, or without the header, is
 * refused and counted; the next one is taken. Messages of any length are joined and cut; until
 * `length` items are there a step waits (slip), or the message is ABSENT (skip). At most `queue`
 * messages wait in ZeroMQ, and buffer_ms of them in ALOE. */
#include "components/zmq/zmq.h"

struct zmq_source {
	char address[ZMQ_ADDRESS_MAX];
	char key[ZMQ_KEY_MAX];
	int32_t pattern;
	int32_t type;
	bool bind;
	bool tagged;
	uint32_t length;
	uint32_t queue;
	uint32_t idle_ms;
	uint32_t buffer_ms;
	uint64_t messages, refused, lost, tags;
	double rx_rate, rx_freq, rx_time;
	struct zmq_in zmq;
};

static const char *const pattern_names[] = {"sub", "pull", "req", NULL};

static const struct aloe_port ports[] = {
    ALOE_OUT_AS("out", ALOE_ANY, "type", "items received"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_TEXT(struct zmq_source, address, "tcp://127.0.0.1:5555", 0,
        "tcp://HOST:PORT or ipc://PATH of the other end"),
    ALOE_PARAM_ENUM(
        struct zmq_source, pattern, pattern_names, "pull", 0, "socket: sub, pull or req"),
    ALOE_PARAM_BOOL(struct zmq_source, bind, false, 0,
        "bind the address; else connect to it (a sink of GNU Radio binds)"),
    ALOE_PARAM_ENUM(struct zmq_source, type, zmq_types, "cf32", 0, "type of the items"),
    ALOE_PARAM_INT(
        struct zmq_source, length, 0, 1, 1 << 24, "items", ALOE_REQUIRED, "items in each message"),
    ALOE_PARAM_BOOL(struct zmq_source, tagged, false, 0, "messages have a tag header (Pass Tags)"),
    ALOE_PARAM_TEXT(struct zmq_source, key, "", 0, "sub: key of the messages; empty: none"),
    ALOE_PARAM_INT(
        struct zmq_source, queue, 16, 1, 10000, "messages", 0, "most messages that wait in ZeroMQ"),
    ALOE_PARAM_INT(struct zmq_source, idle_ms, 0, 0, 86400000, "ms", 0,
        "end of the run when nothing has come for so long; 0: never"),
    ALOE_PARAM_INT(struct zmq_source, buffer_ms, 200, 10, 10000, "ms", 0,
        "time of samples that the buffer between the socket and the slot holds"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct zmq_source, messages, "", "messages of the other program taken"),
    ALOE_VAR_U64(struct zmq_source, refused, "",
        "messages refused: no multiple of an item, or not the header or frames that were agreed"),
    ALOE_VAR_U64(struct zmq_source, lost, "", "items that the offsets of tag headers leave out"),
    ALOE_VAR_U64(struct zmq_source, tags, "", "tags received"),
    ALOE_VAR_F64(struct zmq_source, rx_rate, "Hz", "the last rx_rate"),
    ALOE_VAR_F64(struct zmq_source, rx_freq, "Hz", "the last rx_freq"),
    ALOE_VAR_F64(struct zmq_source, rx_time, "s", "the last rx_time"),
};

static int zmq_source_check(void *self, struct aloe_setup *setup)
{
	const struct zmq_source *source = self;

	if (source->key[0] && source->pattern != SAMPLES_PUB_SUB)
		return aloe_fail(setup, "key is for pattern = \"sub\" only");
	return address_check(source->address, setup);
}

static int zmq_source_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct zmq_source *)self)->length;
	return 0;
}

static int zmq_source_init(void *self, struct aloe_setup *setup)
{
	struct zmq_source *source = self;
	const uint32_t type = 1u << source->type;

	source->zmq.length = source->length;
	source->zmq.type = type;
	source->zmq.idle_ms = source->idle_ms;
	return zmq_in_open(&source->zmq,
	    &(struct samples_use){.address = source->address,
	        .pattern = (enum samples_pattern)source->pattern,
	        .request = SAMPLES_REQUEST_ITEMS,
	        .bind = source->bind,
	        .tags = source->tagged,
	        .key = source->key,
	        .queue = (int)source->queue,
	        .item_bytes = aloe_item_bytes(type)},
	    setup);
}

static int zmq_source_fill(void *self, struct aloe_record *record, struct aloe_setup *setup)
{
	return zmq_in_fill(&((struct zmq_source *)self)->zmq, record, setup);
}

static int zmq_source_work(void *self, struct aloe_slot *slot)
{
	struct zmq_source *source = self;
	struct zmq_in *zmq = &source->zmq;
	const struct aloe_record *record = slot->record;

	source->messages = atomic_load_explicit(&zmq->messages, memory_order_relaxed);
	source->refused = atomic_load_explicit(&zmq->refused, memory_order_relaxed);
	source->lost = atomic_load_explicit(&zmq->lost, memory_order_relaxed);
	source->tags = atomic_load_explicit(&zmq->tags, memory_order_relaxed);
	source->rx_rate = real_shown(&zmq->rx_rate);
	source->rx_freq = real_shown(&zmq->rx_freq);
	source->rx_time = real_shown(&zmq->rx_time);
	if (!record)
		return 0;
	if (record->state != ALOE_VALID) {
		slot->out[0].state = record->state;
		return 0;
	}
	memcpy(slot->out[0].data, record->data,
	    (size_t)record->len * aloe_item_bytes(1u << source->type));
	aloe_put(slot, 0, record->len);
	return 0;
}

static int zmq_source_close(void *self, struct aloe_setup *setup)
{
	struct zmq_source *source = self;

	(void)setup;
	samples_in_close(source->zmq.in);
	source->zmq.in = NULL;
	return 0;
}

ALOE_COMPONENT(zmq_source) = {
    .summary = "items that another program sends over ZeroMQ",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct zmq_source),
    .check = zmq_source_check,
    .shape = zmq_source_shape,
    .init = zmq_source_init,
    .work = zmq_source_work,
    .close = zmq_source_close,
    .fill = zmq_source_fill,
};
