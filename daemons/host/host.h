/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/host/host.h - the inside of aloe-host: who holds what, and which thread may touch it.
 *
 *   control thread  ATTACH, FINISH, OFFER, FORGET, REMAP, SWITCH, REMAIN (this file's functions)
 *   I/O thread      fill and drain of all instances, under `lock`
 *   lane threads    one per lane of the node that a segment of ours is on (timer, step)
 *   free threads    one per segment (virtual)
 */
#ifndef ALOE_HOST_H
#define ALOE_HOST_H

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

#include "core/registry/registry.h"
#include "core/slot/lane.h"
#include "daemons/common/hostlink.h"
#include "daemons/host/radio.h"

struct host_segment {
	struct segment segment;
	struct hostlink_segment place;
	struct host_wave *wave;
	pthread_t thread; /* virtual */
	bool running;
};

struct host_tables { /* by which a waveform runs here */
	struct image_view view;
	struct host_segment *segments;
	uint32_t n_segments;
};

/* An instance of another build (upgrade.c), and what it has of its own. Its `instance` is the new
 * one until the switch, and then the one that was there before, until that is closed. */
struct host_build {
	struct host_build *next;
	uint32_t number;
	struct instance instance;
	struct arena arena;
	void *handle;           /* of its file; NULL: it is in the wave's files */
	const void *program;    /* that it was opened with */
	struct host_build *old; /* of the instance that it replaces, if that is an upgrade, too */
};

struct host_program { /* that builds were opened with, after a remap has replaced it */
	struct host_program *next;
	const void *bytes;
	size_t len;
};

struct host_wave { /* what we hold of one waveform */
	struct host_wave *next;
	uint32_t control;
	struct host_tables now;
	struct host_tables *other; /* of a remap that is being prepared; NULL */
	/* program with which the instances were opened, after a remap has replaced it */
	struct image_view opened_with;
	uint32_t found_of; /* 1 + the instance whose file was found last, by content; 0: none */
	char found[PATH_MAX];
	struct arena arena;         /* of all that follows, and of the instances */
	struct instance *instances; /* by number in the image; ours are open */
	struct component_files files;
	_Atomic uint32_t quit;    /* virtual: the threads of `now` end */
	struct host_radio *radio; /* its clock; NULL: another one */
	bool io_reported;
	struct host_lapses **lapses; /* by number of the instance; NULL: no recording */
	bool records;                /* they are written */
	/* builds in force, and those of a remap that is being prepared, or has just been switched
	 * to: then with what they replaced */
	struct host_build *builds, *next_builds;
	struct host_program *programs;
};

struct host_lane {
	struct lane_thread thread;
	struct host_radio *radio; /* its clock; NULL */
	struct host *host;
	uint32_t control; /* of the waveform that it was made for */
	pthread_t id;
	sem_t asked; /* exec, for its priority */
	bool running;
};

struct host {
	int sock;
	int exec;                /* pidfd of who watches our lanes; -1: it is dead */
	struct node_image *node; /* NULL until the first ATTACH */
	struct host_lane *lanes[NODE_LANES_MAX];
	pthread_mutex_t lock; /* waves, for the I/O thread */
	struct host_wave *waves;
	pthread_t io_thread;
	_Atomic pid_t io_tid; /* 0: not yet */
	uint32_t io_control;  /* of the waveform for which it was made */
	struct tell tell;
	bool has_io_thread, locked, noted_no_huge;
	char text[HOSTLINK_TEXT]; /* notes and losses for the answer */
};

int host_serve(int sock, int leash); /* the main loop: the program's exit code */

/* tables.c */
void host_note(struct host *host, const char *format, ...) __attribute__((format(printf, 2, 3)));
int host_map(struct host *host, const struct hostlink_msg *msg, const int *fds, size_t n_fds,
    struct image_view *ret);
struct host_wave *host_find(const struct host *host, uint32_t control); /* NULL: none */
/* places; -ENOMEM, -EBADMSG */
int host_tables_init(struct host_tables *tables, const struct hostlink_msg *msg);
void host_tables_fini(struct host_tables *tables);
/* host_segment_init makes the nth of their segments, which tells exec and the I/O thread. 0 or
 * -ENOMEM */
int host_segment_init(
    struct host *host, struct host_wave *wave, struct host_tables *tables, uint32_t nth);

/* attach.c: 0, or negative with the reason in host->text. The descriptors are consumed. */
int host_attach(struct host *host, const struct hostlink_msg *msg, const int *fds, size_t n_fds);
int host_finish(struct host *host, uint32_t control);

/* lapses.c: of instances that have been opened. host_lapses_begin: 0, or negative with the reason
 * in host->text. host_lapses_serve: what has been written down so far, of a wave that records; by
 * the I/O thread. */
int host_lapses_begin(struct host *host, struct host_wave *wave);
void host_lapses_serve(struct host_wave *wave);
void host_lapses_end(struct host_wave *wave);

/* remap.c: the same instances by other tables. host_remap: 0, or negative with the reason in
 * host->text and nothing changed; the descriptors are consumed. host_switch: 0, also when there is
 * nothing to go over to: exec may have died. */
int host_remap(struct host *host, const struct hostlink_msg *msg, const int *fds, size_t n_fds);
int host_switch(struct host *host, uint32_t control);
void host_remain(struct host *host, struct host_wave *wave);

/* upgrade.c: instances of another build. host_builds_open opens those of `other`, host_builds_drop
 * closes them again; host_builds_import lets them take over while the waveform stands,
 * host_builds_switch puts them into their places, and host_builds_settle closes what was there
 * before. host_export writes the state of an instance to `fd`: *ret_has tells whether there is
 * one. Each 0, or negative with the reason in host->text. host_program_keep takes the mapping of a
 * program over if a build was opened with it. */
int host_builds_open(struct host *host, struct host_wave *wave, const struct image_view *view);
void host_builds_drop(struct host_wave *wave);
int host_builds_import(struct host *host, uint32_t control);
void host_builds_switch(struct host_wave *wave);
void host_builds_settle(struct host *host, uint32_t control);
void host_builds_close(struct host_wave *wave); /* when all instances are closed */
int host_export(struct host *host, const struct hostlink_msg *msg, int fd, uint32_t *ret_has);
void host_program_keep(struct host_wave *wave, struct image_view *view);

/* live.c: 0, or negative with the reason in host->text. host_sweep: how many arrays wait for
 * something still. */
int host_offer(struct host *host, const struct hostlink_msg *msg, const int *fds, size_t n_fds);
void host_forget(struct host *host, const struct hostlink_msg *msg);
uint32_t host_sweep(struct host *host);

/* threads.c */
int host_threads_start(
    struct host *host, struct host_wave *wave, const struct hostlink_msg *msg, const int *lane_fds);
void host_threads_stop(struct host *host, struct host_wave *wave);
/* host_lanes_join puts segments into the tables of our threads on their lanes, host_lanes_leave
 * takes them out and waits for the one at work; host_free_start: the threads of the
 * virtual clock. */
int host_lanes_join(struct host *host, struct host_tables *tables, const struct hostlink_msg *msg,
    const int *lane_fds);
void host_lanes_leave(struct host *host, struct host_tables *tables);
/* host_radio_start makes the lane's thread, which opens the radio: 0, or negative with the reason
 * in host->text. host_radio_stop ends it, and what it has of the radio. */
int host_radio_start(
    struct host *host, struct host_wave *wave, const struct hostlink_msg *msg, const int *lane_fds);
void host_radio_stop(struct host *host, struct host_wave *wave);
/* by whom: a pidfd, and the bell that this exec hears, both taken over; -1: by nobody, and the bell
 * stays as it is */
void host_watched(struct host *host, int exec, int bell);
/* what exec gave a lane's thread */
void host_granted(struct host *host, const struct hostlink_msg *msg);
/* host_timer: what the thread of a lane puts off from now on; the descriptor is consumed. */
void host_timer(struct host *host, uint32_t lane, int fd);
int host_free_start(struct host_wave *wave);
void host_io_wake(struct host *host); /* waveforms have come or gone */

#endif
