/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/bridge/delays.h - how long a message takes to another node: the newest round trips of
 * probes, and the bytes of a probe. No socket, no clock.
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
	DELAYS_SAMPLES = 1000, /* round trips that are kept */
	DELAYS_FEW = 20,       /* fewer say nothing */
	PROBE_BYTES = 16
};
#define DELAYS_MOST_NS 10000000000ull /* a longer one is none */

enum probe_kind { PROBE_ASK = 1, PROBE_ANSWER = 2 };

struct delays {
	uint64_t round_ns[DELAYS_SAMPLES];
	uint64_t n; /* that ever came */
};

void delays_add(struct delays *delays, uint64_t round_ns);
/* delays_one_way gives the time that 99.9 % of the messages do not exceed in one direction; 0: not
 * known yet. Nobody knows which direction a slow round trip was slow in, so one direction has all
 * of it, but for half of the fastest one, which the other direction takes at least. */
uint64_t delays_one_way(const struct delays *delays);

void probe_put(uint8_t ret_bytes[PROBE_BYTES], enum probe_kind kind, uint64_t stamp);
/* probe_get: false, it is no probe. */
bool probe_get(const void *bytes, size_t len, enum probe_kind *ret_kind, uint64_t *ret_stamp);

#endif
