/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/tap/frame.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include <aloe/component.h>

#include "core/base/bytes.h"

static uint32_t flags_of(enum tap_status status, const struct tap_message *message)
{
	if (status == TAP_LOST)
		return TAP_GAP;
	if (status == TAP_EARLIER)
		return TAP_BEFORE;
	return message->state == ALOE_VALID ? 0
	    : message->state == ALOE_IDLE   ? TAP_IDLE
	                                    : TAP_ABSENT;
}

size_t tap_frames(struct tap *tap, uint8_t *to, size_t size, bool *ret_ended)
{
	const size_t most = TAP_FRAME_HEAD + (size_t)tap_bytes(tap->view, tap->buffer),
	             need = most > TAP_FRAME_HEAD + 8 ? most : TAP_FRAME_HEAD + 8;
	size_t used = 0;

	assert(size >= most);
	*ret_ended = false;
	while (size - used >= need) {
		uint8_t *at = to + used, *data = at + TAP_FRAME_HEAD;
		struct tap_message message;
		const enum tap_status status = tap_next(tap, data, &message);

		if (status == TAP_WAIT || status == TAP_END) {
			*ret_ended = status == TAP_END;
			break;
		}
		if (status == TAP_LOST || status == TAP_EARLIER) {
			put_le64(data, message.count);
			message.bytes = 8;
		}
		at = put_le64(at, message.index);
		at = put_le32(at, flags_of(status, &message));
		put_le32(at, message.bytes);
		used += TAP_FRAME_HEAD + message.bytes;
	}
	return used;
}

static bool is_sound(const struct tap_frame *frame)
{
	switch (frame->flags) {
	case 0:
		return true;
	case TAP_IDLE:
	case TAP_ABSENT:
		return frame->len == 0;
	case TAP_GAP:
	case TAP_BEFORE:
		return frame->len == 8;
	default:
		return false;
	}
}

ssize_t tap_frame_get(const uint8_t *bytes, size_t len, struct tap_frame *ret)
{
	if (len < TAP_FRAME_HEAD)
		return 0;
	*ret = (struct tap_frame){.index = get_le64(bytes),
	    .count = 1,
	    .flags = get_le32(bytes + 8),
	    .len = get_le32(bytes + 12),
	    .data = bytes + TAP_FRAME_HEAD};
	if (!is_sound(ret))
		return -EBADMSG;
	if (len - TAP_FRAME_HEAD < ret->len)
		return 0;
	if (ret->flags == TAP_GAP || ret->flags == TAP_BEFORE)
		ret->count = get_le64(ret->data);
	return TAP_FRAME_HEAD + (ssize_t)ret->len;
}

size_t tap_frames_cut(uint8_t *bytes, size_t len, uint32_t part)
{
	struct tap_frame frame;
	size_t at = 0, kept = 0;
	ssize_t took;

	while (at < len && (took = tap_frame_get(bytes + at, len - at, &frame)) > 0) {
		const bool cut = frame.flags == 0 && frame.len > part;
		const uint32_t left = cut ? part : frame.len;

		memmove(bytes + kept, bytes + at, TAP_FRAME_HEAD + left);
		put_le32(bytes + kept + TAP_FRAME_HEAD - 4, left);
		at += (size_t)took;
		kept += TAP_FRAME_HEAD + left;
	}
	return kept;
}
