/* SPDX-License-Identifier: BSD-3-Clause
 *
 * UPGRADE: what is loaded is mapped once more with another build of an instance, onto the lanes
 * that it has (remap.c), and exec goes over to it at one index; or the new build is shadowed
 * first. */
#include <stdlib.h>
#include <string.h>

#include "daemons/swman/upgrades.h"

/* ---- the request ------------------------------------------------------------------------ */

static void upgrade_make(
    struct swman *swman, struct swman_run *run, const struct wire_view *request)
{
	if (upgrade_is(request, "status"))
		upgrade_ask(swman, request, run->waveform, "status", NULL, NULL, NULL, 0);
	else if (run->record)
		daemon_fail(&swman->daemon, request, 2,
		    "\"%s\" is being recorded, and a recording has one build of each instance; end "
		    "the recording first",
		    run->waveform);
	else if (upgrade_is(request, "rollback")) /* what is there says exec */
		upgrade_ask(swman, request, run->waveform, "drop", NULL, NULL, NULL, 0);
	else
		swman_remap(swman, request);
}

void swman_upgrade(struct swman *swman, const struct wire_view *request)
{
	char *waveform = wire_get_text(request, WIRE_TAG_WAVEFORM, 0),
	     *instance = wire_get_text(request, WIRE_TAG_NAME, 0);
	struct swman_run *run = waveform ? swman_run_known(swman, waveform) : NULL;

	if (!waveform || !instance)
		daemon_fail(&swman->daemon, request, 2,
		    "the names of a waveform and an instance are needed");
	else if (!run)
		daemon_fail(
		    &swman->daemon, request, 2, "no waveform \"%.100s\" is loaded", waveform);
	else
		upgrade_make(swman, run, request);
	free(waveform);
	free(instance);
}
