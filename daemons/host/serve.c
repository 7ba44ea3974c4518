/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/child.h"
#include "daemons/host/host.h"

enum { SWEEP_MS = 1 };

static void answer_send(
    struct host *host, const struct hostlink_msg *request, enum hostlink_type type)
{
	struct hostlink_msg msg = {.type = type,
	    .control = request->control,
	    .instance = request->instance,
	    .sequence = request->sequence};

	memcpy(msg.text, host->text, sizeof(msg.text));
	hostlink_send(host->sock, &msg, NULL, 0);
}

static void export_answer(struct host *host, const struct hostlink_msg *request, int fd)
{
	struct hostlink_msg told = *request;
	const int status = host_export(host, request, fd, &told.param);

	told.type = status == 0 ? HOSTLINK_EXPORTED : HOSTLINK_STUCK;
	memcpy(told.text, host->text, sizeof(told.text));
	hostlink_send(host->sock, &told, NULL, 0);
}

static void message_take(
    struct host *host, const struct hostlink_msg *msg, const int *fds, size_t n_fds)
{
	int status;

	host->text[0] = 0;
	if (msg->type == HOSTLINK_ATTACH) {
		status = host_attach(host, msg, fds, n_fds);
		answer_send(host, msg, status == 0 ? HOSTLINK_READY : HOSTLINK_FAILED);
		return;
	}
	if (msg->type == HOSTLINK_REMAP) {
		status = host_remap(host, msg, fds, n_fds);
		answer_send(host, msg, status == 0 ? HOSTLINK_REMAPPABLE : HOSTLINK_STUCK);
		return;
	}
	if (msg->type == HOSTLINK_OFFER) {
		status = host_offer(host, msg, fds, n_fds);
		answer_send(host, msg, status == 0 ? HOSTLINK_OFFERED : HOSTLINK_REFUSED);
	}
	if (msg->type == HOSTLINK_WATCHED && n_fds == 2) {
		host_watched(host, fds[0], fds[1]);
		return;
	}
	if (msg->type == HOSTLINK_TIMER && n_fds == 1) {
		host_timer(host, msg->lanes[0], fds[0]);
		return;
	}
	if (msg->type == HOSTLINK_EXPORT && n_fds == 1)
		export_answer(host, msg, fds[0]);
	for (size_t i = 0; i < n_fds; i++)
		close(fds[i]);
	if (msg->type == HOSTLINK_IMPORT) {
		status = host_builds_import(host, msg->control);
		answer_send(host, msg, status == 0 ? HOSTLINK_IMPORTED : HOSTLINK_STUCK);
	}
	if (msg->type == HOSTLINK_GRANTED)
		host_granted(host, msg);
	if (msg->type == HOSTLINK_FORGET)
		host_forget(host, msg);
	if (msg->type == HOSTLINK_REMAIN) {
		host_remain(host, host_find(host, msg->control));
		answer_send(host, msg, HOSTLINK_REMAINED);
	}
	if (msg->type == HOSTLINK_SWITCH) {
		status = host_switch(host, msg->control);
		answer_send(host, msg, status == 0 ? HOSTLINK_SWITCHED : HOSTLINK_FAULT);
		host_builds_settle(host, msg->control);
	}
	if (msg->type == HOSTLINK_FINISH) {
		status = host_finish(host, msg->control);
		answer_send(host, msg, status == 0 ? HOSTLINK_FINISHED : HOSTLINK_FAILED);
	}
}

static void *nothing_do(void *self)
{
	return self;
}

/* Locked memory holds every stack in full: what a thread does not need is taken from the machine
 * for nothing. Where a library's thread-local storage leaves no room on such a stack (a sanitizer's
 * does), stacks stay as they were. */
static void stacks_small(void)
{
	pthread_attr_t before, small;
	pthread_t thread;

	if (pthread_getattr_default_np(&before) != 0)
		return;
	pthread_attr_init(&small);
	if (pthread_attr_setstacksize(&small, ALOE_STACK_BYTES) == 0 &&
	    pthread_setattr_default_np(&small) == 0) {
		if (pthread_create(&thread, NULL, nothing_do, NULL) == 0)
			pthread_join(thread, NULL);
		else
			pthread_setattr_default_np(&before);
	}
	pthread_attr_destroy(&small);
	pthread_attr_destroy(&before);
}

int host_serve(int sock, int leash)
{
	struct host *host = calloc(1, sizeof(*host));
	struct hostlink_msg *msg = calloc(1, sizeof(*msg));
	struct pollfd polled[] = {{.fd = sock, .events = POLLIN}, {.fd = leash, .events = POLLIN},
	    {.fd = -1, .events = POLLIN}};
	int fds[HOSTLINK_FDS_MAX], status = 0, wait_ms = -1;
	size_t n_fds;

	stacks_small();
	if (host == NULL || msg == NULL || leash_guard_start(leash, 3000) != 0) {
		free(host);
		free(msg);
		return 1;
	}
	host->sock = sock;
	host->exec = -1;
	tell_init(&host->tell);
	signal(SIGXFSZ, SIG_IGN); /* a sink that meets a limit says so in words */
	signal(SIGPIPE, SIG_IGN); /* and one whose reader has ended */
	pthread_mutex_init(&host->lock, NULL);
	while (status == 0) {
		polled[2].fd = host->exec;
		if (poll(polled, 3, wait_ms) < 0 && errno != EINTR)
			break;
		if (polled[2].revents != 0)
			host_watched(host, -1, -1);
		wait_ms = host_sweep(host) > 0 ? SWEEP_MS : -1;
		if (polled[1].revents != 0)
			break;
		if (polled[0].revents == 0)
			continue;
		status = hostlink_recv(sock, msg, fds, &n_fds);
		if (status == 0)
			message_take(host, msg, fds, n_fds);
		if (status == -EBADMSG || status == -EMFILE)
			status = 0;
		wait_ms = 0; /* look after what came of it */
	}
	/* A waveform that nobody will finish keeps its files as they are: the process ends here,
	 * threads and all. */
	_exit(0);
}
