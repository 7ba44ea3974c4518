/* SPDX-License-Identifier: BSD-3-Clause
 *
 * process.c - host processes: one per host of a waveform, or one for all waveforms of isolation
 * "none". What a process says goes to the waveform that its message names; its death concerns every
 * waveform that it held. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/child.h"
#include "daemons/exec/exec.h"

/* What another exec finds with the frontend. */
static_assert(sizeof(struct kept_process) == 260, "kept_process");
static_assert(offsetof(struct kept_process, pid) == 0, "kept_process.pid");
static_assert(offsetof(struct kept_process, seat) == 4, "kept_process.seat");

enum { DEATH_MS = 2000, DEAF_NS = 200000000 };

static struct exec_host *host_in(struct exec_wave *wave, const struct exec_process *process)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		if (wave->hosts[h].process == process)
			return &wave->hosts[h];
	return NULL;
}

static struct exec_host *host_of_message(struct exec_process *process, uint32_t control)
{
	for (struct exec_wave *wave = process->exec->waves; wave != NULL; wave = wave->next)
		if (wave->control == control)
			return host_in(wave, process);
	return NULL;
}

/* What is closed by its end is closed a moment before the pidfd tells of it. */
static void still_alive(void *self)
{
	process_condemn(self, "was killed, because the host had closed its socket to aloe-exec");
}

static void sock_ready(void *self, short revents)
{
	struct exec_process *process = self;
	struct hostlink_msg msg;
	struct exec_host *host;
	int fds[HOSTLINK_FDS_MAX], status;
	size_t n_fds = 0;

	(void)revents;
	status = hostlink_recv(process->sock, &msg, fds, &n_fds);
	while (n_fds > 0)
		close(fds[--n_fds]);
	if (status == 0) {
		host = host_of_message(process, msg.control);
		if (host != NULL)
			process->exec->host_answer(host, &msg);
		exec_look_within(process->exec, EXEC_LOOK_NS);
	} else if (status != -EAGAIN && status != -EBADMSG && status != -EMFILE) {
		loop_watch_stop(&process->exec->daemon.loop, &process->sock_watch);
		loop_timer_start(
		    &process->exec->daemon.loop, &process->deaf, DEAF_NS, still_alive, process);
	}
}

void process_free(struct exec_process *process)
{
	struct exec *exec = process->exec;
	struct exec_process **link = &exec->processes;

	loop_watch_stop(&exec->daemon.loop, &process->sock_watch);
	loop_watch_stop(&exec->daemon.loop, &process->pid_watch);
	loop_timer_stop(&exec->daemon.loop, &process->deaf);
	close(process->sock);
	close(process->pidfd);
	for (uint32_t l = 0; l < NODE_LANES_MAX; l++)
		if (process->seat[l] != IMAGE_NONE) {
			exec->lanes[l].seats &= ~(1ull << process->seat[l]);
			atomic_store(&exec->lanes[l].pid[process->seat[l]], 0);
			atomic_store(&exec->lanes[l].found[process->seat[l]].what, FOUND_NOTHING);
		}
	while (*link != process)
		link = &(*link)->next;
	*link = process->next;
	free(process);
}

/* What it has started goes with it (since Linux 6.9; before, it outlives the host until the node
 * ends). By its pidfd: the number may be another's already where the frontend has reaped it. */
static void group_kill(const struct exec_process *process)
{
	enum { SIGNAL_PROCESS_GROUP = 1 << 2 };

	pidfd_send_signal(process->pidfd, SIGKILL, NULL, SIGNAL_PROCESS_GROUP);
}

static void process_died(void *self, short revents)
{
	struct exec_process *process = self;
	char how[128];

	(void)revents;
	group_kill(process);
	if (daemon_is_ending(&process->exec->daemon)) { /* hosts have the same leash */
		loop_watch_stop(&process->exec->daemon.loop, &process->pid_watch);
		return;
	}
	child_ended(process->pid, process->pidfd, how, sizeof(how));
	if (process->why != NULL)
		snprintf(how, sizeof(how), "%s", process->why);
	else if (process->shared && process->dying)
		snprintf(
		    how, sizeof(how), "was killed, because another waveform hung in the same host");
	process->dying = true;
	process->users++; /* it is freed here */
	for (struct exec_wave *wave = process->exec->waves; wave != NULL; wave = wave->next) {
		struct exec_host *host = host_in(wave, process);

		if (host != NULL)
			wave->exec->host_died(host, how);
	}
	exec_look_within(process->exec, EXEC_LOOK_NS);
	process_free(process);
}

static struct exec_process *process_add(
    struct exec *exec, pid_t pid, int pidfd, int sock, bool shared)
{
	struct exec_process *process = calloc(1, sizeof(*process));

	if (process == NULL)
		return NULL;
	*process = (struct exec_process){.exec = exec,
	    .pid = pid,
	    .pidfd = pidfd,
	    .sock = sock,
	    .shared = shared,
	    .next = exec->processes};
	for (uint32_t l = 0; l < NODE_LANES_MAX; l++)
		process->seat[l] = IMAGE_NONE;
	exec->processes = process;
	fcntl(sock, F_SETFL, O_NONBLOCK); /* only our end: a host has time */
	loop_watch_start(
	    &exec->daemon.loop, &process->sock_watch, sock, POLLIN, sock_ready, process);
	loop_watch_start(
	    &exec->daemon.loop, &process->pid_watch, pidfd, POLLIN, process_died, process);
	return process;
}

void process_timer(struct exec_process *process, uint32_t lane)
{
	const struct hostlink_msg msg = {.type = HOSTLINK_TIMER, .n_lanes = 1, .lanes = {lane}};
	const int timer = process->exec->lanes[lane].bed.timer;

	if (timer > 0)
		process_send(process, &msg, &timer, 1);
}

