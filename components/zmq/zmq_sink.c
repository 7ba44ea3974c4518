/* SPDX-License-Identifier: BSD-3-Clause
 * zmq_sink - the items of every VALID message to another program over ZeroMQ, as the ZMQ sources of
 * GNU Radio take them. See `man aloe-from-gnuradio`.
 *
 * pattern = "push" feeds a ZMQ PULL Source, "pub" ZMQ SUB Sources, "rep" a ZMQ REQ Source, which
 * gets only what it asks for. With full = "wait" a message stays until the other end takes it: a
 * step waits then (slip), or the message is lost and counted (skip). With full = "drop" the message
 * is dropped and counted at once. A pub without subscribers sends to nobody. With tagged = true a
 * message has GNU Radio's tag header (Pass Tags); items of ABSENT and dropped messages are left out
 * of the stream, the offset of the next header counts them, and a tag aloe_lost says how many they
 * were. */
#include "components/zmq/zmq.h"

struct zmq_sink {
	char address[ZMQ_ADDRESS_MAX];
	char key[ZMQ_KEY_MAX];
	int32_t pattern;
	int32_t full;
	bool bind;
	bool tagged;
	uint32_t queue;
	uint32_t buffer_ms;
	uint64_t messages, items, dropped, absent, requests, refused;
	struct zmq_out zmq;
};

static const char *const pattern_names[] = {"pub", "push", "rep", NULL};
static const char *const full_names[] = {"wait", "drop", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items to send"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_TEXT(
        struct zmq_sink, address, "tcp://127.0.0.1:5556", 0, "tcp://HOST:PORT or ipc://PATH"),
    ALOE_PARAM_ENUM(struct zmq_sink, pattern, pattern_names, "push", 0, "socket: pub, push or rep"),
    ALOE_PARAM_BOOL(struct zmq_sink, bind, true, 0,
        "bind the address (a source of GNU Radio connects); else connect to it"),
    ALOE_PARAM_BOOL(struct zmq_sink, tagged, false, 0, "messages get a tag header (Pass Tags)"),
    ALOE_PARAM_TEXT(struct zmq_sink, key, "", 0, "pub: key of the messages; empty: none"),
    ALOE_PARAM_INT(
        struct zmq_sink, queue, 16, 1, 10000, "messages", 0, "most messages that wait in ZeroMQ"),
    ALOE_PARAM_ENUM(struct zmq_sink, full, full_names, "wait", 0,
        "what happens when the other end does not take a message: wait or drop"),
    ALOE_PARAM_INT(struct zmq_sink, buffer_ms, 200, 10, 10000, "ms", 0,
        "time of samples that the buffer between the slot and the socket holds"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct zmq_sink, messages, "", "VALID messages taken"),
    ALOE_VAR_U64(struct zmq_sink, items, "", "items sent"),
    ALOE_VAR_U64(struct zmq_sink, dropped, "", "messages that the other end did not take"),
    ALOE_VAR_U64(struct zmq_sink, absent, "", "ABSENT messages, left out of the stream"),
    ALOE_VAR_U64(struct zmq_sink, requests, "", "rep: requests answered"),
    ALOE_VAR_U64(struct zmq_sink, refused, "", "rep: requests that were none"),
};

static int zmq_sink_check(void *self, struct aloe_setup *setup)
{
	const struct zmq_sink *sink = self;

	if (sink->key[0] && sink->pattern != SAMPLES_PUB_SUB)
		return aloe_fail(setup, "key is for pattern = \"pub\" only");
	return address_check(sink->address, setup);
}

static int zmq_sink_init(void *self, struct aloe_setup *setup)
{
	struct zmq_sink *sink = self;

	sink->zmq.drop = sink->full == 1;
	return zmq_out_open(&sink->zmq,
	    &(struct samples_use){.address = sink->address,
	        .pattern = (enum samples_pattern)sink->pattern,
	        .request = SAMPLES_REQUEST_ITEMS,
	        .bind = sink->bind,
	        .tags = sink->tagged,
	        .key = sink->key,
	        .queue = (int)sink->queue,
	        .item_bytes = aloe_item_bytes(setup->in[0].type)},
	    setup);
}

static int zmq_sink_work(void *self, struct aloe_slot *slot)
{
	struct zmq_sink *sink = self;
	struct zmq_out *zmq = &sink->zmq;

	sink->messages += slot->in[0].state == ALOE_VALID;
	zmq_out_work(zmq, slot);
	sink->absent += zmq->started && slot->in[0].state == ALOE_ABSENT;
	sink->items = atomic_load_explicit(&zmq->items_sent, memory_order_relaxed);
	sink->dropped = atomic_load_explicit(&zmq->dropped, memory_order_relaxed);
	sink->requests = atomic_load_explicit(&zmq->requests, memory_order_relaxed);
	sink->refused = atomic_load_explicit(&zmq->refused, memory_order_relaxed);
	return 0;
}

static int zmq_sink_drain(void *self, const struct aloe_record *record, struct aloe_setup *setup)
{
	return zmq_out_drain(&((struct zmq_sink *)self)->zmq, record, setup);
}

static int zmq_sink_close(void *self, struct aloe_setup *setup)
{
	struct zmq_sink *sink = self;

	sink->items = atomic_load(&sink->zmq.items_sent);
	sink->requests = atomic_load(&sink->zmq.requests);
	sink->dropped = zmq_out_close(&sink->zmq, setup);
	return 0;
}

ALOE_COMPONENT(zmq_sink) = {
    .summary = "items to another program over ZeroMQ",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct zmq_sink),
    .check = zmq_sink_check,
    .init = zmq_sink_init,
    .work = zmq_sink_work,
    .close = zmq_sink_close,
    .drain = zmq_sink_drain,
};
