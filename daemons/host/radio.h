/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/host/radio.h - the radio that is a waveform's clock: opened, used and closed by the
 * thread of the lane that it is the clock of. Before that waveform's components, so that their init
 * can look at it, and closed before them.
 */
#ifndef ALOE_HOST_RADIO_H
#define ALOE_HOST_RADIO_H

#include <semaphore.h>

#include "core/image/image.h"
#include "core/slot/radio_pace.h"
#include "core/waveform/radio_file.h"

struct host_radio {
	const struct image_view *view;
	uint32_t lane;            /* of the node */
	struct wf_radios *radios; /* settings, as the program has them */
	struct radio *device;     /* open; NULL */
	struct radio_pace pace;
	sem_t opened;
	int status; /* of open; then `why` says why not */
	char why[RADIO_NOTE];
};

/* NULL: no memory */
struct host_radio *host_radio_new(const struct image_view *view, uint32_t lane);
void host_radio_free(struct host_radio *radio);

/* On the lane's thread: open says how it went by `opened`. */
int host_radio_open(struct host_radio *radio);
void host_radio_close(struct host_radio *radio);

#endif
