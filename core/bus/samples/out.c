/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "core/bus/samples/socket.h"
#include "core/gnuradio/tags.h"

enum { KEY_MAX = 256 };

struct samples_out {
	struct samples_socket socket;
	struct samples_use use;
	char key[KEY_MAX];
	bool asked;      /* REP: somebody waits for an answer */
	uint32_t wanted; /* REP: the most items of it */
	uint64_t place;  /* offset of the next item in the stream */
	uint64_t lost;   /* items left out since the last message */
	struct samples_out_counts counts;
};

static int out_type(enum samples_pattern pattern)
{
	return pattern == SAMPLES_PUB_SUB ? ZMQ_PUB
	    : pattern == SAMPLES_REQ_REP  ? ZMQ_REP
	                                  : ZMQ_PUSH;
}

int samples_out_open(
    const struct samples_use *use, struct samples_out **ret, char ret_why[SAMPLES_WHY])
{
	struct samples_out *out = calloc(1, sizeof(*out));
	int rc;

	if (!out)
		return -ENOMEM;
	out->use = *use;
	if (use->pattern == SAMPLES_PUB_SUB && use->key)
		strncpy(out->key, use->key, sizeof(out->key) - 1);
	out->use.address = out->use.key = NULL; /* the caller's */
	rc = socket_open(use, out_type(use->pattern), false, &out->socket, ret_why);
	if (rc < 0)
		samples_out_close(out);
	else
		*ret = out;
	return rc;
}

void samples_out_close(struct samples_out *out)
{
	if (!out)
		return;
	socket_close(&out->socket);
	free(out);
}

/* request_take looks for a request: 0 if there is one to answer. One that is none is answered by an
 * empty message, for a REP socket has to answer. */
static int request_take(struct samples_out *out)
{
	const size_t expected = out->use.request == SAMPLES_REQUEST_BYTE ? 1 : 4;
	uint8_t bytes[8];

	while (!out->asked) {
		const int len = zmq_recv(out->socket.socket, bytes, sizeof(bytes), ZMQ_DONTWAIT);
		int more = 0;
		size_t size = sizeof(more);

		if (len < 0)
			return -zmq_errno();
		zmq_getsockopt(out->socket.socket, ZMQ_RCVMORE, &more, &size);
		out->wanted = expected == 1 ? UINT32_MAX
		                            : (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
		        (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
		if ((size_t)len == expected && !more && out->wanted > 0) {
			out->asked = true;
			return 0;
		}
		out->counts.refused++;
		while (
		    more && zmq_recv(out->socket.socket, bytes, sizeof(bytes), ZMQ_DONTWAIT) >= 0)
			zmq_getsockopt(out->socket.socket, ZMQ_RCVMORE, &more, &size);
		zmq_send(out->socket.socket, "", 0, ZMQ_DONTWAIT);
	}
	return 0;
}

/* message_send sends `n` items as one message: 0 or -errno, -EAGAIN with nothing sent. */
static int message_send(struct samples_out *out, const void *items, uint32_t n)
{
	uint8_t head[GR_HEAD_BYTES + GR_TAG_BYTES_MAX];
	const size_t bytes = (size_t)n * out->use.item_bytes;
	const size_t head_len = out->use.tags
	    ? gr_head_put(head, out->place, out->lost > 0 ? "aloe_lost" : NULL, out->lost)
	    : 0;
	const size_t key_len = strlen(out->key);
	zmq_msg_t message;

	if (zmq_msg_init_size(&message, head_len + bytes) < 0)
		return -ENOMEM;
	memcpy(zmq_msg_data(&message), head, head_len);
	memcpy((uint8_t *)zmq_msg_data(&message) + head_len, items, bytes);
	if ((key_len > 0 &&
	        zmq_send(out->socket.socket, out->key, key_len, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) ||
	    zmq_msg_send(&message, out->socket.socket, ZMQ_DONTWAIT) < 0) {
		const int error = zmq_errno();
		zmq_msg_close(&message);
		return -error;
	}
	out->place += n;
	out->lost = 0;
	out->counts.messages++;
	out->counts.items += n;
	return 0;
}

int samples_out_put(struct samples_out *out, const void *items, uint32_t n, uint32_t *done)
{
	const bool answers = out->use.pattern == SAMPLES_REQ_REP;

	while (*done < n) {
		uint32_t take = n - *done;
		int rc = answers ? request_take(out) : 0;

		if (rc < 0)
			return rc;
		if (answers && take > out->wanted)
			take = out->wanted;
		rc = message_send(
		    out, (const uint8_t *)items + (size_t)*done * out->use.item_bytes, take);
		if (rc < 0)
			return rc;
		out->counts.requests += answers;
		out->asked = false;
		*done += take;
	}
	return 0;
}

void samples_out_lost(struct samples_out *out, uint64_t n)
{
	out->place += n;
	out->lost += n;
}

const struct samples_out_counts *samples_out_counts(const struct samples_out *out)
{
	return &out->counts;
}
