/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/probe.h - components for tests of the engine: they note what they were given, and do
 * what the test asks.
 *
 * A message is 8 bytes, a uint64_t: that of a source at index k is probe_value(k); probe_pass and
 * probe_join put out the sum of their valid inputs + 1 with the state of input 0. The state of
 * instance n is rig->instances[n].state.
 */
#ifndef TESTS_COMMON_PROBE_H
#define TESTS_COMMON_PROBE_H

#include <aloe/component.h>

enum { PROBE_LOG = 512 };

struct probe_call {
	uint64_t index, value; /* value: of input 0 */
	uint32_t state;
	double gain;
};

struct probe {
	double gain;  /* parameter, live: 1 */
	double fixed; /* parameter, not live: 2 */
	uint64_t calls;
	/* variables: calls so far, last index / 2 */
	double level;
	/* in work, before anything else */
	void (*hook)(struct probe *probe, struct aloe_slot *slot);
	void *arg;
	/* index + 1 at which to call aloe_end, to return -ERANGE; 0: never */
	uint64_t end_at, fail_at;
	struct probe_call log[PROBE_LOG]; /* of call n at n % PROBE_LOG */
};

extern const struct aloe_component probe_source; /* out */
extern const struct aloe_component probe_pass;   /* in, out */
extern const struct aloe_component probe_join;   /* in, other (optional), out */
extern const struct aloe_component probe_sink;   /* in */

static inline uint64_t probe_value(uint64_t index)
{
	return (index + 1) * 0x9e3779b97f4a7c15u;
}

#endif
