/* SPDX-License-Identifier: BSD-3-Clause
 *
 * RECORD: a recording of a waveform that runs (record.c writes what happens). */
#include <stdlib.h>
#include <string.h>

#include "daemons/swman/upgrades.h"

static void text_send(struct swman *swman, const struct swman_run *run,
    const struct wire_view *load, const struct wire_view *request)
{
	char *text = swman_load_text(swman, load);
	struct wire_msg msg;

	if (!text) {
		daemon_fail(&swman->daemon, request, 1,
		    "what \"%s\" was loaded with cannot be read any more (were components "
		    "removed or changed?), so it cannot be recorded",
		    run->waveform);
		return;
	}
	bus_reply(swman->daemon.bus, request, WIRE_OK, &msg);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	bus_send(swman->daemon.bus, &msg);
	free(text);
}

/* OK, or why not. */
static void record_change(
    struct swman *swman, struct swman_run *run, const struct wire_view *request, char **folder)
{
	char *state = wire_get_text(request, WIRE_TAG_STATE, 0);
	const int rc = state ? swman_record_end(run, *folder) : swman_record_begin(run, folder);
	struct wire_msg msg;

	if (rc == 0) {
		bus_reply(swman->daemon.bus, request, WIRE_OK, &msg);
		bus_send(swman->daemon.bus, &msg);
	} else if (state) {
		daemon_fail(&swman->daemon, request, 1,
		    "what happened to \"%s\" was not recorded to its end: control.jsonl could "
		    "not be written, aloe-swman was started again, or another recording was begun",
		    run->waveform);
	} else {
		daemon_fail(&swman->daemon, request, 1, "%s/control.jsonl cannot be written: %s",
		    *folder, strerror(-rc));
	}
	free(state);
}

void swman_record(struct swman *swman, const struct wire_view *request)
{
	char *name = wire_get_text(request, WIRE_TAG_WAVEFORM, 0),
	     *folder = wire_get_text(request, WIRE_TAG_RECORD, 0);
	struct swman_run *run = name ? swman_run_known(swman, name) : NULL;
	struct wire_view load;

	if (!run)
		daemon_fail(&swman->daemon, request, 2, "no waveform \"%.100s\" is loaded",
		    name ? name : "");
	else if (!run->sets || !run->load || wire_decode(run->load, run->load_len, &load) < 0)
		daemon_fail(&swman->daemon, request, 2,
		    "aloe-swman was started again since \"%s\" was loaded, so the values of its "
		    "parameters are not known; load the waveform again to record it",
		    name);
	else if (upgrades_any(run))
		daemon_fail(&swman->daemon, request, 2,
		    "an instance of \"%s\" was upgraded since the load, or that was tried, and a "
		    "recording has one build of each; load the waveform again to record it",
		    name);
	else if (folder)
		record_change(swman, run, request, &folder);
	else
		text_send(swman, run, &load, request);
	free(name);
	free(folder);
}
