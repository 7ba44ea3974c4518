/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/tap/frame.h - messages of a tap one after another, as `aloe tap --framed` writes them and
 * TAP answers. Numbers are little endian; the bytes are the items as they lie in memory.
 *
 *     index u64 | flags u32 | length u32 | length bytes
 *
 * flags 0: a message. TAP_IDLE: none by plan. TAP_ABSENT: none, though there should be one.
 * TAP_GAP: messages that the reader has lost; index is the first, and the bytes are a u64, how many
 * there are. TAP_BEFORE: the same of messages from before the ring was made, which nobody keeps.
 * TAP_IDLE and TAP_ABSENT have no bytes.
 */
#ifndef ALOE_TAP_FRAME_H
#define ALOE_TAP_FRAME_H

#include <stddef.h>
#include <sys/types.h>

#include "core/tap/tap.h"

enum { TAP_FRAME_HEAD = 16, TAP_IDLE = 1, TAP_ABSENT = 2, TAP_GAP = 4, TAP_BEFORE = 8 };

struct tap_frame {
	uint64_t index;
	uint64_t count; /* TAP_GAP, TAP_BEFORE: how many; else 1 */
	uint32_t flags;
	uint32_t len;        /* of the bytes */
	const uint8_t *data; /* in the caller's bytes */
};

/* tap_frames fills `to` (room for `size` bytes, at least TAP_FRAME_HEAD + tap_bytes) with what
 * comes next and returns the bytes that are used. *ret_ended: the writer has run its last index. */
size_t tap_frames(struct tap *tap, uint8_t *to, size_t size, bool *ret_ended);
/* tap_frames_cut leaves the first `part` bytes of each message in `len` bytes of whole frames, and
 * returns what is left of these. */
size_t tap_frames_cut(uint8_t *bytes, size_t len, uint32_t part);
/* tap_frame_get reads the frame at the beginning of `bytes`. Returns its length, 0 if `bytes` end
 * within it, or -EBADMSG. */
ssize_t tap_frame_get(const uint8_t *bytes, size_t len, struct tap_frame *ret);

#endif
