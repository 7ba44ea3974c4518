/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/tap/tap.h - reads the messages of an output while the waveform runs. Pure functions on an
 * image that is mapped read-only: no writer knows of a reader, waits for it, or copies for it.
 *
 *     done-index of the writer        next
 *                                      |          the message that is being written lies in
 *     ring   ... k-2  k-1   k   k+1 ... next-1    the place of next - depth
 *                      |
 *                  the reader
 *
 * The ring of a tapped output (image_buffer.tap) keeps the last `tap` messages or more. A message
 * is copied between two looks at its stamp; if the stamp has changed, the message was overwritten
 * while it was copied, and counts as lost. A reader that is too slow loses whole ranges of indices,
 * which it is told. A ring that was made while the waveform ran has places that nobody has written
 * since: these indices were before the tap, and are no losses.
 *
 * The image can be written by the hosts of the waveform, so every number in it is held against the
 * sealed program. [control]
 */
#ifndef ALOE_TAP_H
#define ALOE_TAP_H

#include "core/image/image.h"

enum tap_status {
	TAP_MESSAGE, /* one message */
	TAP_LOST,    /* indices that were overwritten before the reader came */
	TAP_EARLIER, /* indices from before the ring was made: nobody has lost them */
	TAP_WAIT,    /* the next index has not been written yet */
	TAP_END,     /* the writer has run its last index */
};

struct tap_message {
	uint64_t index; /* of TAP_LOST and TAP_EARLIER: the first */
	uint64_t count; /* 1; of TAP_LOST and TAP_EARLIER: how many follow one another */
	uint32_t state; /* ALOE_VALID, ALOE_IDLE or ALOE_ABSENT */
	uint32_t len;   /* items; 0 unless ALOE_VALID */
	uint32_t bytes; /* of the items */
};

/* idle, absent and skipped are among the messages; skipped: the writer did not run that index (late
 * = "skip"), and its message reads ABSENT; damaged: state or length are none that a writer gives,
 * and the message reads ABSENT. */
struct tap_counts {
	uint64_t messages, idle, absent, skipped, damaged, lost, gaps, earlier;
};

struct tap {
	const struct image_view *view;
	uint32_t buffer;
	uint64_t next;  /* the index that is read next */
	uint64_t every; /* only multiples of it are read, and counted as lost; 1: all */
	struct tap_counts counts;
};

/* Where a reader begins. */
#define TAP_NOW UINT64_MAX

/* tap_find looks for "INSTANCE.PORT" among the outputs that have a link, and gives the number of
 * the buffer. Returns 0, or -ENOENT. tap_name writes the name of a buffer. */
int tap_find(const struct image_view *view, const char *name, uint32_t *ret_buffer);
void tap_name(const struct image_view *view, uint32_t buffer, char *ret, size_t size);
/* tap_can tells whether the ring of a buffer keeps messages for readers, at least `keep`. */
bool tap_can(const struct image_view *view, uint32_t buffer, uint32_t keep);
/* tap_bytes is the size of the largest message of a buffer. */
uint32_t tap_bytes(const struct image_view *view, uint32_t buffer);

/* tap_init begins at index `from`, or with TAP_NOW at the next index that is written. tap_last goes
 * back from there to the last `n` messages of the ring, or to those that there are. `view` lives as
 * long as the tap. */
void tap_init(struct tap *tap, const struct image_view *view, uint32_t buffer, uint64_t from);
void tap_last(struct tap *tap, uint64_t n);

/* tap_next returns what comes next, and copies the items of a message to `items`, which has room
 * for tap_bytes. TAP_MESSAGE and TAP_LOST are counted. */
enum tap_status tap_next(struct tap *tap, void *items, struct tap_message *ret);

#endif
