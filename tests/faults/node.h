/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/faults/node.h - a node to do harm to: `aloe up` in the test's own folder, its processes by
 * name, and what a waveform that carries its indices says afterwards.
 *
 * In a waveform's text %s stands for the file that the sink writes. The components of
 * tests/faults/components are there.
 */
#ifndef TESTS_FAULTS_NODE_H
#define TESTS_FAULTS_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/slot/baton.h"
#include "tests/common/aloe.h"

/* Group setup and teardown: faults_init gives the components and no node, node_up a node as well.
 * node_down fails if anything is left: a process, a file in the runtime directory. */
int faults_init(void **state);
int faults_fini(void **state);
int node_up(void **state);
int node_down(void **state);

/* processes gives the living processes of this test by program name, at most n: how many. */
size_t processes(const char *program, pid_t *ret_pids, size_t n);
pid_t process_one(const char *program); /* waits until there is exactly one, and it is no `not` */
pid_t process_other(const char *program, pid_t old);
void processes_gone(const char *program); /* waits until there is none */
void zombies_gone(pid_t parent);          /* waits until none of its children is a zombie */

/* conf_write writes a waveform; `format` has one %s for the path of its sink's file, which is
 * returned. */
const char *conf_write(const char *name, const char *format);

/* Then a test has failed: nothing that works takes as long. */
#define PATIENCE_NS 120000000000ull

/* wave_ready loads NAME.conf of the working folder (with more options): its host's pid. wave_begin
 * starts it as well. */
pid_t wave_ready(const char *name, const char *options);
pid_t wave_begin(const char *name, const char *options);
/* wave_state waits until the waveform has the state, then gives its report. */
struct ran *wave_await(const char *name, const char *state);
void wave_end(const char *name); /* stop and unload */
/* is_death tells whether this is the reason of a waveform on the timer whose host has ended, with
 * `word` in it. A process that ends has the lane until the kernel has taken it down: longer than a
 * slot where others want the CPUs, and then the host is found to hang before it is found dead. */
bool is_death(const char *reason, const char *word);

/* A stall of the machine, as a thread of the highest priority saw it on a CPU. */
struct stall {
	uint64_t from_ns, to_ns;
};
struct stalls;
struct stalls *stalls_watch(int cpu); /* from now on */
void stalls_end(struct stalls *stalls);
size_t stalls_count(const struct stalls *stalls);
/* stalls_within: whether there was one in this time; false of NULL. */
bool stalls_within(const struct stalls *stalls, uint64_t from_ns, uint64_t to_ns);
/* stalls_add: another time in which gaps are excused, at most 64 of them. */
void stalls_add(struct stalls *stalls, uint64_t from_ns, uint64_t to_ns);

/* records_check reads the indices and times that a `counter` wrote: all there, from 0 on, in order;
 * where one is missing a stall of the machine of that time excuses it (and is printed). How many
 * there are; the test fails otherwise. */
struct records {
	/* indices there are; gaps with an excuse, and within the bound */
	uint64_t count, excused, bounded;
	/* beyond the slot that the first one gives, without the excused ones */
	uint64_t late_ns_max;
	/* from the time at which the first index that is missing was due to the next one there is,
	 * of the gaps within the bound */
	uint64_t gap_ns_max;
};
struct records records_check(const char *path, uint64_t slot_ns, const struct stalls *stalls);
/* records_bounded does the same where others were attacked: a gap needs no excuse that ends within
 * bound_ns of the time at which the first index that is missing was due. */
struct records records_bounded(
    const char *path, uint64_t slot_ns, uint64_t bound_ns, const struct stalls *stalls);

/* `steady`, which others are harmed beside: 0.3 ms of work (on the virtual clock: of sleep) in
 * slots of 10 ms, late = skip.
 * steady_begin loads and starts it: its host's pid. steady_end stops and unloads it: no message was
 * lost, no index is missing without an excuse (see records_bounded; no stalls, none), and says how
 * many there were. */
enum { STEADY_SLOT_NS = 10000000 };

/* What `steady` may lose of a lane-mate that is dead or stands still, from the edge of the first
 * slot that it misses: slot + guard + 0.2 ms. The guard is the time that a holder of the baton has:
 * a slot, but no less than 1 ms (core/slot/baton.h). 10 ms + 10 ms + 0.2 ms. */
enum {
	STEADY_GUARD_NS =
	    (int)STEADY_SLOT_NS > (int)BATON_BOUND_NS ? (int)STEADY_SLOT_NS : (int)BATON_BOUND_NS,
	STEADY_BOUND_NS = STEADY_SLOT_NS + STEADY_GUARD_NS + 200000
};
pid_t steady_begin(const char *options);
struct records steady_end(uint64_t bound_ns, const struct stalls *stalls);

/* number_of gives the number in the environment variable `name`; where there is none,
 * `otherwise`. */
unsigned number_of(const char *name, unsigned otherwise);

/* sleeps_until a random point in the next slot of slot_ns. */
void slot_random_point(uint64_t slot_ns, unsigned *seed);

#endif
