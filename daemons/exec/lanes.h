/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/lanes.h - lanes: their images, entries and batons, and the watchdogs that
 * look after them.
 */
#ifndef DAEMONS_EXEC_LANES_H
#define DAEMONS_EXEC_LANES_H

#include <pthread.h>

#include "core/image/node.h"
#include "core/platform/perf.h"

struct exec;
struct exec_wave;

/* What a watchdog has found of a seat, for the main thread, which stops its waveforms. */
enum exec_found { FOUND_NOTHING, FOUND_HOLDS, FOUND_TAKES_CPU, FOUND_RAISED };

struct exec_finding {
	_Atomic uint32_t what;  /* enum exec_found */
	_Atomic uint32_t entry; /* FOUND_HOLDS: the one that had the baton */
	_Atomic uint64_t ns;    /* for so long */
};

enum { WATCHDOG_QUIT = 1, WATCHDOG_LOOK = 2 };

/* Where a watchdog sleeps: until somebody rings, or its timer is due. */
struct exec_bed {
	_Atomic int bell;  /* eventfd; 0: none */
	_Atomic int timer; /* timerfd */
};

struct exec_lane {
	int fd; /* lane image; -1: never used */
	struct lane_image *image;
	int cpu_lock;          /* says that the CPU is taken (platform_lock_cpu); -1 */
	uint64_t seats;        /* bit set: taken */
	uint32_t users;        /* waveforms */
	struct perf_ring perf; /* what the kernel records of its CPU (witness.c) */
	const char *counters;  /* why its hardware counters are no evidence; NULL: not asked yet */
	pthread_t watchdog;
	bool has_watchdog;
	_Atomic bool watchdog_ends;
	/* its timer is put off by the lane's threads, which have it as long as this exec lives */
	struct exec_bed bed;
	_Atomic bool put_off;    /* the watchdog sleeps until that timer is due */
	uint64_t due_ns;         /* second.c: timer due since; 0: it is not */
	_Atomic uint64_t looks;  /* of the watchdog, so far */
	_Atomic uint64_t roused; /* holders that it found asleep, whom no lane-mate would wake */
	_Atomic int32_t pid[NODE_ENTRIES_MAX];       /* process of each seat; 0: free */
	struct exec_finding found[NODE_ENTRIES_MAX]; /* by seat */
	/* the last that the baton was seen in and could be */
	_Atomic uint64_t slot;
	_Atomic uint64_t bad_baton; /* the impossible one that was reset last */
	_Atomic uint64_t bad_ns;    /* when; 0: looked into */
};

/* batons.c */
/* entries are not live any more */
void lanes_leave(struct exec_wave *wave);
/* nor is the host: its batons go on */
void lanes_leave_host(struct exec_wave *wave, uint32_t host);
void lanes_live(struct exec_wave *wave); /* from now on */
/* slot of its time base now; 0 under virtual */
uint64_t lanes_slot(const struct exec_wave *wave);
struct node_timebase *wave_timebase(const struct exec_wave *wave); /* NULL under virtual */
void second_look(struct exec *exec);                               /* the second watchdog, now */
/* second_due gives when the first of the lanes' watchdogs is late if it does not come back; an hour
 * from now at the latest. second_set has the second watchdog look then. second_put_off does both,
 * for a lane's watchdog that has said when it comes back. */
enum { SECOND_LATE_NS = 2000000 };
#define NOBODY_NS 3600000000000ull /* nobody can have a baton before the watchdogs are told */

uint64_t second_due(const struct exec *exec);
void second_set(struct exec *exec, uint64_t at_ns);
/* bed_make makes it unless it is there: 0 or -errno. bed_ring wakes who sleeps there. bed_set: when
 * its timer is due. bed_sleep sleeps until one of the timers is due, at most until until_ns: it
 * reads none, so they are due until they are set again. bed_late: how long its timer has been due;
 * 0: it is not. */
int bed_make(struct exec_bed *bed);
void bed_ring(const struct exec_bed *bed);
void bed_set(const struct exec_bed *bed, uint64_t at_ns);
uint64_t bed_late(const struct exec_bed *bed);
void bed_sleep(const struct exec_bed *bed, const int *timers, size_t n, uint64_t until_ns);
void bed_close(struct exec_bed *bed);
void second_put_off(struct exec *exec);
bool lane_has_live(const struct node_lane *lane); /* any entry */
/* the baton is possible, and where somebody takes it */
void lane_tend(struct exec *exec, uint32_t lane);
void lane_rouse(struct exec *exec, uint32_t lane); /* who has its baton: lane_wake, counted */

/* lanes.c */
enum { LANE_NAME = 40 };
/* lane_name writes "lane 0 (CPU 1)" into `text` and returns it: the lane of the node by the number
 * that the waveform knows it by, as its report does. */
const char *lane_name(const struct exec_wave *wave, uint32_t lane, char text[LANE_NAME]);
void lane_keep(struct exec *exec, uint32_t number);
void lane_unlock(struct exec *exec, uint32_t number); /* its CPU is free for others */
int lanes_take(struct exec_wave *wave, char *ret_why, size_t size);
void lanes_release(struct exec_wave *wave); /* and free for others */
/* lane_reuse takes it for a waveform that is on it already: 0, or -errno after writing who has its
 * CPU, or why it has no watchdog. */
int lane_reuse(struct exec_wave *wave, uint32_t lane, char *ret_why, size_t size);
void lane_give(struct exec *exec, uint32_t number); /* one user less: nobody's without users */
void lanes_wake_fast(struct exec_wave *wave);

/* watchdog.c: 0 or -errno */
int watchdog_start(struct exec *exec, uint32_t lane);
void watchdog_stop(struct exec *exec, uint32_t lane);
/* IMAGE_NONE: nobody's */
uint32_t holder_seat(const struct exec *exec, uint32_t lane, uint64_t baton);
/* seat_found says for the main thread what was found of a seat, and takes its entries off the
 * lane. */
void seat_found(struct exec *exec, uint32_t lane, uint32_t seat, enum exec_found what,
    uint32_t entry, uint64_t ns);

/* second.c: one for all lanes. */
void second_start(struct exec *exec);
void second_stop(struct exec *exec);

#endif
