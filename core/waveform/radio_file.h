/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/radio_file.h - the group `radio` of a radio file, read by the table of keys of the
 * driver that its `type` names (core/platform/radio.h).
 *
 * 	radio: { type = "x310"; transport = "udp"; address = "192.168.40.2"; };
 * 	radio = ( { ...; address = "192.168.30.2"; }, { ...; address = "192.168.40.2"; } );
 * 	# their channels in this order
 *
 * The planner reads the file to check it, and the host reads the same text once more to open the
 * radio: there is no other form of the settings between them.
 */
#ifndef ALOE_WAVEFORM_RADIO_FILE_H
#define ALOE_WAVEFORM_RADIO_FILE_H

#include "core/platform/radio.h"

struct wf_radios {
	char *file, *text, *cwd;
	/* the same for all, where nothing was wrong */
	const struct radio_driver *driver[RADIO_DEVICES_MAX];
	void *settings[RADIO_DEVICES_MAX];
	uint32_t n;
};

/* wf_radios_parse reads the group `radio`, for a waveform (`use`) or NULL, with paths relative to
 * cwd (NULL: the working directory): 0 (*ret NULL: there is none), or -EINVAL with everything that
 * is wrong in diag. End with wf_radios_free. */
int wf_radios_parse(const char *file, const char *text, const char *cwd,
    const struct radio_use *use, struct diag *diag, struct wf_radios **ret);
void wf_radios_free(struct wf_radios *radios);

#endif
