/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/bridge/delays.h - how long a message takes to another node: round trips of probes in
 * the last minute, and the bytes of a probe. No socket, no clock.
 *
 *   probe   0 magic u32 "APR1"   4 kind u32: 1 asks, 2 answers   8 stamp u64     little endian
 *
 * The stamp is a time of the clock of whoever asks, and comes back as it was.
 */
#ifndef DAEMONS_BRIDGE_DELAYS_H
#define DAEMONS_BRIDGE_DELAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	DELAYS_SECONDS = 60,  /* that are kept */
	DELAYS_LEFT_OUT = 20, /* of so many seconds the slowest one is left out */
	DELAYS_FEW = 20,      /* fewer round trips say nothing */
	PROBE_BYTES = 16
};
#define DELAYS_MOST_NS 10000000000ull /* a longer one is none */

enum probe_kind { PROBE_ASK = 1, PROBE_ANSWER = 2 };

struct delays_second { /* by when the answers came */
	uint64_t second;
	uint64_t least_ns, most_ns;
	uint32_t n; /* 0: none came */
};

struct delays {
	struct delays_second seconds[DELAYS_SECONDS];
};

void delays_add(struct delays *delays, uint64_t round_ns, uint64_t now_ns);
/* delays_one_way gives the time that no message took longer than in one direction, in 19 of 20
 * seconds of the last minute; 0: not known. The seconds that are left out are those in which an end
 * stood still: the answers of all that time come in one second, when it goes on. Nobody knows which
 * direction a slow round trip was slow in, so one direction has all of it, but for half of the
 * fastest one, which the other direction takes at least. */
uint64_t delays_one_way(const struct delays *delays, uint64_t now_ns);

void probe_put(uint8_t ret_bytes[PROBE_BYTES], enum probe_kind kind, uint64_t stamp);
/* probe_get: false, it is no probe. */
bool probe_get(const void *bytes, size_t len, enum probe_kind *ret_kind, uint64_t *ret_stamp);

#endif
