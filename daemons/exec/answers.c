/* SPDX-License-Identifier: BSD-3-Clause
 *
 * answers.c - what hosts say, and what their death means to their waveforms. */
#include <stdio.h>
#include <string.h>

#include "core/platform/platform.h"
#include "daemons/exec/end.h"
#include "daemons/exec/remap.h"
#include "daemons/exec/set.h"
#include "daemons/exec/watch.h"

static void host_ready(struct exec_host *host, const struct hostlink_msg *msg)
{
	struct exec_wave *wave = host->wave;

	host->ready = true;
	platform_forbid_priority(host->process->pid); /* its threads have what they need */
	wave_note(wave, msg->text);
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		if (!wave->hosts[h].ready)
			return;
	if (wave->unloading) /* nobody waits for it any more: the next look frees it */
		return;
	if (wave->state == WAVE_LOADED)
		wave_set_state(wave, WAVE_INIT);
	keep_wave(wave);
	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 0, NULL);
}

static void host_failed(struct exec_host *host, const struct hostlink_msg *msg)
{
	struct exec_wave *wave = host->wave;
	char text[HOSTLINK_TEXT];

	host->finished = true;
	if (host->finishing) {
		wave_abort(wave, "%.400s", msg->text);
		return;
	}
	snprintf(text, sizeof(text), "%s", msg->text);
	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 2, text);
	wave->unloading = true; /* the next look frees it */
}

void host_answer(struct exec_host *host, const struct hostlink_msg *msg)
{
	switch (msg->type) {
	case HOSTLINK_READY:
		host_ready(host, msg);
		break;
	case HOSTLINK_FAILED:
		host_failed(host, msg);
		break;
	case HOSTLINK_FINISHED:
		wave_note(host->wave, msg->text);
		host->finished = true;
		break;
	case HOSTLINK_OFFERED:
	case HOSTLINK_REFUSED:
		set_offered(host->wave, msg);
		break;
	case HOSTLINK_REMAPPABLE:
	case HOSTLINK_STUCK:
	case HOSTLINK_SWITCHED:
	case HOSTLINK_IMPORTED:
	case HOSTLINK_EXPORTED:
	case HOSTLINK_REMAINED:
		remap_answered(host, msg);
		break;
	case HOSTLINK_THREAD:
		host_asks_priority(host, msg);
		break;
	case HOSTLINK_FAULT:
		wave_abort(host->wave, "%.400s", msg->text);
		break;
	default:
		log_warning(&host->wave->exec->daemon.log,
		    "a host sent a message of the unknown type %u, which was dropped", msg->type);
	}
}

/* It may have died of what another instance has written. */
static void damage_text(const struct exec_wave *wave, char *ret, size_t size)
{
	struct image_damage damage;

	ret[0] = 0;
	if (!image_damage_all(&wave->view, &damage))
		return;
	snprintf(ret, size, "; ");
	blame_damage(wave, &damage, ret + 2, size - 2);
}

/* The instances of a host: "a", "b" and 3 more. */
static void host_instances(const struct exec_host *host, char *ret, size_t size)
{
	enum { NAMED = 3 };
	const struct image_view *view = &host->wave->view;
	uint32_t total = 0, n = 0;
	size_t len = 0;

	for (uint32_t s = 0; s < view->head->segments.count; s++)
		if (view->segments[s].host == host->number)
			total += view->segments[s].n_instances;
	ret[0] = 0;
	for (uint32_t s = 0; s < view->head->segments.count; s++) {
		const struct image_segment *row = &view->segments[s];

		for (uint32_t i = 0; row->host == host->number && i < row->n_instances && n < NAMED;
		     i++, n++)
			len += (size_t)snprintf(ret + len, size - len, "%s\"%.63s\"",
			    n == 0               ? ""
			        : n + 1 == total ? " and "
			                         : ", ",
			    image_text(view, view->instances[view->order[row->order + i]].name));
	}
	if (total > n)
		snprintf(ret + len, size - len, " and %u more", total - n);
}

/* Before the host is forgotten: if exec is killed over it, the next one finds the host dead, and
 * can say of what. */
static void stop_for_death(struct exec_host *host, const char *how)
{
	struct exec_wave *wave = host->wave;
	const uint32_t current = host_current(host);
	const pid_t pid = host->process != NULL ? host->process->pid : 0;
	char names[256], whose[BLAME_CALL_BYTES], damage[REASON_BYTES];

	lanes_leave_host(wave, host->number);
	damage_text(wave, damage, sizeof(damage));
	host_instances(host, names, sizeof(names));
	if (current != IMAGE_NONE) {
		blame_call(&wave->view, current, NULL, whose, sizeof(whose));
		wave_abort(wave, "the host of %s %s while the instance was in work (pid %d)%s",
		    whose, how, pid, damage);
	} else
		wave_abort(wave, "the host of %s %s while no instance was in work (pid %d)%s",
		    names, how, pid, damage);
}

void host_died(struct exec_host *host, const char *how)
{
	struct exec_wave *wave = host->wave;
	const char *instance = host_instance(host);
	const bool expected = wave->unloading || (host->finishing && host->finished),
	           prepares = !host->ready && wave->pending.bytes != NULL;
	char why[512];

	if (!expected && !prepares)
		stop_for_death(host, how);
	process_leave(host, false);
	host->finished = true;
	if (expected || !prepares)
		return;
	if (instance != NULL)
		snprintf(why, sizeof(why),
		    "the host of instance \"%s\" %s in the init of the instance", instance, how);
	else
		snprintf(why, sizeof(why),
		    "a host of \"%s\" %s while its components were being loaded", wave->name, how);
	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 1, why);
	wave->unloading = true;
}
