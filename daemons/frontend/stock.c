/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/frontend/stock.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/common/builds.h"

static void fail(
    struct bus *bus, const struct wire_view *view, const char *text, struct wire_msg *ret_msg)
{
	bus_reply(bus, view, WIRE_FAIL, ret_msg);
	wire_put_u64(ret_msg, WIRE_TAG_CODE, 1);
	wire_put_text(ret_msg, WIRE_TAG_TEXT, text);
}

/* The first that is not there. */
static void missing_answer(
    struct bus *bus, const char *folder, const struct wire_view *view, struct wire_msg *ret_msg)
{
	char path[PATH_MAX];
	bool found = true;

	bus_reply(bus, view, WIRE_OK, ret_msg);
	for (unsigned n = 0; found; n++) {
		char *name = wire_get_text(view, WIRE_TAG_NAME, n),
		     *build = wire_get_text(view, WIRE_TAG_BUILD, n);
		const bool both = name && build;

		found = both && builds_find(folder, name, build, path, sizeof(path)) == 0;
		if (both && !found) {
			wire_put_text(ret_msg, WIRE_TAG_NAME, name);
			wire_put_text(ret_msg, WIRE_TAG_BUILD, build);
		}
		free(name);
		free(build);
	}
}

static void put_answer(
    struct bus *bus, const char *folder, const struct wire_view *view, struct wire_msg *ret_msg)
{
	char *name = wire_get_text(view, WIRE_TAG_NAME, 0),
	     *build = wire_get_text(view, WIRE_TAG_BUILD, 0), text[400];
	const void *bytes = "";
	size_t len = 0;
	int rc = -EINVAL;

	if (name && build && wire_get_bytes(view, WIRE_TAG_BYTES, 0, &bytes, &len) == 0)
		rc = builds_put(folder, name, build, bytes, len, BUILDS_BYTES_MAX);
	if (rc == 0) {
		bus_reply(bus, view, WIRE_OK, ret_msg);
	} else {
		snprintf(text, sizeof(text),
		    "the build of component %.64s that came is refused: %s", name ? name : "",
		    rc == -EBADMSG ? "its SHA-256 is not the one that was announced"
		                   : strerror(-rc));
		fail(bus, view, text, ret_msg);
	}
	free(name);
	free(build);
}

void stock_answer(
    struct bus *bus, const char *folder, const struct wire_view *view, struct wire_msg *ret_msg)
{
	if (!folder || !folder[0])
		fail(bus, view, "this node takes no builds from others", ret_msg);
	else if (view->type == WIRE_BUILDS)
		missing_answer(bus, folder, view, ret_msg);
	else
		put_answer(bus, folder, view, ret_msg);
}
