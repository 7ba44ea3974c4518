/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/tap_reader.h - the messages of an output of a running waveform, as frames
 * (core/tap/frame.h), for the commands that tap, show and record.
 *
 *	tap_ask     which output it is, and from where on; the frames that are there
 *	tap_ring    it gets a ring that keeps its messages, and is asked again
 *	tap_more    the frames from the cursor on, again and again
 */
#ifndef TOOLS_ALOE_TAP_READER_H
#define TOOLS_ALOE_TAP_READER_H

#include "core/tap/frame.h"
#include "tools/aloe/client.h"

/* Where a tap begins: with the next index, with index `number`, or with the last `number`. */
enum tap_begin { TAP_NEXT, TAP_FROM, TAP_LAST };

struct tap_reader {
	const char *waveform, *name; /* name: INSTANCE.PORT */
	uint64_t every;              /* the indices 0, every, 2 every ..; 0 or 1: all */
	enum tap_begin begin;
	uint64_t number;
	/* of the output */
	char type[8];
	uint32_t item_type, item_bytes, items_max;
	uint64_t slot_ns, kept; /* kept: messages that its ring keeps; 0: it has none */
	/* where it is */
	uint64_t cursor, load_id;
	bool ended; /* the frames that came last are the last */
	bool again; /* another waveform has the name */
	bool gone;  /* the waveform was unloaded */
};

/* Bytes that came in an answer of the node, until the next question to the node. */
struct tap_bytes {
	const uint8_t *bytes;
	size_t len;
};

/* Each returns an exit status. tap_ring waits until the ring keeps `keep` messages. tap_more takes
 * a waveform that was unloaded for no error, and returns -EINTR after a signal. */
int tap_ask(struct client *client, struct tap_reader *reader, struct tap_bytes *ret);
int tap_ring(
    struct client *client, struct tap_reader *reader, uint64_t keep, struct tap_bytes *ret);
int tap_more(struct client *client, struct tap_reader *reader, struct tap_bytes *ret);

/* tap_bytes_max: of a message. tap_wait_ms: an eighth of the time that the ring holds, so that
 * nothing is lost until the next question, at most `most`. */
uint32_t tap_bytes_max(const struct tap_reader *reader);
int tap_wait_ms(const struct tap_reader *reader, int most);

#endif
