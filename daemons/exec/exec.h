/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/exec.h - the inside of aloe-exec: lanes and waveforms of this node, and who changes what.
 *
 *   request (bus) --> prepare.c   image, lane entries, hosts          LOADED -> INIT
 *                     change.c    START PAUSE STEP STOP UNLOAD        INIT -> RUN <-> PAUSE -> STOP
 *                     set.c       SET: a number, or an array that the host prepares first
 *                     remap.c     REMAP: the same instances on other lanes, RUN -> RUN
 *   hosts, pidfds --> hosts.c     READY, FINISHED, FAULT, death
 *   every 5 ms    --> watch.c     faults, ends, limits reached, hangs -> ABNSTOP
 *   keeper threads-> keeper.c     a segment that keeps the baton
 *   request       --> report.c    the report as JSON
 *
 * A request that cannot be answered at once is kept with the waveform (`pending`) and answered when its condition holds.
 */
#ifndef ALOE_EXEC_H
#define ALOE_EXEC_H

#include <pthread.h>
#include <sys/types.h>

#include "core/image/image.h"
#include "daemons/common/daemon.h"
#include "daemons/common/hostlink.h"

enum { PREPARE_S = 30 }; /* at most so long takes the init of all components */

enum remap_stage { REMAP_NONE, REMAP_PREPARES, REMAP_HALTS, REMAP_SWITCHES };

enum wave_state {
	WAVE_LOADED,
	WAVE_INIT,
	WAVE_RUN,
	WAVE_PAUSE,
	WAVE_STEP,
	WAVE_STOP,
	WAVE_ABNSTOP
};

struct exec_process { /* a host process; isolation "none": one for all such waveforms */
	struct exec_process *next;
	struct exec *exec;
	pid_t pid;
	int pidfd, sock;
	struct loop_watch sock_watch, pid_watch;
	uint32_t users;                /* hosts of waveforms */
	bool shared, dying;            /* dying: was sent SIGKILL */
	uint32_t seat[NODE_LANES_MAX]; /* its thread's on each lane; IMAGE_NONE */
};

struct kept_process { /* with the frontend, beside the descriptors of the socket and the process */
	pid_t pid;
	uint32_t seat[NODE_LANES_MAX];
};

struct exec_host { /* a host of a waveform */
	struct exec_wave *wave;
	uint32_t number;                 /* in the program */
	struct exec_process *process;    /* NULL: gone */
	bool ready, finishing, finished; /* finished: it holds nothing of the waveform (any more) */
};

struct exec_place { /* where a segment is */
	uint32_t lane, entry, seat;
};

struct exec_progress {
	uint64_t sum, since_ns;
	uint64_t misses; /* looked at by overrun.c */
};

struct exec_pending {   /* a request to be answered later */
	uint8_t *bytes; /* NULL: none */
	size_t len;
	uint64_t until_ns; /* answered with FAIL then */
	uint64_t value;    /* PAUSE, STEP: the limit */
	bool nobodys; /* who asked has gone with the frontend: another request may take its place */
};

struct exec_wave {
	struct exec_wave *next;
	struct exec *exec;
	char name[64];
	uint32_t control; /* index of the control block */
	int fd;
	struct image_view view;
	enum wave_state state;
	bool started, ended, drained, unloading;
	bool holds_wake; /* counted in exec->realtime_waves */
	struct exec_host *hosts;
	uint32_t n_hosts;
	struct exec_place *places; /* by segment */
	struct exec_pending pending, set_pending;
	struct node_change
	    offered; /* array that its host prepares for set_pending; sequence 0: none */
	struct node_change published; /* what set_pending waits for otherwise */
	struct loop_timer look_timer; /* for what is pending, before the tick comes */
	uint64_t look_ns;
	char reason[512];
	char notes[HOSTLINK_TEXT], losses[1024];
	uint64_t start_ns, progress_ns; /* progress_ns: when it was told to finish */
	struct exec_progress *progress; /* by segment: hang watch without a keeper */
	uint64_t sequence;              /* of changes */

