/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/bridge/delays.h - how long a message takes to another node, by the round trips of the
 * questions for its time (offsets.h) in the last minute. No socket, no clock.
 */
#ifndef DAEMONS_BRIDGE_DELAYS_H
#define DAEMONS_BRIDGE_DELAYS_H

#include <stddef.h>
#include <stdint.h>

enum {
	DELAYS_SECONDS = 60,  /* that are kept */
	DELAYS_LEFT_OUT = 20, /* of so many seconds the slowest one is left out */
	DELAYS_FEW = 20       /* fewer round trips say nothing */
};
#define DELAYS_MOST_NS 10000000000ull /* a longer one is none */

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

#endif
