/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tables.c - what attach.c and remap.c share: the images of a waveform mapped, and the tables by
 * which it runs here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemons/host/host.h"

void host_note(struct host *host, const char *format, ...)
{
	const size_t len = strlen(host->text);
	va_list args;

	va_start(args, format);
	vsnprintf(host->text + len, sizeof(host->text) - len, format, args);
	va_end(args);
}

int host_map(struct host *host, const struct hostlink_msg *msg, const int *fds, size_t n_fds,
    struct image_view *ret)
{
	if (n_fds != HOSTLINK_LANE_FDS + msg->n_lanes || msg->control >= NODE_WAVEFORMS_MAX)
		return -EBADMSG;
	if (host->node == NULL)
		host->node = image_map(fds[HOSTLINK_NODE_FD], sizeof(struct node_image), false);
	if (host->node == NULL)
		return -ENOMEM;
	return image_open_host(
	    &(struct image_files){fds[HOSTLINK_PROGRAM_FD], fds[HOSTLINK_IMAGE_FD]}, msg->host,
	    ret);
}

struct host_wave *host_find(const struct host *host, uint32_t control)
{
	struct host_wave *wave = host->waves;

	while (wave != NULL && wave->control != control)
		wave = wave->next;
	return wave;
}

int host_tables_init(struct host_tables *tables, const struct hostlink_msg *msg)
{
	const size_t bytes = (msg->n_segments + 1) * sizeof(struct host_segment);

	if (msg->n_segments > HOSTLINK_SEGMENTS_MAX || msg->n_lanes > HOSTLINK_LANES_MAX)
		return -EBADMSG;
	tables->segments = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
	if (tables->segments == NULL)
		return -ENOMEM;
	memset(tables->segments, 0, bytes);
	tables->n_segments = msg->n_segments;
	for (uint32_t i = 0; i < msg->n_segments; i++) {
		const struct hostlink_segment *place = &msg->segments[i];

		if (place->segment >= tables->view.head->segments.count ||
		    place->entry >= NODE_ENTRIES_MAX || place->lane >= NODE_LANES_MAX ||
		    place->seat >= NODE_ENTRIES_MAX)
			return -EBADMSG;
		tables->segments[i].place = *place;
	}
	return 0;
}

int host_segment_init(
    struct host *host, struct host_wave *wave, struct host_tables *tables, uint32_t nth)
{
	struct host_segment *mine = &tables->segments[nth];
	const uint32_t number = mine->place.segment;
	const int status = segment_init(&mine->segment, &tables->view, number, wave->instances,
	    &host->node->control[wave->control]);

	if (status == 0)
		segment_tells(&mine->segment, &tables->view, number, &host->tell);
	return status;
}

void host_tables_fini(struct host_tables *tables)
{
	for (uint32_t i = 0; tables->segments != NULL && i < tables->n_segments; i++)
		segment_fini(&tables->segments[i].segment);
	free(tables->segments);
	tables->segments = NULL;
	image_close(&tables->view);
}
