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
	sem_destroy(&radio->opened);
	free(radio);
}

/* As they were set by who initialised the device. */
static void take_settings(struct host_radio *radio)
{
	const struct image_view *view = radio->view;
	struct aloe_radio *shown = &radio->pace.radio;
	uint32_t n = 0;

	for (uint32_t r = 0; r < view->head->radios.count; r++)
		for (uint32_t c = 0; c < view->radios[r].n_channels; c++) {
			const struct image_radio_channel *from = &view->radios[r].settings[c];

			radio->channel[n++] = (struct aloe_radio_channel){
			    from->rx_frequency, from->rx_gain, from->tx_frequency, from->tx_gain};
		}
	shown->channel = radio->channel;
	shown->clock_source = image_text(view, view->radios[0].clock_source);
	shown->time_source = image_text(view, view->radios[0].time_source);
	if (shown->clock_source[0] == 0)
		shown->clock_source = NULL;
	if (shown->time_source[0] == 0)
		shown->time_source = NULL;
}

static int open_all(struct host_radio *radio)
{
	const struct image_view *view = radio->view;
	const struct image_radio *row = &view->radios[0];
	const struct radio_pace_options options = {
	    .rate_hz = view->head->rate_hz,
	    .slot_samples = view->head->slot_samples,
	    .rx_packet = row->spp,
	    .tx_packet = row->listen ? 0 : row->spp,
	    .tx_advance = row->tx_advance,
	    .patience_ns = row->patience_ns,
	};
	int status = front_open(
	    &radio->front, view, radio_pace_queue(&options), radio->why, sizeof(radio->why));

	if (status != 0)
		return status;
	status = radio_pace_init(&radio->pace, &radio->front.front, &options);
	if (status != 0) {
		snprintf(radio->why, sizeof(radio->why), "%s", strerror(-status));
		front_close(&radio->front);
		return status;
	}
	radio->pace.state = &image_run(view)->radio;
	take_settings(radio);
	radio->asked =
	    (struct lane_radio){&radio->pace, radio_pace_wait, radio_pace_end, radio_pace_idle};
	return 0;
}

int host_radio_open(struct host_radio *radio)
{
	radio->status = open_all(radio);
	sem_post(&radio->opened);
	return radio->status;
}

void host_radio_close(struct host_radio *radio)
{
	for (uint32_t c = 0; c < radio->front.front.channels; c++)
		radio->pace.queue[c].head =
		    radio->pace.queue[c].tail; /* the door's memory goes with it */
	radio_pace_show(&radio->pace);
	front_close(&radio->front);
	radio->pace.state = NULL;
}
