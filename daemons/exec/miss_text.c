/* SPDX-License-Identifier: BSD-3-Clause
 *
 * miss_text.c - a miss as a line, and as JSON. */
#include <stdio.h>
#include <string.h>

#include "daemons/exec/misses.h"
#include "daemons/exec/report.h"

enum { WHO = EVIDENCE_NAME_BYTES + 64 };

/* A thread, and of one of the kernel what it did: "kworker/1:0: vmstat_update". The function has
 * its name whenever somebody asks, because the names come later than the first record that needs
 * them. not_yet: what is said until then. */
static const char *thread_words(const struct exec_wave *wave, const struct evidence_cause *cause,
    const char *not_yet, char ret[WHO])
{
	const char *function =
	    cause->function != 0 ? witness_symbol(wave->exec, cause->function) : "";

	if (function == NULL)
		function = not_yet;
	snprintf(ret, WHO, "%s%s%s", cause->name, function[0] != 0 ? ": " : "", function);
	return ret;
}

static void cause_words(
    const struct exec_wave *wave, const struct evidence_cause *cause, char *ret, size_t size)
{
	char who[WHO];
	const char *name = cause->name[0] != 0 || cause->instance == IMAGE_NONE
	    ? thread_words(wave, cause, "the names of kernel functions are not read yet", who)
	    : image_text(&wave->view, wave->view.instances[cause->instance].name);

	evidence_words(cause, name, ret, size);
}

void misses_words(
    const struct exec_wave *wave, const struct exec_miss *miss, char *ret, size_t size)
{
	size_t len = 0;

	snprintf(ret, size, "%s", miss->n_causes == 0 ? "not explained" : "");
	for (uint32_t c = 0; c < miss->n_causes && len + 3 < size; c++) {
		if (c > 0)
			len += (size_t)snprintf(ret + len, size - len, "; ");
		cause_words(wave, &miss->causes[c], ret + len, size - len);
		len += strlen(ret + len);
	}
}

static const char *const kind_names[IMAGE_MISS_KINDS] = {
    [IMAGE_MISS_LATE] = "missed",
    [IMAGE_MISS_SKIPPED] = "skipped",
    [IMAGE_MISS_SLIPPED] = "slipped",
    [IMAGE_MISS_ABSENT] = "absent",
    [IMAGE_MISS_RADIO] = "radio late",
};

const char *miss_word(const struct image_miss *miss)
{
	return kind_names[miss->kind];
}

static const char *instance_name(const struct exec_wave *wave, uint32_t instance)
{
	return instance < wave->view.head->instances.count
	    ? image_text(&wave->view, wave->view.instances[instance].name)
	    : "";
}

static json_t *cause_json(const struct exec_wave *wave, const struct evidence_cause *cause)
{
	const char *name = instance_name(wave, cause->instance);
	json_t *o = json_object();
	char text[256], who[WHO];

	cause_words(wave, cause, text, sizeof(text));
	put_text(o, "kind", evidence_word((enum evidence_cause_kind)cause->kind));
	put_real(o, "us", us((double)cause->share_ns));
	put_real(o, "took_us", us((double)cause->took_ns));
	put_text(o, "who", name[0] != 0 ? name : thread_words(wave, cause, "", who));
	json_object_set_new(o, "tid", json_integer(cause->tid));
	put_u64(o, "times", cause->times);
	put_text(o, "text", text);
	return o;
}

static json_t *evidence_json(const struct exec_miss *miss)
{
	json_t *array = json_array();

	json_array_append_new(array, json_string("calls"));
	if (miss->clocked)
		json_array_append_new(array, json_string("cpu-clock"));
	if (miss->recorded)
		json_array_append_new(array, json_string("kernel"));
	return array;
}

json_t *miss_json(const struct exec_wave *wave, const struct exec_miss *miss)
{
	json_t *o = json_object(), *causes = json_array();
	char why[1024], before[EVIDENCE_NAME_BYTES + 16] = "";

	misses_words(wave, miss, why, sizeof(why));
	put_u64(o, "slot", miss->miss.slot);
	put_u64(o, "count", miss->miss.count);
	put_text(o, "what", miss_word(&miss->miss));
	put_u64(o, "at_ns", miss->miss.at_ns);
	put_u64(o, "lane", miss->lane);
	put_text(o, "instance", instance_name(wave, miss->miss.instance));
	put_real(o, "late_us", us((double)miss->miss.late_ns));
	put_real(o, "start_late_us", us((double)miss->miss.start_late_ns));
	put_u64(o, "first", miss->first);
	if (miss->before >= 0)
		snprintf(before, sizeof(before), "%s (%d)",
		    miss->before == 0 ? "idle" : miss->before_name, miss->before);
	put_text(o, "before", before);
	json_object_set_new(o, "own", json_boolean(miss->own));
	json_object_set_new(o, "heavy", json_boolean(miss->heavy));
	put_text(o, "cause", why);
	for (uint32_t c = 0; c < miss->n_causes; c++)
		json_array_append_new(causes, cause_json(wave, &miss->causes[c]));
	json_object_set_new(o, "causes", causes);
	json_object_set_new(o, "evidence", evidence_json(miss));
	return o;
}
