/* SPDX-License-Identifier: BSD-3-Clause
 *
 * builds.c - builds of components go to the nodes that have none of that content, before PREPARE.
 *
 *   for each node of the program but our own:
 *         BUILDS {all of its instances} --> the node's frontend --> the first that is missing
 *         BUILD {name, SHA-256, the file} --> OK, and BUILDS again, until none is missing */
#include "daemons/swman/builds.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/image/image.h"
#include "core/registry/registry.h"
#include "daemons/common/builds.h"

enum { BUILDS_MAX = 512 };

static const char *name_at(const struct swman *swman, const struct gather *gather)
{
	return machines_name(&swman->machines, gather->answers[gather->at].node);
}

static bool same_build(
    const struct image_view *view, const struct image_instance *a, const struct image_instance *b)
{
	return strcmp(image_text(view, a->build), image_text(view, b->build)) == 0 &&
	    strcmp(image_text(view, a->component), image_text(view, b->component)) == 0;
}

/* One instance of each build that the node needs. */
static uint32_t rows_find(
    const struct image_view *view, uint32_t node, const struct image_instance *ret[BUILDS_MAX])
{
	uint32_t n = 0;

	for (uint64_t i = 0; i < view->head->instances.count && n < BUILDS_MAX; i++) {
		const struct image_instance *row = &view->instances[i];
		bool known = image_text(view, row->build)[0] == 0 ||
		    image_node_of(view, row->segment) != node;

		for (uint32_t k = 0; k < n && !known; k++)
			known = same_build(view, ret[k], row);
		if (!known)
			ret[n++] = row;
	}
	return n;
}

static uint32_t node_in(
    const struct swman *swman, const struct gather *gather, const struct image_view *view)
{
	const uint32_t node = image_find_node(view, name_at(swman, gather));

	return node != IMAGE_NONE ? node : 0; /* of one node: it is that one */
}

static void builds_fail(struct swman *swman, struct gather *gather, const char *why)
{
	struct gather_answer *answer = &gather->answers[gather->at];

	free(answer->why);
	answer->why = strdup(why);
	answer->ok = false;
	answer->code = 1;
	gather->then(swman, gather, answer);
}

static void builds_ask(struct swman *swman, struct gather *gather);

static void build_put(struct swman *swman, struct gather *gather)
{
	if (gather->answers[gather->at].ok)
		builds_ask(swman, gather);
	else
		gather->then(swman, gather, &gather->answers[gather->at]);
}

static void send_build(struct swman *swman, struct gather *gather, const struct image_view *view,
    const char *name, const char *build)
{
	char path[PATH_MAX], why[400], *bytes = NULL;
	bool found = false;
	struct wire_msg msg;
	size_t len = 0;

	for (uint64_t i = 0; i < view->head->instances.count && !found; i++)
		found = strcmp(image_text(view, view->instances[i].build), build) == 0 &&
		    component_file(
		        image_text(view, view->instances[i].path), build, path, sizeof(path)) == 0;
	if (!found || file_read(path, BUILDS_FILE_MAX, &bytes, &len) < 0) {
		snprintf(why, sizeof(why),
		    "the node has no build of component %.64s with SHA-256 %.12s..., and the "
		    "manager has it no longer",
		    name, build);
		builds_fail(swman, gather, why);
		return;
	}
	log_note(&swman->daemon.log, "the build %.12s... of component %.64s goes to node \"%s\"",
	    build, name, name_at(swman, gather));
	wire_init(&msg, WIRE_BUILD, WIRE_SWMAN, WIRE_FRONTEND, 0);
	wire_put_text(&msg, WIRE_TAG_NAME, name);
	wire_put_text(&msg, WIRE_TAG_BUILD, build);
	wire_put_bytes(&msg, WIRE_TAG_BYTES, bytes, len);
	free(bytes);
	gather_ask_one(swman, gather, &msg, gather->at, build_put);
}

/* A folder that is too small for all of them would be filled for ever. */
static void builds_asked(struct swman *swman, struct gather *gather)
{
	const struct gather_answer *answer = &gather->answers[gather->at];
	char *name = answer->ok ? wire_get_text(&answer->view, WIRE_TAG_NAME, 0) : NULL,
	     *build = answer->ok ? wire_get_text(&answer->view, WIRE_TAG_BUILD, 0) : NULL;
	struct image_view view;

	image_bind(gather->program, &view);
	if (!answer->ok) {
		gather->then(swman, gather, answer);
	} else if (!name || !build) {
		gather->at++;
		gather->sent = 0;
		builds_ask(swman, gather);
	} else if (gather->sent++ > BUILDS_MAX) {
		builds_fail(swman, gather, "the node does not keep the builds that it is sent");
	} else {
		send_build(swman, gather, &view, name, build);
	}
	free(name);
	free(build);
}

static void builds_ask(struct swman *swman, struct gather *gather)
{
	const struct image_instance *rows[BUILDS_MAX];
	struct image_view view;
	struct wire_msg msg;
	uint32_t n;

	if (gather->at < gather->n && gather->answers[gather->at].node == swman->machines.self)
		gather->at++;
	if (gather->at >= gather->n) {
		gather->at = 0;
		gather->then(swman, gather, NULL);
		return;
	}
	image_bind(gather->program, &view);
	n = rows_find(&view, node_in(swman, gather, &view), rows);
	wire_init(&msg, WIRE_BUILDS, WIRE_SWMAN, WIRE_FRONTEND, 0);
	for (uint32_t i = 0; i < n; i++) {
		wire_put_text(&msg, WIRE_TAG_NAME, image_text(&view, rows[i]->component));
		wire_put_text(&msg, WIRE_TAG_BUILD, image_text(&view, rows[i]->build));
	}
	gather_ask_one(swman, gather, &msg, gather->at, builds_asked);
}

void builds_send(struct swman *swman, struct gather *gather,
    void (*then)(struct swman *swman, struct gather *gather, const struct gather_answer *failed))
{
	gather->then = then;
	gather->at = gather->sent = 0;
	builds_ask(swman, gather);
}
