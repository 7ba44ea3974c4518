/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blame.c - what is said of a fault in a slot. An error of `work` is its instance's. Memory that
 * was overwritten is the doing of whoever could write there (core/image/image.h): one instance is
 * named as the culprit only where no other could; else the message says what was overwritten, who
 * can have done it, and how to find out. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/json/json.h"
#include "daemons/exec/watch.h"

struct suspects {
	const struct exec_wave *wave;
	uint32_t found_by; /* the instance at whose call it was found; IMAGE_NONE: not at one */
	uint32_t host;     /* whose memory it is; IMAGE_NONE: that of all hosts */
	bool earlier;      /* it was so before the call */
};

static const struct image_segment *segment_of(const struct exec_wave *wave, uint32_t instance)
{
	return &wave->view.segments[wave->view.instances[instance].segment];
}

static const char *name_of(const struct exec_wave *wave, uint32_t instance)
{
	return image_text(&wave->view, wave->view.instances[instance].name);
}

/* One call serves several: which of them it is at, nobody notes. */
void blame_call(
    const struct image_view *view, uint32_t instance, const char *component, char *ret, size_t size)
{
	enum { NAMED = 4 };
	const uint32_t *all;
	const uint32_t n = image_beside(view, instance, &all);
	size_t len = (size_t)snprintf(ret, size, "%s \"%.63s\"",
	    n == 1 ? "instance" : "one of the instances",
	    image_text(view, view->instances[all[0]].name));

	for (uint32_t i = 1; i < n && i < NAMED; i++)
		len += (size_t)snprintf(ret + len, size - len, "%s\"%.63s\"",
		    i + 1 == n ? " and " : ", ", image_text(view, view->instances[all[i]].name));
	if (n > NAMED)
		len += (size_t)snprintf(ret + len, size - len, " and %u more", n - NAMED);
	if (component != NULL)
		len += (size_t)snprintf(ret + len, size - len, " (%.63s)", component);
	if (n > 1)
		snprintf(ret + len, size - len,
		    ", which one call serves (side_by_side = \"off\" tells which),");
}

static bool of_one_call(const struct exec_wave *wave, uint32_t a, uint32_t b)
{
	const uint32_t *all, *others;

	image_beside(&wave->view, a, &all);
	image_beside(&wave->view, b, &others);
	return all == others;
}

/* Whether an instance can have written to memory of the host while found_by was in its call, or, if
 * that is too late, ever. Fill and drain run beside all lanes. */
static bool instance_could(const struct suspects *s, uint32_t instance)
{
	const struct image_instance *row = &s->wave->view.instances[instance];

	if (s->host != IMAGE_NONE && segment_of(s->wave, instance)->host != s->host)
		return false;
	return s->earlier || of_one_call(s->wave, instance, s->found_by) ||
	    (row->io & IMAGE_IO) != 0 ||
	    row->segment != s->wave->view.instances[s->found_by].segment;
}

static uint32_t suspects_count(const struct suspects *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->wave->view.head->instances.count; i++)
		n += instance_could(s, i);
	return n;
}

static bool in_shared_host(const struct suspects *s)
{
	const struct image_view *view = &s->wave->view;

	for (uint32_t h = 0; h < view->head->hosts.count; h++)
		if ((s->host == h || s->host == IMAGE_NONE) && view->hosts[h].shared != 0)
			return true;
	return false;
}

/* Names of those on the finder's lane, or of those that are not; of as many as there is room
 * for. */
static void names_print(const struct suspects *s, bool same_lane, char *ret, size_t size)
{
	const uint32_t lane =
	    s->found_by != IMAGE_NONE ? segment_of(s->wave, s->found_by)->lane : IMAGE_NONE;
	size_t len = 0;
	uint32_t more = 0;

	ret[0] = 0;
	for (uint32_t i = 0; i < s->wave->view.head->instances.count; i++) {
		const char *name = name_of(s->wave, i);

		if (!instance_could(s, i) ||
		    (lane != IMAGE_NONE && segment_of(s->wave, i)->lane == lane) != same_lane ||
		    (!s->earlier && i == s->found_by))
			continue;
		if (more == 0 && len + strlen(name) + 24 < size)
			len += (size_t)snprintf(
			    ret + len, size - len, "%s\"%s\"", len > 0 ? ", " : "", name);
		else
			more++;
	}
	if (more > 0)
		snprintf(ret + len, size - len, " and %u more", more);
}

