/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/wire/wire.c - control messages to bytes and back. Pure: no socket, no clock. */
#include "core/wire/wire.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_HEAD_BYTES = 8, FIELDS_MAX = UINT16_MAX, SIZE_FIRST = 256 };

/* Where things are in the head; the header's drawing, in bytes. */
enum {
	AT_MAGIC = 0,
	AT_VERSION = 4,
	AT_SOURCE = 5,
	AT_DEST = 6,
	AT_FLAGS = 7,
	AT_TYPE = 8,
	AT_FIELDS = 10,
	AT_SEQ = 12
};
enum { AT_LENGTH = 16 };
static_assert(AT_LENGTH + 4 == WIRE_HEAD_BYTES, "the head ends with its length");

static const uint8_t magic[4] = {'A', 'L', 'O', 'E'};

static void number_put(uint8_t *at, uint64_t number, size_t bytes)
{
	assert(bytes <= sizeof(number));
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(number >> (8 * i));
}

static uint64_t number_get(const uint8_t *at, size_t bytes)
{
	uint64_t number = 0;

	assert(bytes <= sizeof(uint64_t));
	for (size_t i = 0; i < bytes; i++)
		number |= (uint64_t)at[i] << (8 * i);
	return number;
}

static size_t padded_len(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* ---- writing ------------------------------------------------------------------------ */

/* Room for `len` more bytes behind what is there, or an error that stays. */
static uint8_t *msg_extend(struct wire_msg *msg, size_t len)
{
	size_t size = msg->size ? msg->size : SIZE_FIRST;
	uint8_t *bytes;

	assert(msg->len <= msg->size || msg->error);
	if (msg->error)
		return NULL;
	if (len > WIRE_BYTES_MAX - msg->len) {
		msg->error = -EMSGSIZE;
		return NULL;
	}
	while (size < msg->len + len)
		size *= 2;
	if (size != msg->size) {
		bytes = realloc(msg->bytes, size);
		if (!bytes) {
			msg->error = -ENOMEM;
			return NULL;
		}
		msg->bytes = bytes;
		msg->size = size;
	}
	msg->len += len;
	return msg->bytes + msg->len - len;
}

void wire_init(struct wire_msg *msg, enum wire_type type, enum wire_peer source,
    enum wire_peer dest, uint32_t seq)
{
	uint8_t *head;

	assert(source < WIRE_PEERS && dest < WIRE_PEERS);
	*msg = (struct wire_msg){0};
	head = msg_extend(msg, WIRE_HEAD_BYTES);
	if (!head)
		return;
	memset(head, 0, WIRE_HEAD_BYTES);
	memcpy(head + AT_MAGIC, magic, sizeof(magic));
	head[AT_VERSION] = WIRE_VERSION;
	head[AT_SOURCE] = (uint8_t)source;
	head[AT_DEST] = (uint8_t)dest;
	number_put(head + AT_TYPE, type, 2);
	number_put(head + AT_SEQ, seq, 4);
}

void wire_init_copy(struct wire_msg *msg, const struct wire_view *view, enum wire_tag without)
{
	const uint8_t *at = view->bytes + WIRE_HEAD_BYTES;

	wire_init(msg, view->type, view->source, view->dest, view->seq);
	for (unsigned i = 0; i < view->fields; i++) {
		const uint16_t tag = (uint16_t)number_get(at, 2);
		const size_t len = number_get(at + 4, 4);

		if (tag != without)
			wire_put_bytes(msg, tag, at + FIELD_HEAD_BYTES, len);
		at += FIELD_HEAD_BYTES + padded_len(len);
	}
}

void wire_fini(struct wire_msg *msg)
{
	free(msg->bytes);
	*msg = (struct wire_msg){.error = -EINVAL};
}

uint8_t *wire_put_room(struct wire_msg *msg, enum wire_tag tag, size_t len)
{
	uint8_t *field;

	if (!msg->error && (len > WIRE_BYTES_MAX || msg->fields == FIELDS_MAX))
		msg->error = -EMSGSIZE;
	field = msg->error ? NULL : msg_extend(msg, FIELD_HEAD_BYTES + padded_len(len));
	if (!field)
		return NULL;
	number_put(field, tag, 2);
	number_put(field + 2, 0, 2);
	number_put(field + 4, len, 4);
	memset(field + FIELD_HEAD_BYTES + len, 0, padded_len(len) - len);
	msg->fields++;
	return field + FIELD_HEAD_BYTES;
}

void wire_room_used(struct wire_msg *msg, const uint8_t *room, size_t len)
{
	const size_t at = (size_t)(room - msg->bytes);

	assert(msg->error == 0);
	assert(at + padded_len(len) <= msg->size);
	number_put(msg->bytes + at - FIELD_HEAD_BYTES + 4, len, 4);
	memset(msg->bytes + at + len, 0, padded_len(len) - len);
	msg->len = at + padded_len(len);
}

void wire_put_bytes(struct wire_msg *msg, enum wire_tag tag, const void *bytes, size_t len)
{
	uint8_t *room = wire_put_room(msg, tag, len);

	assert(bytes != NULL || len == 0);
	if (room && len > 0)
		memcpy(room, bytes, len);
}

void wire_put_text(struct wire_msg *msg, enum wire_tag tag, const char *text)
{
	if (text)
		wire_put_bytes(msg, tag, text, strlen(text));
}

void wire_put_u64(struct wire_msg *msg, enum wire_tag tag, uint64_t number)
{
	uint8_t bytes[8];

	number_put(bytes, number, sizeof(bytes));
	wire_put_bytes(msg, tag, bytes, sizeof(bytes));
}

void wire_put_peers(struct wire_msg *msg, enum wire_peer source, enum wire_peer dest)
{
	assert(source < WIRE_PEERS && dest < WIRE_PEERS);
	if (msg->error)
		return;
	msg->bytes[AT_SOURCE] = (uint8_t)source;
	msg->bytes[AT_DEST] = (uint8_t)dest;
}

void wire_put_seq(struct wire_msg *msg, uint32_t seq)
{
	if (!msg->error)
		number_put(msg->bytes + AT_SEQ, seq, 4);
}

const uint8_t *wire_bytes(struct wire_msg *msg, size_t *ret_len)
{
	if (msg->error)
		return NULL;
	number_put(msg->bytes + AT_FIELDS, msg->fields, 2);
	number_put(msg->bytes + AT_LENGTH, msg->len - WIRE_HEAD_BYTES, 4);
	*ret_len = msg->len;
	return msg->bytes;
}

uint8_t *wire_take(struct wire_msg *msg, size_t *ret_len)
{
	uint8_t *bytes = wire_bytes(msg, ret_len) ? msg->bytes : NULL;

	if (bytes)
		msg->bytes = NULL;
	wire_fini(msg);
	return bytes;
}

/* ---- reading ------------------------------------------------------------------------ */

/* One field at `at` with `left` bytes to the end: how many bytes it takes, or 0 when it is not well
 * formed. */
static size_t field_check(const uint8_t *at, size_t left)
{
	size_t len;

	if (left < FIELD_HEAD_BYTES || number_get(at, 2) == 0 || number_get(at + 2, 2) != 0)
		return 0;
	len = number_get(at + 4, 4);
	if (len > left - FIELD_HEAD_BYTES || padded_len(len) > left - FIELD_HEAD_BYTES)
		return 0;
	for (size_t i = len; i < padded_len(len); i++) {
		if (at[FIELD_HEAD_BYTES + i] != 0)
			return 0;
	}
	return FIELD_HEAD_BYTES + padded_len(len);
}

static bool head_check(const uint8_t *head, size_t len)
{
	if (len < WIRE_HEAD_BYTES || len > WIRE_BYTES_MAX)
		return false;
	return memcmp(head + AT_MAGIC, magic, sizeof(magic)) == 0 &&
	    head[AT_VERSION] == WIRE_VERSION && head[AT_SOURCE] < WIRE_PEERS &&
	    head[AT_DEST] < WIRE_PEERS && head[AT_FLAGS] == 0 &&
	    number_get(head + AT_TYPE, 2) != 0 &&
	    number_get(head + AT_LENGTH, 4) == len - WIRE_HEAD_BYTES;
}

int wire_decode(const void *bytes, size_t len, struct wire_view *ret)
{
	const uint8_t *head = bytes;
	size_t at = WIRE_HEAD_BYTES;
	unsigned fields = 0;

	if (!head_check(head, len))
		return -EBADMSG;
	for (; at < len; fields++) {
		const size_t taken = field_check(head + at, len - at);

		if (taken == 0)
			return -EBADMSG;
		at += taken;
	}
	if (fields != number_get(head + AT_FIELDS, 2))
		return -EBADMSG;
	*ret = (struct wire_view){
	    .bytes = head,
	    .len = len,
	    .type = (enum wire_type)number_get(head + AT_TYPE, 2),
	    .source = (enum wire_peer)head[AT_SOURCE],
	    .dest = (enum wire_peer)head[AT_DEST],
	    .seq = (uint32_t)number_get(head + AT_SEQ, 4),
	    .fields = (uint16_t)fields,
	};
	return 0;
}

int wire_get_bytes(const struct wire_view *view, enum wire_tag tag, unsigned nth, const void **ret,
    size_t *ret_len)
{
	const uint8_t *at = view->bytes + WIRE_HEAD_BYTES;

	for (unsigned i = 0; i < view->fields; i++) {
		const size_t len = number_get(at + 4, 4);

		if (number_get(at, 2) == (uint64_t)tag && nth-- == 0) {
			*ret = at + FIELD_HEAD_BYTES;
			*ret_len = len;
			return 0;
		}
		at += FIELD_HEAD_BYTES + padded_len(len);
	}
	return -ENOENT;
}

int wire_get_u64(const struct wire_view *view, enum wire_tag tag, uint64_t *ret)
{
	const void *bytes;
	size_t len;
	const int result = wire_get_bytes(view, tag, 0, &bytes, &len);

	if (result < 0)
		return result;
	if (len != 8)
		return -EBADMSG;
	*ret = number_get(bytes, 8);
	return 0;
}

char *wire_get_text(const struct wire_view *view, enum wire_tag tag, unsigned nth)
{
	const void *bytes;
	char *text;
	size_t len;

	if (wire_get_bytes(view, tag, nth, &bytes, &len) < 0 || memchr(bytes, 0, len))
		return NULL;
	text = malloc(len + 1);
	if (!text)
		return NULL;
	memcpy(text, bytes, len);
	text[len] = 0;
	return text;
}

/* ---- names ------------------------------------------------------------------------ */

static const struct {
	enum wire_type type;
	const char *name;
} types[] = {
    {WIRE_OK, "OK"},
    {WIRE_FAIL, "FAIL"},
    {WIRE_HELLO, "HELLO"},
    {WIRE_PING, "PING"},
    {WIRE_DOWN, "DOWN"},
    {WIRE_LOAD, "LOAD"},
    {WIRE_START, "START"},
    {WIRE_PAUSE, "PAUSE"},
    {WIRE_STEP, "STEP"},
    {WIRE_STOP, "STOP"},
    {WIRE_UNLOAD, "UNLOAD"},
    {WIRE_LIST, "LIST"},
    {WIRE_STATUS, "STATUS"},
    {WIRE_PREPARE, "PREPARE"},
    {WIRE_SAMPLES, "SAMPLES"},
    {WIRE_MISSES, "MISSES"},
    {WIRE_TRACE, "TRACE"},
    {WIRE_RECORD, "RECORD"},
    {WIRE_GET, "GET"},
    {WIRE_SET, "SET"},
    {WIRE_LOG, "LOG"},
    {WIRE_TAP, "TAP"},
    {WIRE_RING, "RING"},
    {WIRE_EVENT, "EVENT"},
    {WIRE_DAEMON, "DAEMON"},
    {WIRE_JOIN, "JOIN"},
    {WIRE_NODES, "NODES"},
    {WIRE_FRAME, "FRAME"},
    {WIRE_LEASE, "LEASE"},
    {WIRE_GO_ON, "GO_ON"},
    {WIRE_BUILDS, "BUILDS"},
    {WIRE_BUILD, "BUILD"},
    {WIRE_OFFSETS, "OFFSETS"},
    {WIRE_COUNTS, "COUNTS"},
    {WIRE_REMAP, "REMAP"},
    {WIRE_UPGRADE, "UPGRADE"},
};

const char *wire_type_name(enum wire_type type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].type == type)
			return types[i].name;
	}
	return "(unknown)";
}

const char *wire_peer_name(enum wire_peer peer)
{
	static const char *const names[WIRE_PEERS] = {
	    "client", "frontend", "exec", "stats", "swman", "bridge", "statsman"};

	return (unsigned)peer < WIRE_PEERS ? names[peer] : "(unknown)";
}