	enum remap_stage remap;
	struct exec_wave
	    *other; /* where it goes to, then where it came from, see remap.c; in no list */
	struct exec_wave *follows; /* of such a one: the waveform */
	struct loop_timer remap_timer;
	uint64_t remap_number, remap_slot; /* which one; the last slot before it stood */
	uint32_t remap_answers, remap_latency;
};

struct exec_lane {
	int fd; /* lane image; -1: never used */
	struct lane_image *image;
	int cpu_lock;   /* abstract socket that says the CPU is taken; -1 */
	uint64_t seats; /* bit set: taken */
	uint32_t users; /* waveforms */
	pthread_t keeper;
	bool has_keeper;
	_Atomic uint32_t keeper_quit;
	_Atomic uint64_t hung; /* keeper -> main: entry + 1 that was passed over */
	_Atomic uint64_t hung_ns;
};

struct exec {
	struct daemon daemon;
	struct keep_entry *kept; /* of an earlier exec, until they are all there */
	size_t n_kept;
	int node_fd;
	struct node_image *node; /* NULL until then */
	struct exec_lane lanes[NODE_LANES_MAX];
	struct exec_wave *waves;
	struct exec_process *processes;
	struct loop_timer tick;
	int wake_fd; /* cpu_dma_latency; -1 */
	uint32_t realtime_waves;
	bool no_wake_fast;
};

extern const char *const wave_state_names[];

/* exec.c: exec_fini kills all hosts. */
int exec_init(struct exec *exec, const struct daemon_args *args);
void exec_fini(struct exec *exec);

/* requests.c */
void exec_request(void *self, const struct wire_view *request);
void exec_lost(void *self); /* the frontend was killed: nobody waits for an answer any more */
struct exec_wave *exec_find(struct exec *exec, const char *name, size_t len);
void exec_ok(struct exec *exec, const struct wire_view *request, enum wire_tag tag, uint64_t value);
__attribute__((format(printf, 4, 5))) void exec_fail(
    struct exec *exec, const struct wire_view *request, int code, const char *format, ...);
/* wave_later keeps the request; wave_answer sends its answer: value with `tag`, or FAIL when why is given. */
void wave_later(struct exec_pending *pending, const struct wire_view *request, uint64_t timeout_ns);
bool wave_busy(const struct exec_pending *pending); /* somebody waits for it */
void wave_answer(struct exec_wave *wave, struct exec_pending *pending, enum wire_tag tag,
    uint64_t value, int code, const char *why);
void wave_set_state(struct exec_wave *wave, enum wave_state state);
struct node_control *wave_control(const struct exec_wave *wave);

/* prepare.c */
void exec_prepare(struct exec *exec, const struct wire_view *request);
int image_make(struct exec_wave *wave, const void *program, size_t len, char *ret_why,
    size_t size); /* fd, view */
int wave_tables(struct exec_wave
        *wave); /* hosts, places, progress; none of the hosts is there yet. 0 or -ENOMEM */
void wave_free(struct exec_wave *wave);    /* entries freed, hosts killed, memory given back */
void wave_dispose(struct exec_wave *wave); /* only what this process has of it */

/* memory.c */
uint64_t memory_available(void); /* bytes that this node may still take */

/* lanes.c */
void lane_keep(struct exec *exec, uint32_t number);
int lanes_take(struct exec_wave *wave, char *ret_why, size_t size);
void lanes_leave(struct exec_wave *wave); /* entries are not live any more */
void lanes_leave_host(
    struct exec_wave *wave, uint32_t host);        /* nor is the host: its batons go on */
void lanes_release(struct exec_wave *wave);        /* and free for others */
void lanes_live(struct exec_wave *wave);           /* from now on */
uint64_t lanes_slot(const struct exec_wave *wave); /* slot of its time base now; 0 under virtual */
struct node_timebase *wave_timebase(const struct exec_wave *wave); /* NULL under virtual */
void lane_tend(struct exec *exec, uint32_t lane);      /* the baton is where somebody takes it */
int lane_reuse(struct exec_wave *wave, uint32_t lane); /* of a waveform that is on it already */
void lanes_wake_fast(struct exec_wave *wave);

