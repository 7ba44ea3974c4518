/* SPDX-License-Identifier: BSD-3-Clause
 *
 * copies.c - a waveform that is checked becomes N independent ones in one: instance "x" becomes
 * "x_1" ... "x_N", with the links of its own copy. Copy c of instance i has number c * n + i, and
 * so have links: whole copies lie one behind the other.
 *
 * In texts and paths "{copy}" is the number of the copy (1 without copies). A parameter `seed`
 * counts up from copy to copy, so that they are as independent as different runs are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/text.h"
#include "core/waveform/parse.h"

static const char mark[] = "{copy}";

/* The text with every mark replaced; the caller frees it. */
static char *marks_replace(const char *text, uint32_t copy)
{
	size_t len = strlen(text), n = 0;
	char number[16], *made, *to;

	for (const char *at = text; (at = strstr(at, mark)) != NULL; at += strlen(mark))
		n++;
	snprintf(number, sizeof(number), "%u", copy);
	made = to = malloc(len + n * strlen(number) + 1);
	if (!made)
		return NULL;
	for (const char *at = text; *at;) {
		if (strncmp(at, mark, strlen(mark)) == 0) {
			to = stpcpy(to, number);
			at += strlen(mark);
		} else {
			*to++ = *at++;
		}
	}
	*to = 0;
	return made;
}

static bool has_mark(const struct waveform *waveform)
{
	for (size_t i = 0; i < waveform->n_instances; i++)
		for (size_t k = 0; k < waveform->instances[i].type->n_params; k++)
			if (waveform->instances[i].values[k].text &&
			    strstr(waveform->instances[i].values[k].text, mark))
				return true;
	return false;
}

static int marks_set(struct wf_parse *parse, struct wf_instance *instance, uint32_t copy)
{
	for (size_t k = 0; k < instance->type->n_params; k++) {
		const struct aloe_param *param = &instance->type->params[k];
		struct wf_value *value = &instance->values[k];
		char *text;

		if (!value->text || !strstr(value->text, mark))
			continue;
		text = marks_replace(value->text, copy);
		if (!text)
			return -ENOMEM;
		free(value->text);
		value->text = text;
		if (strlen(text) >= param->size)
			diag_error(parse->diag, parse->file, instance->line,
			    "%s.%s has %zu byte%s with the number of the copy; at most %u are "
			    "allowed",
			    instance->name, param->name, strlen(text), plural(strlen(text)),
			    param->size - 1u);
	}
	return 0;
}

/* Far apart from any number that a user counts up by hand; within the parameter's range. */
static void seed_set(struct wf_instance *instance, uint32_t copy)
{
	for (size_t k = 0; k < instance->type->n_params; k++) {
		const struct aloe_param *param = &instance->type->params[k];
		double *number = &instance->values[k].number;

		if (param->kind != ALOE_KIND_INT || strcmp(param->name, "seed") != 0)
			continue;
		*number += copy - 1.0;
		if (*number > param->max)
			*number -= param->max - param->min + 1;
	}
}

int wf_values_copy(const struct wf_instance *from, struct wf_instance *to)
{
	to->values = calloc(from->type->n_params + 1, sizeof(*to->values));
	if (!to->values)
		return -ENOMEM;
	for (size_t k = 0; k < from->type->n_params; k++) {
		const struct wf_value *value = &from->values[k];
		struct wf_value *made = &to->values[k];

		*made = *value;
		made->text = value->text ? strdup(value->text) : NULL;
		made->reals = value->reals ? malloc(value->n_reals * sizeof(*value->reals)) : NULL;
		if ((value->text && !made->text) || (value->reals && !made->reals))
			return -ENOMEM;
		if (value->reals)
			memcpy(made->reals, value->reals, value->n_reals * sizeof(*value->reals));
	}
	return 0;
}

static void links_shift(struct wf_instance *instance, int by)
{
	for (uint32_t p = 0; p < instance->n_in; p++)
		instance->in[p].link += instance->in[p].link >= 0 ? by : 0;
	for (uint32_t p = 0; p < instance->n_out; p++)
		instance->out[p].link += instance->out[p].link >= 0 ? by : 0;
}

/* Its name becomes that of a copy; the one in the file stays beside it. */
static int copy_rename(
    struct wf_parse *parse, struct wf_instance *instance, const char *original, uint32_t copy)
{
	instance->original = strdup(original);
	if (!instance->original || asprintf(&instance->name, "%s_%u", original, copy) < 0) {
		instance->name = NULL;
		return -ENOMEM;
	}
	if (strlen(instance->name) > 63)
		diag_error(parse->diag, parse->file, instance->line,
		    "instance \"%s\" is named \"%s\" as a copy; at most 63 characters are allowed",
		    original, instance->name);
	return 0;
}

/* Copies 2 .. N of one instance; of the first only the name is new. */
static int instance_copy(
    struct wf_parse *parse, size_t n, size_t i, uint32_t copies, size_t n_links)
{
	struct wf_instance *first = &parse->waveform->instances[i];
	char *original = first->name;
	int error = 0;

