/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/shadow.h - a shadow run: a new build of an instance works in a process of its own
 * on the messages that the instance reads, and its messages are compared with the instance's.
 *
 * exec fills the order and maps the page; `aloe-host --shadow` writes the rest. What it wrote is
 * checked like bytes from a peer.
 */
#ifndef ALOE_DAEMON_SHADOW_H
#define ALOE_DAEMON_SHADOW_H

#include <stdatomic.h>
#include <stdint.h>

/* Descriptors of the process, in the order of its first argument, "3,4,...". */
enum {
	SHADOW_PROGRAM_FD,      /* the program with the new build; sealed */
	SHADOW_WAVE_PROGRAM_FD, /* of the waveform that runs, and its image, read-only */
	SHADOW_WAVE_IMAGE_FD,
	SHADOW_STATE_FD, /* what the old build has exported */
	SHADOW_PAGE_FD,
	SHADOW_LEASH_FD,
	SHADOW_FDS
};

enum { SHADOW_TEXT = 400 };

/* The process comes to the next one by itself, but to IMPORTS when `go` is set. */
enum shadow_phase { SHADOW_OPENS, SHADOW_READY, SHADOW_IMPORTS, SHADOW_WORKS };

enum shadow_verdict {
	SHADOW_RUNS,
	SHADOW_EQUAL,   /* every message, byte for byte */
	SHADOW_WITHIN,  /* every message within within_db */
	SHADOW_DIFFERS, /* from index first_different on, or now and then */
	SHADOW_FAILED,  /* text says of what: the new build refused to go on */
	SHADOW_LOST,    /* text says what: the comparison ended early */
};

struct shadow_page {
	/* the order, which is there when `go` is 1 */
	uint64_t from, n; /* indices from .. from + n - 1 */
	double within_db; /* errors may be so many dB below the signal; 0: none may be */
	uint64_t state_bytes;
	uint32_t instance, has_state; /* instance: from the beginning */
	_Atomic uint32_t go, phase;
	/* what came of it */
	_Atomic uint64_t index;    /* that is being worked on */
	_Atomic uint64_t since_ns; /* CLOCK_MONOTONIC, of the call under way; 0: none is */
	_Atomic uint64_t compared, different, first_different;
	_Atomic uint64_t nearest_db_bits; /* bits of a double: the least distance that was seen */
	_Atomic uint32_t verdict, imported;
	char text[SHADOW_TEXT]; /* written before the verdict */
};

#endif