/* process.c */
int process_take(struct exec_host *host, bool shared); /* its own, or the shared one */
void process_leave(struct exec_host *host,
    bool kill_it); /* a killed one that nobody else uses is gone on return */
void process_kill(struct exec_process *process);
void process_free(struct exec_process *process);
void process_keep(const struct exec_process *process); /* its seats have changed */
int process_restore(
    struct exec_host *host, const struct kept_process *kept, int pidfd, int sock, bool shared);

/* hosts.c */
int hosts_start(struct exec_wave *wave, char *ret_why, size_t size);
int hosts_attach(struct exec_wave *wave, enum hostlink_type type, char *ret_why, size_t size);
void hosts_finish(struct exec_wave *wave);
void hosts_leave(struct exec_wave *wave, bool kill_them);
void host_answer(struct exec_host *host, const struct hostlink_msg *msg);
void host_died(struct exec_host *host, const char *how);
const char *host_instance(
    const struct exec_host *host); /* name of the one in init or in work; NULL: none */

/* change.c */
void wave_start(struct exec_wave *wave, const struct wire_view *request);
void wave_pause(struct exec_wave *wave, const struct wire_view *request);
void wave_step(struct exec_wave *wave, const struct wire_view *request);
void wave_stop(struct exec_wave *wave, const struct wire_view *request);
void wave_unload(struct exec_wave *wave, const struct wire_view *request);
uint64_t wave_margin(const struct exec_wave *wave);
bool wave_can(
    struct exec_wave *wave, const struct wire_view *request, unsigned states, const char *what);
void wave_limit(struct exec_wave *wave, uint64_t limit); /* steps below it may run */
/* wave_run lets it run up to `limit`, from the slot given back on: so many slots from now. */
uint64_t wave_run(struct exec_wave *wave, uint64_t limit, uint64_t margin);
uint64_t wave_steps_max(const struct exec_wave *wave);
uint64_t wave_steps_min(const struct exec_wave *wave);

/* remap.c: remap_restore goes on with what an exec before this one was about. */
void wave_remap(struct exec_wave *wave, const struct wire_view *request);
void remap_answered(
    struct exec_host *host, const struct hostlink_msg *msg); /* REMAPPABLE, STUCK, SWITCHED */
void remap_check(struct exec_wave *wave);
void remap_drop(struct exec_wave *wave); /* what there is of it, without a word to anybody */
void remap_restore(struct exec_wave *wave);

/* set.c */
void wave_set(struct exec_wave *wave, const struct wire_view *request);
void set_offered(struct exec_wave *wave, const struct hostlink_msg *msg); /* OFFERED, REFUSED */
void check_set(struct exec_wave *wave);

/* watch.c */
void exec_tick(void *self);
void wave_look_soon(
    struct exec_wave *wave); /* for what is pending: most of it is done in a slot or two */
bool wave_limit_reached(
    struct exec_wave *wave); /* all segments stand at pending.value, or at what it must become */
void wave_step_more(
    struct exec_wave *wave); /* on the step clock: slots for those that are not there yet */
__attribute__((format(printf, 2, 3))) void wave_abort(
    struct exec_wave *wave, const char *format, ...);

/* overrun.c */
void check_overrun(struct exec_wave *wave);

/* keeper.c */
int keeper_start(struct exec *exec, uint32_t lane);
void keeper_stop(struct exec *exec, uint32_t lane);

/* report.c */
void wave_miss_cause(
    const struct exec_wave *wave, const struct image_miss *miss, char *ret, size_t size);
char *wave_report(const struct exec_wave *wave); /* JSON; the caller frees */
char *exec_list(const struct exec *exec);

/* restore.c: exec_restore takes up what an earlier exec left with the frontend: 0 or -errno. exec_keep puts everything, for
 * a frontend that knows nothing yet. */
void exec_entry(void *self, struct keep_entry *entry);
int exec_restore(struct exec *exec);
void exec_forget(struct exec *exec); /* what has come of it */
void exec_keep(struct exec *exec);
void keep_wave(const struct exec_wave *wave);
void keep_wave_drop(const struct exec_wave *wave);

#endif
