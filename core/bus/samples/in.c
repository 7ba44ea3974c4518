/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "core/bus/samples/socket.h"
#include "core/gnuradio/tags.h"

enum { REQUEST_ITEMS_BYTES = 4 };

struct samples_in {
	struct samples_socket socket;
	struct samples_use use;
	bool keyed;
	bool asked;     /* REQ: an answer is on its way */
	zmq_msg_t held; /* the message whose items are not all taken */
	size_t at;      /* of the next item in it; the length: nothing is held */
	bool placed;    /* a header has said where the stream is */
	uint64_t place; /* offset that the next header should have */
	struct samples_in_counts counts;
};

/* A REQ socket cannot ask again when the other end has died; a DEALER is the same on the wire. */
static int in_type(enum samples_pattern pattern)
{
	return pattern == SAMPLES_PUB_SUB ? ZMQ_SUB
	    : pattern == SAMPLES_REQ_REP  ? ZMQ_DEALER
	                                  : ZMQ_PULL;
}

int samples_in_open(
    const struct samples_use *use, struct samples_in **ret, char ret_why[SAMPLES_WHY])
{
	struct samples_in *in = calloc(1, sizeof(*in));
	const bool asks = use->pattern == SAMPLES_REQ_REP;
	int rc;

	if (!in)
		return -ENOMEM;
	in->use = *use;
	in->keyed = use->pattern == SAMPLES_PUB_SUB && use->key && use->key[0];
	in->use.address = in->use.key = NULL; /* the caller's */
	zmq_msg_init(&in->held);
	rc = socket_open(use, in_type(use->pattern), asks, &in->socket, ret_why);
	if (rc < 0)
		samples_in_close(in);
	else
		*ret = in;
	return rc;
}

void samples_in_close(struct samples_in *in)
{
	if (!in)
		return;
	zmq_msg_close(&in->held);
	socket_close(&in->socket);
	free(in);
}

/* request_send asks for `n` items unless an answer is on its way: 0, -EAGAIN, -errno. */
static int request_send(struct samples_in *in, uint32_t n)
{
	uint8_t request[REQUEST_ITEMS_BYTES] = {
	    (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
	const bool byte = in->use.request == SAMPLES_REQUEST_BYTE;
	const size_t len = byte ? 1 : sizeof(request);

	/* Whoever was asked is gone, and the answer with it. If not, there are two answers, one
	 * after the other. */
	if (socket_changed(&in->socket))
		in->asked = false;
	if (in->asked)
		return 0;
	if (byte)
		request[0] = 0xff;
	if (zmq_send(in->socket.socket, "", 0, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0 ||
	    zmq_send(in->socket.socket, request, len, ZMQ_DONTWAIT) < 0)
		return -zmq_errno();
	in->asked = true;
	return 0;
}

/* frames_take takes one whole message; its last frame is held. *ret_frames: how many it had. */
static int frames_take(struct samples_in *in, int *ret_frames)
{
	*ret_frames = 0;
	do {
		if (zmq_msg_recv(&in->held, in->socket.socket, ZMQ_DONTWAIT) < 0) {
			const int error = zmq_errno();
			zmq_msg_close(&in->held); /* libzmq may have emptied it */
			zmq_msg_init(&in->held);
			in->at = 0;
			return -error;
		}
		(*ret_frames)++;
	} while (zmq_msg_more(&in->held));
	return 0;
}

static bool key_is(const struct gr_tag *tag, const char *key)
{
	return tag->key && tag->key_len == strlen(key) && !memcmp(tag->key, key, tag->key_len);
}

static void tag_note(void *arg, const struct gr_tag *tag)
{
	struct samples_in_counts *counts = arg;

	counts->tags++;
	if (key_is(tag, "rx_rate"))
		gr_number(tag->value, tag->value_len, &counts->rx_rate);
	else if (key_is(tag, "rx_freq"))
		gr_number(tag->value, tag->value_len, &counts->rx_freq);
	else if (key_is(tag, "rx_time"))
		gr_time(tag->value, tag->value_len, &counts->rx_time);
}

/* head_take reads over the tag header. An offset that leaves items out says that they were lost;
 * one that goes back belongs to a stream that was started again. */
static int head_take(struct samples_in *in, const uint8_t *bytes, size_t len)
{
	struct gr_head head;

	if (gr_head_get(bytes, len, NULL, NULL, &head) < 0 ||
	    (len - head.bytes) % in->use.item_bytes)
		return -EBADMSG;
	gr_head_get(bytes, len, tag_note, &in->counts, &head);
	if (in->placed && head.offset > in->place)
		in->counts.lost += head.offset - in->place;
	in->placed = true;
	in->place = head.offset + (len - head.bytes) / in->use.item_bytes;
	in->at = head.bytes;
	return 0;
}

/* message_take takes the next message whose form is as agreed; the others are counted. */
static int message_take(struct samples_in *in)
{
	const int expected = in->keyed || in->use.pattern == SAMPLES_REQ_REP ? 2 : 1;

	for (;;) {
		int frames, rc = frames_take(in, &frames);
		const uint8_t *bytes = zmq_msg_data(&in->held);
		const size_t len = zmq_msg_size(&in->held);

		if (rc < 0)
			return rc;
		in->asked = false;
		in->at = 0;
		if (frames != expected)
			rc = -EBADMSG;
		else if (in->use.tags)
			rc = head_take(in, bytes, len);
		else if (len % in->use.item_bytes)
			rc = -EBADMSG;
		if (rc == 0) {
			in->counts.messages++;
			in->counts.items += (len - in->at) / in->use.item_bytes;
			return 0;
		}
		in->counts.refused++;
		in->at = len;
		if (in->use.pattern == SAMPLES_REQ_REP)
			return -EAGAIN; /* the next one has to be asked for */
	}
}

int samples_in_take(struct samples_in *in, void *items, uint32_t n, uint32_t *done)
{
	const size_t bytes = in->use.item_bytes;

	while (*done < n) {
		const size_t left = zmq_msg_size(&in->held) - in->at;
		const size_t wanted = (size_t)(n - *done) * bytes;
		const size_t take = left < wanted ? left : wanted;
		int rc = 0;

		if (take > 0) {
			memcpy((uint8_t *)items + *done * bytes,
			    (const uint8_t *)zmq_msg_data(&in->held) + in->at, take);
			in->at += take;
			*done += (uint32_t)(take / bytes);
			continue;
		}
		if (in->use.pattern == SAMPLES_REQ_REP)
			rc = request_send(in, n - *done);
		if (rc == 0)
			rc = message_take(in);
		if (rc < 0)
			return rc;
	}
	return 0;
}

const struct samples_in_counts *samples_in_counts(const struct samples_in *in)
{
	return &in->counts;
}
