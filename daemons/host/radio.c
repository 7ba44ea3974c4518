/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/host/radio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct host_radio *host_radio_new(const struct image_view *view, uint32_t lane)
{
	struct host_radio *radio = calloc(1, sizeof(*radio));

	if (radio == NULL)
		return NULL;
	radio->view = view;
	radio->lane = lane;
	sem_init(&radio->opened, 0, 0);
	return radio;
}

void host_radio_free(struct host_radio *radio)
{
	if (radio == NULL)
		return;
	radio_pace_fini(&radio->pace);
	wf_radios_free(radio->radios);
	sem_destroy(&radio->opened);
	free(radio);
}

/* The same text and the same checks as when the waveform was planned. */
static int read_settings(struct host_radio *radio, const struct radio_use *use)
{
	const struct image_view *view = radio->view;
	const char *cwd = image_text(view, view->head->radio_cwd);
	struct diag diag;
	int status;

	diag_init(&diag);
	status = wf_radios_parse(image_text(view, view->head->radio_file),
	    image_text(view, view->head->radio_text), cwd[0] ? cwd : NULL, use, &diag,
	    &radio->radios);
	if (status == 0 && radio->radios == NULL)
		status = -EINVAL;
	if (status != 0)
		snprintf(radio->why, sizeof(radio->why), "%s",
		    diag.len > 0 ? diag.lines[0] : strerror(-status));
	diag_fini(&diag);
	return status;
}

_Static_assert(
    sizeof(((struct radio *)0)->trouble) == sizeof(((struct image_radio_state *)0)->troubles),
    "every text has its place");

static void show_in(struct host_radio *radio, struct image_radio_state *state)
{
	memcpy(state->troubles, radio->device->trouble, sizeof(state->troubles));
	radio->pace.state = state;
}

static int open_all(struct host_radio *radio)
{
	const struct image_head *head = radio->view->head;
	const struct radio_use use = {.waveform = image_text(radio->view, head->name),
	    .rate_hz = head->rate_hz,
	    .slot_samples = head->slot_samples,
	    .fast = head->radio_fast != 0};
	int status = read_settings(radio, &use);

	if (status != 0)
		return status;
	status = radio->radios->driver[0]->open((const void *const *)radio->radios->settings,
	    radio->radios->n, &use, &radio->device, radio->why, sizeof(radio->why));
	if (status == 0) {
		radio->device->waits = use.fast;
		status =
		    radio_pace_init(&radio->pace, radio->device, head->rate_hz, head->slot_samples);
	}
	if (status != 0 && radio->why[0] == 0)
		snprintf(radio->why, sizeof(radio->why), "%s", strerror(-status));
	if (status == 0)
		show_in(radio, &image_run(radio->view)->radio);
	else if (radio->device != NULL)
		radio->device->driver->close(radio->device);
	return status;
}

int host_radio_open(struct host_radio *radio)
{
	radio->status = open_all(radio);
	sem_post(&radio->opened);
	return radio->status;
}

void host_radio_close(struct host_radio *radio)
{
	for (uint32_t c = 0; c < radio->device->channels; c++)
		/* the driver's memory goes with it */
		radio->pace.queue[c].head = radio->pace.queue[c].tail;
	if (radio->device->driver->end != NULL)
		radio->device->driver->end(radio->device);
	radio_pace_show(&radio->pace);
	radio->pace.radio.channel = NULL;
	radio->device->driver->close(radio->device);
	radio->pace.state = NULL;
}