static void what_spoiled(const struct exec_wave *wave, const struct image_output *out,
    uint32_t instance, uint32_t spoiled, uint64_t index, char *ret, size_t size)
{
	snprintf(ret, size,
	    "memory %s the items of output \"%s.%s\" (message of index %llu) was overwritten",
	    spoiled & IMAGE_SPOILED_BEFORE ? "before" : "behind", name_of(wave, instance),
	    image_text(&wave->view, out->name), (unsigned long long)index);
}

/* Where each instance has a host of its own, what is left is what all hosts write. */
static const char *suspects_hint(const struct suspects *s)
{
	if (s->wave->view.head->n_hosts >= s->wave->view.head->instances.count)
		return "all hosts write there, so the instance is not known";
	if (s->host == IMAGE_NONE)
		return "load the waveform with --isolation component, so that each instance can "
		       "overwrite less";
	return "load the waveform with --isolation component to stop and name the instance that "
	       "overwrites memory";
}

static void suspects_write(const struct suspects *s, const char *what, char *ret, size_t size)
{
	const char *others = in_shared_host(s) ? ", or another waveform's in the shared host" : "";
	char here[128], elsewhere[64];

	names_print(s, true, here, sizeof(here));
	names_print(s, false, elsewhere, sizeof(elsewhere));
	if (s->earlier)
		snprintf(ret, size,
		    "%s; this was found before the call, so any instance of the same host can "
		    "have done it: %s%s%s%s; %s",
		    what, here, elsewhere[0] ? ", less likely " : "", elsewhere, others,
		    suspects_hint(s));
	else
		snprintf(ret, size,
		    "%s during the call of \"%s\"; that instance is likely, but others of the "
		    "same host ran meanwhile: %s%s%s%s; %s",
		    what, name_of(s->wave, s->found_by), here, here[0] && elsewhere[0] ? ", " : "",
		    elsewhere, others, suspects_hint(s));
}

/* The message at an input says that it holds more items than it can: the memory is its writer's
 * host's. */
static void input_explain(const struct exec_wave *wave, uint32_t instance, uint32_t spoiled,
    uint64_t index, char *ret, size_t size)
{
	const struct image_view *view = &wave->view;
	const struct image_input *in =
	    &view->inputs[view->instances[instance].inputs + (spoiled & IMAGE_SPOILED_PORT)];
	const uint32_t writer = view->buffers[in->buffer].instance;
	const struct suspects s = {.wave = wave,
	    .found_by = writer,
	    .host = segment_of(wave, writer)->host,
	    .earlier = true};
	char what[240];

	snprintf(what, sizeof(what),
	    "the record of a message from \"%s\" to \"%s.%s\" (index %llu) was overwritten",
	    name_of(wave, writer), name_of(wave, instance), image_text(view, in->name),
	    (unsigned long long)index);
	suspects_write(&s, what, ret, size);
}

