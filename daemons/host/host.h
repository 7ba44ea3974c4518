/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/host/host.h - the inside of aloe-host: who holds what, and which thread may touch it.
 *
 *   control thread  ATTACH, FINISH, OFFER, FORGET (this file's functions)
 *   I/O thread      fill and drain of all instances, under `lock`
 *   lane threads    one per lane of the node that a segment of ours is on (timer, step)
 *   free threads    one per segment (virtual)
 */
#ifndef ALOE_HOST_H
#define ALOE_HOST_H

#include <pthread.h>

#include "core/slot/lane.h"
#include "daemons/common/hostlink.h"

struct host_segment {
	struct segment segment;
	struct hostlink_segment place;
	struct host_wave *wave;
	pthread_t thread; /* virtual */
	bool running;
};

struct host_wave { /* what we hold of one waveform */
	struct host_wave *next;
	uint32_t control;
	struct image_view view;
	struct arena arena;         /* of all that follows, and of the instances */
	struct instance *instances; /* by number in the image; ours are open */
	void **handles;             /* of the .so files; NULL: not ours */
	struct host_segment *segments;
	uint32_t n_segments;
	_Atomic uint32_t quit;
	bool io_reported;
};

struct host_lane {
	struct lane_thread thread;
	pthread_t id;
	bool running;
};

struct host {
	int sock;
	struct node_image *node; /* NULL until the first ATTACH */
	struct host_lane *lanes[NODE_LANES_MAX];
	pthread_mutex_t lock; /* waves, for the I/O thread */
	struct host_wave *waves;
	pthread_t io_thread;
	_Atomic uint32_t quit;
	bool has_io_thread, locked, said_no_huge;
	char text[HOSTLINK_TEXT]; /* notes and losses for the answer */
};

int host_serve(int sock, int leash); /* the main loop: the program's exit code */

/* attach.c: 0, or negative with the reason in host->text. The descriptors are consumed. */
int host_attach(struct host *host, const struct hostlink_msg *msg, const int *fds, size_t n_fds);
int host_finish(struct host *host, uint32_t control);

/* live.c: 0, or negative with the reason in host->text. host_sweep: how many arrays wait for something still. */
int host_offer(struct host *host, const struct hostlink_msg *msg, const int *fds, size_t n_fds);
void host_forget(struct host *host, const struct hostlink_msg *msg);
uint32_t host_sweep(struct host *host);

/* threads.c */
int host_threads_start(struct host *host, struct host_wave *wave, const struct hostlink_msg *msg, const int *lane_fds);
void host_threads_stop(struct host *host, struct host_wave *wave);
int host_io_start(struct host *host);
void host_say(struct host *host, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
