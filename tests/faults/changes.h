/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/faults/changes.h - changes to a running node, drawn at random from a seed: numbers set on
 * two lanes at one index, arrays, waveforms remapped, paused, loaded and unloaded. Sinks carry the
 * index and what was set at it:
 *
 *         steady   is never touched: it loses no index; on the timer, under skip, no slot either
 *                  (stalls of the machine excepted)
 *         marks    shows each change at exactly the index that was told for it, on all lanes, and
 *                  no index is missing
 *         noisy    has state and randomness in it: its bits are those of a run that nobody
 *                  disturbed
 *         extras   comes and goes
 *
 * For CMocka programs with the node of tests/faults/node.h; what is not so fails the test. */
#ifndef TESTS_FAULTS_CHANGES_H
#define TESTS_FAULTS_CHANGES_H

#include "tests/faults/node.h"
#include "tools/aloe/client.h"

enum { CHANGES_SLOT_NS = ALOE_SLOWER(5000000, 20000000) };

struct changes_value {
	uint64_t index;
	uint32_t who; /* 0: a, 1: b */
	bool array;
	float value; /* all items of an array */
};

enum { CHANGES_LASTING = 3 }; /* steady, marks, noisy */

struct changes {
	struct client client;
	const char *options; /* of load */
	unsigned seed;       /* changes_begin makes it 1 */
	struct changes_value *sets;
	size_t n_sets, room;
	uint64_t newest, nearest; /* indices */
	bool extra;               /* the waveform that comes and goes is there */
	/* what waits for its index waits on: there may be no room for more */
	bool stands;
	uint64_t remaps, refused, extras;
	uint64_t stood_most, stood_sum; /* slots that a remap stood still for */
	/* of those that last: messages that were absent or overwritten, and when that was read */
	struct changes_absent {
		double messages;
		uint64_t ns;
	} absent[CHANGES_LASTING];
};

/* changes_conf writes NAME.conf; `slows`: what takes the time of every call, "spin_us" or
 * "nap_us". changes_begin does it for all, and starts all but `extras`. changes_finish stops and
 * unloads all; stalls: of the lanes' CPUs, on the timer; NULL: nothing excuses a message that is
 * absent. changes_absent fails if more messages are absent than when it looked last (or since
 * changes_begin), and no stall is of that time; changes_finish does the same. A message of `steady`
 * that is overwritten before it is read, because its reader's CPU stalled while its writer's did
 * not, counts as one that is absent; where the writer waits, none is. changes_fini frees what is
 * left. */
void changes_conf(const char *name, const char *late, const char *slows);
void changes_begin(struct changes *w, const char *late, const char *slows, const char *options);
void changes_absent(struct changes *w, struct stalls *const stalls[2]);
void changes_finish(struct changes *w, struct stalls *const stalls[2]);
void changes_fini(struct changes *w);

/* changes_draw makes one change, of the kinds from `least` (0 .. 99) on: the later ones take
 * longer. changes_below draws a number below n. */
void changes_draw(struct changes *w, uint32_t least);
uint32_t changes_below(struct changes *w, uint32_t n);
/* changes_set sets n values (1 or 2: of both) of `marks`, at a named index if `at`. changes_remap
 * remaps one of `marks` and `noisy`. changes_extra loads and starts `extras`, or unloads it. */
void changes_set(struct changes *w, uint32_t n, bool array, bool at);
void changes_remap(struct changes *w);
void changes_extra(struct changes *w);

/* changes_again ends `marks` and `noisy`, checks them as below and adds what they have shown to
 * *ret_seen and *ret_noisy, and begins both again: an aloe-swman that was started again cannot
 * remap what another one loaded. */
void changes_again(
    struct changes *w, struct stalls *const stalls[2], size_t *ret_seen, uint64_t *ret_noisy);

/* After changes_finish. changes_marks_check: every index from 0 on, each with what was in force at
 * it; how many changes were seen. changes_noisy_check: how many indices. */
size_t changes_marks_check(struct changes *w);
uint64_t changes_noisy_check(void);

#endif
