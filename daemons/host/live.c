/* SPDX-License-Identifier: BSD-3-Clause
 *
 * live.c - arrays that are set while the slot runs: prepared here, put in force by the segment's
 * thread, and given back here when work has passed them (core/slot/live.h). */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "core/component/param.h"
#include "daemons/host/host.h"

/* NULL where there is no such thing: exec may have died, and another one be mistaken. */
static struct live *live_of(const struct host *host, const struct hostlink_msg *msg)
{
	const struct host_wave *wave = host_find(host, msg->control);

	if (wave == NULL || msg->instance >= wave->now.view.head->instances.count)
		return NULL;
	return wave->instances[msg->instance].live;
}

static bool is_array(const struct live *live, uint32_t param)
{
	return param < live->component->params.len && param < IMAGE_PARAMS_MAX &&
	    param_is_live_array(&live->component->params.items[param]);
}

int host_offer(struct host *host, const struct hostlink_msg *msg, const int *fds, size_t n_fds)
{
	struct live *live = live_of(host, msg);
	const size_t bytes = (size_t)msg->n_items * sizeof(float);
	char why[256] = "";
	float *data;
	int status;

	if (live == NULL || !is_array(live, msg->param) || n_fds != 1 || msg->n_items == 0 ||
	    msg->sequence == 0) {
		host_note(host, "no such array");
		return -EBADMSG;
	}
	data = image_map(fds[0], bytes, false);
	if (data == NULL) {
		host_note(host, "no memory for an array of length %u", msg->n_items);
		return -ENOMEM;
	}
	status = live_offer(live, msg->param, msg->sequence, data, msg->n_items, why, sizeof(why));
	if (status != 0)
		host_note(host, "%s", why);
	munmap(data, bytes);
	return status;
}

void host_forget(struct host *host, const struct hostlink_msg *msg)
{
	struct live *live = live_of(host, msg);

	if (live != NULL)
		live_forget(live, msg->sequence);
}

static uint32_t sweep_wave(const struct host_wave *wave)
{
	const struct image_view *view = &wave->now.view;
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < view->head->instances.count; i++) {
		const struct image_instance *row = &view->instances[i];
		struct live *live = wave->instances[i].live;

		if (live != NULL)
			waiting += live_sweep(live,
			    atomic_load(&image_segment_state(view, row->segment)->done), view,
			    &view->params[row->params]);
	}
	return waiting;
}

uint32_t host_sweep(struct host *host)
{
	uint32_t waiting = 0;

	for (const struct host_wave *wave = host->waves; wave != NULL; wave = wave->next)
		waiting += sweep_wave(wave);
	return waiting;
}
