/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/hosts.h - host processes, the hosts of a waveform, and what they say.
 */
#ifndef DAEMONS_EXEC_HOSTS_H
#define DAEMONS_EXEC_HOSTS_H

#include <sys/types.h>

#include "core/base/loop.h"
#include "core/image/program.h"
#include "daemons/common/hostlink.h"

struct exec;
struct exec_wave;

struct exec_process { /* a host process; isolation "none": one for all such waveforms */
	struct exec_process *next;
	struct exec *exec;
	pid_t pid;
	int pidfd, sock;
	struct loop_watch sock_watch, pid_watch;
	uint32_t users;     /* hosts of waveforms */
	bool shared, dying; /* dying: was sent SIGKILL */
	/* it was, if the waveforms are to be told another reason than its status */
	const char *why;
	struct loop_timer deaf;        /* its socket has been closed; it is to end soon */
	uint32_t seat[NODE_LANES_MAX]; /* its thread's on each lane; IMAGE_NONE */
	pid_t io_tid;                  /* its I/O thread, as it says; 0: none */
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

/* process.c */
int process_take(struct exec_host *host, bool shared); /* its own, or the shared one */
/* a killed one that nobody else uses is gone on return */
void process_leave(struct exec_host *host, bool kill_it);
void process_kill(struct exec_process *process);
/* process_condemn kills one, for a reason that its waveforms are told: "was killed: ...". */
void process_condemn(struct exec_process *process, const char *why);
/* process_send does not wait: one that has not read what it was sent before is killed. 0 or
 * -errno. */
int process_send(
    struct exec_process *process, const struct hostlink_msg *msg, const int *fds, size_t n_fds);
void process_free(struct exec_process *process);
/* tells it that this exec looks after its lanes */
void process_watch(struct exec_process *process);
/* gives its thread on the lane the timer of the lane's watchdog */
void process_timer(struct exec_process *process, uint32_t lane);
void process_keep(const struct exec_process *process); /* its seats have changed */
int process_restore(
    struct exec_host *host, const struct kept_process *kept, int pidfd, int sock, bool shared);

/* hosts.c */
int hosts_start(struct exec_wave *wave, char *ret_why, size_t size);
int hosts_attach(struct exec_wave *wave, enum hostlink_type type, char *ret_why, size_t size);
void hosts_finish(struct exec_wave *wave);
void hosts_leave(struct exec_wave *wave, bool kill_them);
/* hosts_kill kills all of them and gives their batons on; wave_abort follows, then hosts_leave: an
 * exec that is killed in between leaves the next one dead hosts, and the reason. */
void hosts_kill(struct exec_wave *wave);
/* number of the instance in init or in work, IMAGE_NONE: none; its name, or NULL */
uint32_t host_current(const struct exec_host *host);
const char *host_instance(const struct exec_host *host);

/* answers.c: called by process.c, see struct exec. */
void host_answer(struct exec_host *host, const struct hostlink_msg *msg);
void host_died(struct exec_host *host, const char *how);

/* grant.c */
void host_asks_priority(struct exec_host *host, const struct hostlink_msg *msg);

#endif
