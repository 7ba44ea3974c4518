/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/json_shapes.h - a JSON text with one of its values taken out, or replaced by one of
 * each type, for tests of what reads JSON of others.
 *
 * 	for (unsigned n = 0; (json = shape_changed(text, n, what)) != NULL; n++) ...
 */
#ifndef TESTS_COMMON_JSON_SHAPES_H
#define TESTS_COMMON_JSON_SHAPES_H

#include <stdio.h>
#include <string.h>

#include "core/json/json.h"

enum { SHAPE_OTHERS = 8, SHAPE_CHANGE = 80 };

static inline json_t *shape_other(unsigned change)
{
	switch (change) {
	case 0:
		return json_null();
	case 1:
		return json_integer(0);
	case 2:
		return json_integer(-1);
	case 3:
		return json_real(1e17);
	case 4:
		return json_string("text");
	case 5:
		return json_array();
	case 6:
		return json_object();
	default:
		return json_true();
	}
}

struct shape_walk {
	unsigned at, seen;
	bool done;
	char *what; /* SHAPE_CHANGE */
};

/* A value of an object or array has SHAPE_OTHERS + 1 changes; the last takes it out. False: it is
 * none of these. */
static inline bool shape_here(struct shape_walk *walk, const char *name, unsigned *ret_change)
{
	if (walk->done || walk->at < walk->seen || walk->at > walk->seen + SHAPE_OTHERS) {
		walk->seen += SHAPE_OTHERS + 1;
		return false;
	}
	*ret_change = walk->at - walk->seen;
	walk->done = true;
	snprintf(walk->what, SHAPE_CHANGE, "%.60s: change %u", name, *ret_change);
	return true;
}

static inline void shape_walk(struct shape_walk *walk, json_t *value)
{
	unsigned change;
	const char *key;
	json_t *below;
	void *next;
	size_t i;

	json_object_foreach_safe(value, next, key, below)
	{
		if (shape_here(walk, key, &change)) {
			if (change == SHAPE_OTHERS)
				json_object_del(value, key);
			else
				json_object_set_new(value, key, shape_other(change));
			return;
		}
		shape_walk(walk, below);
		if (walk->done)
			return;
	}
	json_array_foreach(value, i, below)
	{
		if (shape_here(walk, "an element", &change)) {
			if (change == SHAPE_OTHERS)
				json_array_remove(value, i);
			else
				json_array_set_new(value, i, shape_other(change));
			return;
		}
		shape_walk(walk, below);
		if (walk->done)
			return;
	}
}

/* The nth change, in the order of the text; NULL: there are fewer, or the text is no JSON. */
static inline json_t *shape_changed(const char *text, unsigned n, char what[SHAPE_CHANGE])
{
	struct shape_walk walk = {.at = n, .what = what};
	json_t *json = json_loads(text, 0, NULL);

	shape_walk(&walk, json);
	if (walk.done)
		return json;
	json_decref(json);
	return NULL;
}

#endif
