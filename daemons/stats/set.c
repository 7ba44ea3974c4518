/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/stats/set.c - check that the names are those of parameters and pass the request on to
 * exec. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/stats/stats.h"

enum { ERROR_BYTES = 1000 };

/* Whether each name is that of a parameter: 0, or -EINVAL with a sentence, and the last name that
 * was looked at. What a parameter takes is for exec to say. */
static int names_check(const struct stats_wave *wave, const struct wire_view *request,
    struct stats_name *ret_name, char *ret_error, size_t size)
{
	char *text;

	for (unsigned n = 0; (text = wire_get_text(request, WIRE_TAG_NAME, n)) != NULL; n++) {
		int result = stats_name_find(wave, text, ret_name, ret_error, size);

		if (result == 0 && ret_name->param == IMAGE_NONE) {
			snprintf(ret_error, size, "%s is %s, but only a parameter can be set", text,
			    ret_name->whole ? "an instance" : "a variable");
			result = -EINVAL;
		}
		free(text);
		if (result < 0)
			return result;
	}
	return 0;
}

static void set_forward(struct stats *stats, const struct wire_view *request)
{
	struct wire_msg msg;
	int result;

	wire_init_copy(&msg, request, (enum wire_tag)0);
	wire_put_peers(&msg, WIRE_STATS, WIRE_EXEC);
	result = bus_send(stats->daemon.bus, &msg);
	if (result < 0)
		daemon_fail(&stats->daemon, request, 1,
		    "aloe-stats cannot pass the change on to aloe-exec: %s", strerror(-result));
}

void stats_set(struct stats *stats, const struct wire_view *request)
{
	char *waveform = wire_get_text(request, WIRE_TAG_WAVEFORM, 0),
	     *name = wire_get_text(request, WIRE_TAG_NAME, 0);
	char *value = wire_get_text(request, WIRE_TAG_VALUE, 0), error[ERROR_BYTES];
	const struct stats_wave *wave = waveform ? stats_wave_find(stats, waveform) : NULL;
	struct stats_name last;

	if (!waveform || !name || !value) {
		daemon_fail(&stats->daemon, request, 2,
		    "set needs a waveform, instance.parameter and a value");
	} else if (!wave) {
		stats_wave_missing(stats, waveform, error, sizeof(error));
		daemon_fail(&stats->daemon, request, 2, "%s", error);
	} else if (names_check(wave, request, &last, error, sizeof(error)) < 0) {
		stats_name_fail(stats, request, wave, &last, error);
	} else {
		set_forward(stats, request);
	}
	free(waveform);
	free(name);
	free(value);
}
