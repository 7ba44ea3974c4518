/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/exec.h - the inside of aloe-exec: lanes and waveforms of this node, and who changes
 * what.
 *
 *   request (bus) --> requests.c  who is asked for
 *                     prepare.c   image, lane entries, hosts          LOADED -> INIT
 *                     change.c    START PAUSE STEP STOP UNLOAD        INIT -> RUN <-> PAUSE -> STOP
 *                     force.c     STOP and UNLOAD by force, or when nothing comes of them
 *                     set.c       SET: a number, or an array that the host prepares first
 *                     lease.c     GO_ON, and what is held without word from the manager
 *                     remap.c     REMAP: the same instances on other lanes, RUN -> RUN
 *                     report.c    the report as JSON; misses_json.c: MISSES
 *                     clock.c     the slots of a node of a platform, when its clock is set
 *                     peers.c     what the bridge has counted of other nodes
 *   hosts, pidfds --> answers.c   READY, FINISHED, FAULT, death; grant.c: the priority of a thread
 *   when it is due --> watch.c    faults, ends, limits reached, hangs -> end.c: ABNSTOP
 *                     findings.c  what the watchdogs have found; blame.c: who did it; overrun.c
 *                     misses.c    why slots were missed, from the records of the segments and
 *                                 of the kernel (witness.c); misses_calls.c: their calls
 *                     flight.c    TRACE, and files around misses: trace.c, trace_calls.c,
 *                                 trace_kernel.c
 *                  spent.c     what a waveform's threads have taken of their cores
 *   watchdogs     --> watchdog.c    a segment that keeps the baton, a baton that cannot be
 *                     second.c    a thread above those watchdogs
 *   a start       --> restore.c   what an earlier exec has left
 *
 * No file uses one that uses it: wave.c and batons.c at the bottom, then steps.c, lanes.c and
 * process.c, hosts.c, end.c, then what is above; watch.c, requests.c and exec.c at the top. What a
 * lower file has to call of a higher one is a function in struct exec.
 *
 * A request that cannot be answered at once is kept with the waveform (`pending`) and answered when
 * its condition holds.
 */
#ifndef ALOE_EXEC_H
#define ALOE_EXEC_H

#include "core/image/align.h"
#include "daemons/common/daemon.h"
#include "daemons/exec/hosts.h"
#include "daemons/exec/lanes.h"
#include "daemons/exec/wave.h"

struct exec_clock_peer { /* the clock of another node */
	char name[64];
	struct align_offset offset;
};

struct exec_clock { /* clock.c, of a node of a platform */
	int fd;     /* readable when the clock is set; -1 */
	struct loop_watch watch;
	struct loop_timer timer;
	/* != 0: the lanes are to stand until then, for the slots to follow epoch_ns */
	uint64_t until_ns, epoch_ns;
	int64_t moved_ns; /* when it was set last */
	char follows[64]; /* which node; "": none */
	struct exec_clock_peer *peers;
	size_t n_peers;
};

struct exec {
	struct daemon daemon;
	struct exec_clock clock;
	struct keep_entry *kept; /* of an earlier exec, until they are all there */
	size_t n_kept;
	int node_fd;
	struct node_image *node;   /* NULL until then */
	pthread_t measure;         /* node.c: of the speed of a core; its image is never unmapped */
	_Atomic pid_t measure_tid; /* ... 0: not begun, or ended */
	bool measures;
	bool unmeasured; /* it cannot be measured */
	struct exec_lane lanes[NODE_LANES_MAX];
	struct exec_wave *waves;
	struct exec_process *processes;
	struct loop_timer tick; /* when something is due next */
	int bell;               /* eventfd: hosts and watchdogs ring it (core/slot/tell.h) */
	struct loop_watch bell_watch;
	uint64_t tables_ns; /* when the table of a lane changed last */
	pthread_t second;   /* watchdog */
	bool has_second;
	/* WATCHDOG_QUIT, and how often WATCHDOG_LOOK was added to it (second_look) */
	_Atomic uint32_t second_word;
	/* the lanes' watchdogs put off its timer; when that is due */
	struct exec_bed second_bed;
	_Atomic uint64_t second_ns;
	int wake_fd; /* cpu_dma_latency; -1 */
	uint32_t realtime_waves;
	bool no_wake_fast;
	struct exec_witness *witness; /* witness.c: memory for what it reads; NULL until then */
	uint64_t word_ns;  /* lease.c: CLOCK_MONOTONIC, when the manager was asked last that
	                           has answered */
	uint32_t lease_ms; /* ... what the frontend was told; 0: of no lease */
	bool lease_untold; /* ... the one that was told was killed */
	/* what lower files call without knowing who answers: answers.c, watch.c */
	void (*host_answer)(struct exec_host *host, const struct hostlink_msg *msg);
	void (*host_died)(struct exec_host *host, const char *how);
	void (*wave_look)(void *wave);
	void (*look)(void *exec); /* at everything */
};

/* exec.c: exec_fini kills all hosts. */
int exec_init(struct exec *exec, const struct daemon_args *args);
void exec_fini(struct exec *exec);
/* node.c: node_new makes a node image, and has the speed of a core measured while nothing else
 * wants that CPU: no load waits for it. node_mmac is that speed, NAN as long as it has not been
 * measured. node_settle sees to it that it is known, or cannot be: for the last report of a run.
 * node_end tells whether nobody reads *exec any more: the thread that measures may. */
int node_new(struct exec *exec);
bool node_end(struct exec *exec);
double node_mmac(const struct exec *exec);
void node_settle(struct exec *exec);

/* requests.c */
void exec_request(void *self, const struct wire_view *request);
void exec_lost(void *self); /* the frontend was killed: nobody waits for an answer any more */

#endif