/* `instance` has come upon a broken canary of its output. */
static void spoiled_explain(const struct exec_wave *wave, uint32_t instance, uint32_t spoiled,
    uint64_t index, char *ret, size_t size)
{
	const struct image_instance *row = &wave->view.instances[instance];
	const struct image_output *out =
	    &wave->view.outputs[row->outputs + (spoiled & IMAGE_SPOILED_PORT)];
	const struct suspects s = {.wave = wave,
	    .found_by = instance,
	    .host = segment_of(wave, instance)->host,
	    .earlier = (spoiled & IMAGE_SPOILED_EARLIER) != 0};
	char what[240];

	if (suspects_count(&s) == 1 && !in_shared_host(&s)) {
		snprintf(ret, size,
		    "instance \"%s\" (%s) failed at index %llu: wrote %s of its output \"%s\"",
		    name_of(wave, instance), image_text(&wave->view, row->component),
		    (unsigned long long)index,
		    spoiled & IMAGE_SPOILED_BEFORE ? "before the beginning" : "past the end",
		    image_text(&wave->view, out->name));
		return;
	}
	what_spoiled(wave, out, instance, spoiled, index, what, sizeof(what));
	suspects_write(&s, what, ret, size);
}

/* A component's words, by way of memory that it can write. */
static void text_clean(char *text, size_t size)
{
	json_t *valid;

	text[size - 1] = 0;
	valid = json_string(text);
	for (char *c = text; *c != 0; c++)
		if ((unsigned char)*c < ' ' || *c == 127 ||
		    (valid == NULL && (unsigned char)*c > 127))
			*c = '?';
	json_decref(valid);
}

/* exec itself has come upon it. */
void blame_damage(
    const struct exec_wave *wave, const struct image_damage *damage, char *ret, size_t size)
{
	const struct suspects s = {
	    .wave = wave, .found_by = IMAGE_NONE, .host = damage->host, .earlier = true};
	char whom[192];

	names_print(&s, false, whom, sizeof(whom));
	if (suspects_count(&s) == 1 && !in_shared_host(&s))
		snprintf(ret, size,
		    "instance %s has overwritten memory that the instance may not write: %s", whom,
		    damage->what);
	else
		snprintf(ret, size,
		    "the memory of the waveform was overwritten: %s; any instance of %s can have "
		    "done it: %s%s; %s",
		    damage->what, s.host == IMAGE_NONE ? "its hosts" : "the same host", whom,
		    in_shared_host(&s) ? ", or another waveform's in the shared host" : "",
		    suspects_hint(&s));
}

/* What `work` gave back. A number below 0 is named where it is an error number, but for -1: that is
 * a plain "no", and not EPERM. */
static void fault_text(const char *why, int code, char *ret, size_t size)
{
	const char *name = code < -1 && code > -4096 ? strerrorname_np(-code) : NULL;

	if (why[0] && name != NULL)
		snprintf(ret, size, "%s (%s)", why, name);
	else if (why[0])
		snprintf(ret, size, "%s (work returned %d)", why, code);
	else
		snprintf(ret, size, "work returned %d%s%s%s and gave no reason", code,
		    name != NULL ? " (" : "", name != NULL ? name : "", name != NULL ? ")" : "");
}

void blame_fault(const struct exec_wave *wave, uint32_t instance, char *ret, size_t size)
{
	const struct image_run *run = image_run(&wave->view);
	const struct image_instance *row = &wave->view.instances[instance];
	const uint32_t spoiled = run->spoiled;
	const uint64_t index = run->index;
	const int code = run->code;
	char why[sizeof(run->why)], text[sizeof(why) + 64];

	if ((spoiled & IMAGE_SPOILED_INPUT) != 0 &&
	    (spoiled & IMAGE_SPOILED_PORT) < row->n_inputs &&
	    wave->view.inputs[row->inputs + (spoiled & IMAGE_SPOILED_PORT)].buffer != IMAGE_NONE) {
		input_explain(wave, instance, spoiled, index, ret, size);
		return;
	}
	if (spoiled != 0 && (spoiled & IMAGE_SPOILED_PORT) < row->n_outputs) {
		spoiled_explain(wave, instance, spoiled, index, ret, size);
		return;
	}
	memcpy(why, run->why, sizeof(why));
	text_clean(why, sizeof(why));
	fault_text(why, code, text, sizeof(text));
	snprintf(ret, size, "instance \"%s\" (%s) failed at index %llu: %s",
	    name_of(wave, instance), image_text(&wave->view, row->component),
	    (unsigned long long)index, text);
}
