/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/statsman/web_signal.h - messages of an output as frames for the page, and how many of
 * them a second. Pure functions.
 *
 *   frame   index u64 | scale f32 | n u16 | parts u8 | flags u8 | data      little endian
 *
 * Of a spectrum and a row of a waterfall, data is n levels in dB, from the lowest frequency up:
 * DB_LOW + byte * (DB_HIGH - DB_LOW) / 255. Of a constellation and samples in time, n points, each
 * of `parts` signed bytes: byte / 127 * scale.
 */
#ifndef ALOE_STATSMAN_WEB_SIGNAL_H
#define ALOE_STATSMAN_WEB_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemons/statsman/web_route.h"

enum {
	WEB_FRAME_HEAD = 16,
	WEB_FRAME_MAX = WEB_FRAME_HEAD + WEB_BINS_MAX,
	WEB_FRAME_LOST = 1, /* flags: messages among those that were looked at are lost or ABSENT */
	WEB_DB_LOW = -140,
	WEB_DB_HIGH = 20,
	/* Of the 200 kbit/s that a client may cost, a signal has so much, and events the rest. */
	WEB_SIGNAL_BITS = 150000,
	WEB_EVENT_BYTES = 6000, /* an event at most */
	WEB_LIST_BYTES = 2400,  /* of it, the waveforms that there are */
	/* a second, of all signals together: what statsman may take of a CPU carries so many */
	WEB_FRAMES_ALL = 40,
	WEB_SOCKET_HEAD = 4, /* bytes of a WebSocket's frame beside ours */
	WEB_BLOCKS = 2,      /* of a spectrum's average; more would cost time, and not be seen */
};

struct scope_welch;

struct web_look {
	uint32_t item_type, item_bytes, items_max;
	double rate_hz; /* of the samples; 0: not known */
	bool is_complex;
	uint64_t slot_ns;
	enum web_view view;
	uint32_t bins;   /* as asked for */
	uint32_t rate;   /* frames a second, as given */
	uint32_t values; /* in a frame at most */
	/* of these bins, made with the first frame of a spectrum, freed by web_look_fini */
	struct scope_welch *welch;
};

void web_look_fini(struct web_look *look);

/* web_look_type: whether a view can be had of an output of these items; "" or the reason. */
const char *web_look_why(const struct web_look *look);
uint32_t web_look_values(const struct web_look *look);
double web_look_rbw(const struct web_look *look); /* of a spectrum, in Hz */
/* Samples that a frame is made of, at most. */
size_t web_look_samples(const struct web_look *look);
/* Messages that have so many samples. */
uint64_t web_look_messages(const struct web_look *look);

/* web_look_frame makes a frame of the frames of a tap (core/tap/frame.h). Returns its bytes; 0:
 * there is no message among them, or -ENOMEM. `newest` is the index of the last message. */
long web_look_frame(struct web_look *look, const uint8_t *taps, size_t len, uint64_t *ret_newest,
    uint8_t ret[WEB_FRAME_MAX]);

/* web_rate_given: of `asked` frames a second of `bytes` each as many as WEB_SIGNAL_BITS carry, at
 * least 1. web_rate_lower: what is left when a client does not read so many. */
uint32_t web_rate_given(uint32_t asked, size_t bytes);
uint32_t web_rate_lower(uint32_t rate);
/* web_rate_share: of `most` what there is where `signals` clients share WEB_FRAMES_ALL. */
uint32_t web_rate_share(uint32_t most, unsigned signals);

#endif
