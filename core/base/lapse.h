/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/lapse.h - what an instance did otherwise than a waveform that is never late. Under
 * skip, and where a call is concealed, lapses are all that replay has to know of time.
 */
#ifndef ALOE_BASE_LAPSE_H
#define ALOE_BASE_LAPSE_H

#include <stdint.h>

enum lapse_kind {
	LAPSE_LEFT_OUT,  /* was not called at these indices */
	LAPSE_ABSENT,    /* input `port` read ABSENT, whatever its message was or became */
	LAPSE_CONCEALED, /* was called, and all outputs were made ABSENT afterwards */
	/* read a message that was overwritten meanwhile, or lapses were lost: from here on nobody
	 * knows what it did */
	LAPSE_UNKNOWN,
	LAPSE_KINDS
};

struct lapse {
	uint64_t index;
	uint32_t count; /* indices from `index` on */
	uint16_t kind;  /* enum lapse_kind */
	uint16_t port;  /* LAPSE_ABSENT; else 0 */
};

#endif
