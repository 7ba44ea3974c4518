/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/cable.h - a cable that is worse than it should be, on demand: packets in one
 * direction are lost, come twice, change places, come late, or the cable stands still. Pure; in the
 * device's ticks; the same every time.
 *
 *         cable_take --> [lost] [twice] [held until its tick, or until the next one has gone] -->
 *         deliver
 *
 * Described as KIND=WHEN[:MICROSECONDS], separated by commas:
 *
 * 	loss=0.01                  each packet with this probability
 *         reorder=@7+19+300          packets 7, 19, 300: after the one that follows it (1 ms later
 *                                    if none does)
 * 	duplicate=@5/100           packet 5 and every 100th after it
 * 	delay=0.001:50             held for 50 us; those behind it pass
 *         stall=@500:2000            nothing passes for 2000 us from this packet on; then all of it
 *                                    at once, in order
 * 	seed=7                     of the probabilities; 1
 *         of=data|control|all        which packets: those with samples (default), all others, or
 *                                    any. Others are not counted
 *
 * Packets are counted from 0. Chance depends on seed, kind and number alone, not on time.
 */
#ifndef TOOLS_X310SIM_CABLE_H
#define TOOLS_X310SIM_CABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_kind {
	FAULT_LOSS,
	FAULT_REORDER,
	FAULT_DUPLICATE,
	FAULT_DELAY,
	FAULT_STALL,
	FAULT_KINDS
};

enum { FAULT_NUMBERS = 32, FAULT_WHY = 160, FAULT_HELD_MAX = 1 << 16 };

struct fault_rule {
	double chance;
	uint64_t numbers[FAULT_NUMBERS]; /* ascending */
	unsigned n_numbers;
	uint64_t from, every; /* every != 0: from, from + every, ... */
	uint64_t ticks;
};

enum fault_of { FAULT_OF_DATA, FAULT_OF_CONTROL, FAULT_OF_ALL };

struct fault_options {
	struct fault_rule rules[FAULT_KINDS];
	uint64_t seed;
	enum fault_of of;
};

struct fault_packet;

struct cable {
	struct fault_options options;
	void (*deliver)(void *self, uint64_t address, const uint8_t *bytes, size_t size);
	void *self;
	uint64_t number;                     /* of the next packet */
	struct fault_packet *held, *swapped; /* by tick; the one that lets the next pass */
	unsigned n_held;
	uint64_t stalled_until;
	uint64_t counts[FAULT_KINDS]; /* packets that it has happened to; stall: how often */
	uint64_t overflowed;          /* there were FAULT_HELD_MAX already, or no memory: lost */
};

extern const char *const fault_names[FAULT_KINDS];

/* fault_parse reads a description into options, which hold what was described before: 0, or -EINVAL
 * with ret_why (FAULT_WHY bytes) naming the part and what is allowed. */
int fault_parse(const char *text, struct fault_options *options, char *ret_why);
void fault_options_init(struct fault_options *options);

void cable_init(struct cable *cable, const struct fault_options *options,
    void (*deliver)(void *self, uint64_t address, const uint8_t *bytes, size_t size), void *self);
void cable_fini(struct cable *cable);

/* cable_take delivers a packet or does not; `data`: it has samples. */
void cable_take(struct cable *cable, uint64_t tick, bool data, uint64_t address,
    const uint8_t *bytes, size_t size);
void cable_run(struct cable *cable, uint64_t tick); /* delivers what is due */
/* tick at which something is; UINT64_MAX: nothing is held */
uint64_t cable_next(const struct cable *cable);
/* cable_set_time says that what was `from` is now `to`. */
void cable_set_time(struct cable *cable, uint64_t from, uint64_t to);

#endif