/* Where it cannot be told, its lanes look after themselves. */
void process_watch(struct exec_process *process)
{
	const struct hostlink_msg msg = {.type = HOSTLINK_WATCHED};
	const int fds[] = {pidfd_open(getpid(), 0), process->exec->bell};

	if (fds[0] >= 0) {
		process_send(process, &msg, fds, 2);
		close(fds[0]);
	}
	for (uint32_t l = 0; l < NODE_LANES_MAX; l++)
		if (process->seat[l] != IMAGE_NONE)
			process_timer(process, l);
}

static struct exec_process *process_spawn(struct exec *exec, bool shared, int *ret_status)
{
	char path[4096], sock[16], leash[16];
	char *argv[] = {"aloe-host", "--sock", sock, "--leash", leash, NULL};
	struct exec_process *process;
	int pair[2], pidfd;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
		*ret_status = -errno;
		return NULL;
	}
	snprintf(sock, sizeof(sock), "%d", pair[1]);
	snprintf(leash, sizeof(leash), "%d", exec->daemon.args.leash);
	*ret_status = child_path("aloe-host", path, sizeof(path));
	if (*ret_status == 0)
		*ret_status = child_spawn(
		    path, argv, (int[]){pair[1], exec->daemon.args.leash}, 2, -1, &pid, &pidfd);
	close(pair[1]);
	if (*ret_status != 0) {
		close(pair[0]);
		return NULL;
	}
	process = process_add(exec, pid, pidfd, pair[0], shared);
	if (process != NULL)
		process_watch(process);
	else
		*ret_status = -ENOMEM; /* the host leaves when its socket closes */
	return process;
}

static void host_key(const struct exec_host *host, char *ret, size_t size)
{
	snprintf(ret, size, "host/%s/%u", host->wave->name, host->number);
}

static struct exec_process *shared_find(struct exec *exec)
{
	for (struct exec_process *process = exec->processes; process != NULL;
	     process = process->next)
		if (process->shared && !process->dying)
			return process;
	return NULL;
}

static void host_keep(const struct exec_host *host)
{
	const struct exec_process *process = host->process;
	struct kept_process kept = {.pid = process->pid};
	char key[KEEP_KEY_MAX + 1];

	memcpy(kept.seat, process->seat, sizeof(kept.seat));
	host_key(host, key, sizeof(key));
	daemon_put(&process->exec->daemon, key, &kept, sizeof(kept),
	    (int[]){process->sock, process->pidfd}, 2);
}

/* Whichever waveform stays longest with it, the seats of its threads are known. */
void process_keep(const struct exec_process *process)
{
	for (struct exec_wave *wave = process->exec->waves; wave != NULL; wave = wave->next) {
		const struct exec_host *host = host_in(wave, process);

		if (host != NULL)
			host_keep(host);
	}
}

int process_take(struct exec_host *host, bool shared)
{
	struct exec *exec = host->wave->exec;
	struct exec_process *process = shared ? shared_find(exec) : NULL;
	int status = 0;

	if (process == NULL)
		process = process_spawn(exec, shared, &status);
	if (process == NULL)
		return status;
	process->users++;
	host->process = process;
	host_keep(host);
	return 0;
}

void process_kill(struct exec_process *process)
{
	process->dying = true;
	pidfd_send_signal(process->pidfd, SIGKILL, NULL, 0);
	group_kill(process);
}

void process_condemn(struct exec_process *process, const char *why)
{
	if (process->dying)
		return;
	process->why = why;
	process_kill(process);
}

int process_send(
    struct exec_process *process, const struct hostlink_msg *msg, const int *fds, size_t n_fds)
{
	const int status = hostlink_send(process->sock, msg, fds, n_fds);

	if (status == -EAGAIN)
		process_condemn(process,
		    "was killed, because the host does not read the messages of aloe-exec");
	return status;
}

static void process_await(struct exec_process *process)
{
	struct pollfd polled = {.fd = process->pidfd, .events = POLLIN};
	int status;

	if (poll(&polled, 1, DEATH_MS) != 1)
		log_warning(&process->exec->daemon.log,
		    "host %d was killed but does not end, because the process hangs in the kernel",
		    process->pid);
	child_reap(process->pid, &status);
}

void process_leave(struct exec_host *host, bool kill_it)
{
	struct exec_process *process = host->process;
	char key[KEEP_KEY_MAX + 1];

	if (process == NULL)
		return;
	host_key(host, key, sizeof(key));
	daemon_drop(&host->wave->exec->daemon, key);
	host->process = NULL;
	if (--process->users > 0 && !kill_it)
		return;
	process_kill(process);
	if (process->users > 0) /* others held by it learn of its death from the pidfd */
		return;
	process_await(process);
	process_free(process);
}

static void seats_take(struct exec_process *process, const struct kept_process *kept)
{
	for (uint32_t l = 0; l < NODE_LANES_MAX; l++)
		if (kept->seat[l] < NODE_ENTRIES_MAX) {
			process->seat[l] = kept->seat[l];
			process->exec->lanes[l].seats |= 1ull << kept->seat[l];
			atomic_store(&process->exec->lanes[l].pid[kept->seat[l]], kept->pid);
		}
}

int process_restore(
    struct exec_host *host, const struct kept_process *kept, int pidfd, int sock, bool shared)
{
	struct exec_process *process = host->wave->exec->processes;

	while (process != NULL && process->pid != kept->pid)
		process = process->next;
	if (process != NULL) {
		close(pidfd);
		close(sock);
	} else {
		process = process_add(host->wave->exec, kept->pid, pidfd, sock, shared);
	}
	if (process == NULL)
		return -ENOMEM;
	seats_take(process, kept);
	process->users++;
	host->process = process;
	return 0;
}