	for (uint32_t c = 2; !error && c <= copies; c++) {
		struct wf_instance *to = &parse->waveform->instances[(c - 1) * n + i];

		*to = *first;
		to->values = NULL;
		to->node = first->node ? strdup(first->node) : NULL;
		error = copy_rename(parse, to, original, c);
		if (!error && first->node && !to->node)
			error = -ENOMEM;
		if (!error)
			error = wf_values_copy(first, to);
		if (!error)
			error = marks_set(parse, to, c);
		if (!error) {
			seed_set(to, c);
			links_shift(to, (int)((c - 1) * n_links));
		}
	}
	if (error)
		return error; /* it has its name still */
	error = copy_rename(parse, first, original, 1);
	free(original);
	return error ? error : marks_set(parse, first, 1);
}

static void links_copy(struct waveform *waveform, size_t n, size_t n_links, uint32_t copies)
{
	for (size_t k = n_links; k < n_links * copies; k++) {
		struct wf_link *link = &waveform->links[k];

		*link = waveform->links[k % n_links];
		link->from += (int)(k / n_links * n);
		link->to += (int)(k / n_links * n);
	}
}

static int instances_grow(struct waveform *waveform, uint32_t copies)
{
	struct wf_instance *instances =
	    realloc(waveform->instances, waveform->n_instances * copies * sizeof(*instances));
	struct wf_link *links;

	if (!instances)
		return -ENOMEM;
	waveform->instances = instances;
	memset(instances + waveform->n_instances, 0,
	    waveform->n_instances * (copies - 1) * sizeof(*instances));
	links = realloc(waveform->links, (waveform->n_links * copies + 1) * sizeof(*links));
	if (!links)
		return -ENOMEM;
	waveform->links = links;
	return 0;
}

static int copies_make(struct wf_parse *parse, uint32_t copies)
{
	struct waveform *waveform = parse->waveform;
	const size_t n = waveform->n_instances, n_links = waveform->n_links;
	int error = instances_grow(waveform, copies);

	if (error)
		return error;
	waveform->copies = copies;
	waveform->n_instances = n * copies;
	waveform->n_links = n_links * copies;
	for (size_t i = 0; i < n && !error; i++)
		error = instance_copy(parse, n, i, copies, n_links);
	links_copy(waveform, n, n_links, copies);
	return error;
}

/* ---- two that write one file ---- */

struct written {
	const char *path;
	const struct wf_instance *instance;
	const char *param;
};

static int by_path(const void *a, const void *b)
{
	const struct written *one = a, *two = b;
	const int order = strcmp(one->path, two->path);

	return order ? order : one->instance < two->instance ? -1 : 1;
}

static size_t written_list(const struct waveform *waveform, struct written *ret)
{
	size_t len = 0;

	for (size_t i = 0; i < waveform->n_instances; i++) {
		const struct wf_instance *instance = &waveform->instances[i];

		for (size_t k = 0; instance->type->drains && k < instance->type->n_params; k++) {
			const char *path = instance->values[k].text;

			if (instance->type->params[k].kind != ALOE_KIND_PATH || !path || !path[0])
				continue;
			if (ret)
				ret[len] = (struct written){
				    path, instance, instance->type->params[k].name};
			len++;
		}
	}
	return len;
}

/* What is there already and is no ordinary file (/dev/null, a pipe) may have several writers. */
static bool is_ordinary(const char *path)
{
	struct stat stat_;

	return stat(path, &stat_) != 0 || S_ISREG(stat_.st_mode);
}

static int files_check(struct wf_parse *parse)
{
	const size_t n = written_list(parse->waveform, NULL);
	struct written *list = calloc(n + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	written_list(parse->waveform, list);
	qsort(list, n, sizeof(*list), by_path);
	for (size_t i = 1; i < n && !wf_enough(parse); i++)
		if (strcmp(list[i - 1].path, list[i].path) == 0 &&
		    (i == 1 || strcmp(list[i - 2].path, list[i].path) != 0) &&
		    is_ordinary(list[i].path))
			diag_error(parse->diag, parse->file, list[i].instance->line,
			    "%s.%s and %s.%s use the same file %s; each needs a file of its own%s",
			    list[i - 1].instance->name, list[i - 1].param, list[i].instance->name,
			    list[i].param, list[i].path,
			    parse->waveform->copies > 1
			        ? " ({copy} in a path is the number of the copy)"
			        : "");
	free(list);
	return 0;
}

int wf_copies(struct wf_parse *parse, uint32_t copies)
{
	struct waveform *waveform = parse->waveform;
	int error = 0;

	if (waveform->n_instances * (uint64_t)copies > WF_INSTANCES_MAX ||
	    waveform->n_links * (uint64_t)copies > WF_LINKS_MAX) {
		diag_error(parse->diag, "--copies", 0,
		    "%u copies of %zu instance%s and %zu link%s are too many; at most %d instances "
		    "and %d links are allowed",
		    copies, waveform->n_instances, plural(waveform->n_instances), waveform->n_links,
		    plural(waveform->n_links), WF_INSTANCES_MAX, WF_LINKS_MAX);
		return 0;
	}
	waveform->copies_differ = has_mark(waveform);
	if (copies > 1)
		error = copies_make(parse, copies);
	for (size_t i = 0;
	     copies == 1 && waveform->copies_differ && !error && i < waveform->n_instances; i++)
		error = marks_set(parse, &waveform->instances[i], 1);
	return error ? error : files_check(parse);
}
