/* SPDX-License-Identifier: BSD-3-Clause
 *
 * grant.c - the priority of the threads that run lanes. Hosts have given up the right to it before
 * they open a component, so that no component can raise itself above the watchdogs; exec gives it,
 * thread by thread. */
#include <errno.h>
#include <stdio.h>

#include "core/platform/platform.h"
#include "core/slot/lane.h"
#include "daemons/exec/exec.h"
#include "daemons/exec/lanes.h"

/* The kernel would stop a real-time thread that never sleeps for 50 ms of every second, and so
 * would those that it keeps from their CPU. */
static bool polls(const struct exec_wave *wave)
{
	const struct image_head *head = wave->view.head;

	return head->clock == IMAGE_RADIO ||
	    (head->clock == IMAGE_TIMER && lane_polls(head->slot_ns));
}

/* It costs nothing where no slot can be late. */
static void lose(struct exec_wave *wave, const char *note)
{
	if (!wave->view.head->radio_fast)
		wave_note(wave, note);
}

/* Whether it is a real-time thread now. */
static bool give(struct exec_wave *wave, pid_t pid, pid_t tid, uint32_t lane)
{
	const char *why = NULL;
	char note[256], name[LANE_NAME];

	if (wave->exec->daemon.args.shared) {
		wave_note(wave,
		    "!this node is shared: its lanes run at ordinary priority, on CPUs that "
		    "others use too, so nothing is promised about time\n");
		return false;
	}
	if (polls(wave) && !platform_may_poll(wave->exec->node->lane[lane].cpu, &why)) {
		const int nice = platform_nice(pid, tid, -20);

		snprintf(note, sizeof(note),
		    "!%s never sleeps and has no real-time priority but nice %s, because %s\n",
		    lane_name(wave, lane, name), nice == 0 ? "-20" : "as before (CAP_SYS_NICE)",
		    why);
		lose(wave, note);
		return false;
	}
	if ((wave->view.head->round_robin ? platform_round_robin(tid, PLATFORM_PRIORITY_LANE)
	                                  : platform_realtime(tid, PLATFORM_PRIORITY_LANE)) == 0)
		return true;
	lose(wave,
	    "!no real-time priority (CAP_SYS_NICE): other programs can delay a slot by "
	    "milliseconds\n");
	return false;
}

void host_asks_priority(struct exec_host *host, const struct hostlink_msg *msg)
{
	struct exec_wave *wave = host->wave;
	const pid_t pid = host->process->pid, tid = (pid_t)msg->sequence;
	const uint32_t lane = msg->lanes[0];
	struct hostlink_msg answer = {
	    .type = HOSTLINK_GRANTED, .control = wave->control, .n_lanes = 1, .lanes = {lane}};

	if (msg->n_lanes == 0) { /* its I/O thread: it has ordinary priority */
		host->process->io_tid = tid;
		return;
	}
	if (lane >= wave->exec->node->n_lanes || !image_timed(wave->view.head->clock))
		return;
	if (!platform_has_thread(pid, tid)) {
		log_warning(&wave->exec->daemon.log,
		    "%s: host %d asks for the priority of thread %d, but the thread is not in "
		    "that host",
		    wave->name, pid, tid);
		return;
	}
	answer.sequence = give(wave, pid, tid, lane);
	process_send(host->process, &answer, NULL, 0);
	process_timer(host->process, lane);
}
