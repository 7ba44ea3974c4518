/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe compare DIR DIR2: two recordings with digests, of one waveform. Where they part is the first
 * index, and at that index the first instance in the order of the graph, whose output differs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/recording/control.h"
#include "core/registry/registry.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/digests.h"
#include "tools/aloe/items.h"

struct compare {
	const char *dir[2];
	struct recording_control control[2];
	struct digests run[2];
	struct diag diag;
};

static int control_read(struct compare *compare, int k)
{
	char path[4400], *text = NULL;
	size_t len = 0;
	int rc = path_print(path, sizeof(path), "%s/control.jsonl", compare->dir[k]);

	if (rc == 0)
		rc = file_read(path, CONTROL_BYTES_MAX, &text, &len);
	if (rc < 0)
		return diag_error(&compare->diag, path, 0, "cannot be read: %s", file_reason(rc));
	rc = control_parse(path, text, len, &compare->diag, &compare->control[k]);
	free(text);
	if (rc == 0 && !json_object_get(compare->control[k].head, "digests"))
		rc = diag_error(&compare->diag, path, 1,
		    "the recording has no digests; record it with `aloe run FILE --record DIR "
		    "--digests`");
	return rc;
}

static const char *head_text(const struct compare *compare, int k, const char *key)
{
	return json_string_value(json_object_get(compare->control[k].head, key));
}

/* ---- one waveform? ------------------------------------------------------------------------- */

static int names_compare(struct compare *compare)
{
	const json_t *names[2];
	size_t i = 0;

	for (int k = 0; k < 2; k++)
		names[k] = json_object_get(compare->control[k].head, "digests");
	while (json_array_get(names[0], i) &&
	    json_equal(json_array_get(names[0], i), json_array_get(names[1], i)))
		i++;
	if (!json_array_get(names[0], i) && !json_array_get(names[1], i))
		return 0;
	for (int k = 0; k < 2; k++) {
		const char *name = json_string_value(json_array_get(names[k], i));

		diag_error(&compare->diag, compare->dir[k], 0,
		    "output %zu of the waveform %s is %s; the recordings are of different "
		    "waveforms, and cannot be compared",
		    i + 1, head_text(compare, k, "waveform"), name ? name : "missing");
	}
	return -EINVAL;
}

static int waveforms_compare(struct compare *compare)
{
	const char *one = head_text(compare, 0, "waveform"),
	           *other = head_text(compare, 1, "waveform");

	if (strcmp(one, other) != 0)
		return diag_error(&compare->diag, NULL, 0,
		    "%s is a recording of the waveform %s, and %s of %s; only recordings of one "
		    "waveform can be compared",
		    compare->dir[0], one, compare->dir[1], other);
	return names_compare(compare);
}

static int types_compare(struct compare *compare)
{
	int rc = 0;

	for (size_t i = 0; i < compare->run[0].n; i++) {
		const uint32_t types[] = {
		    compare->run[0].tables[i].type, compare->run[1].tables[i].type};

		if (types[0] != types[1])
			rc = diag_error(&compare->diag, NULL, 0,
			    "%s has items of type %s in %s, and of type %s in %s; the recordings "
			    "cannot be compared",
			    json_string_value(json_array_get(compare->run[0].names, i)),
			    item_type_name(types[0]), compare->dir[0], item_type_name(types[1]),
			    compare->dir[1]);
	}
	return rc;
}

static int compare_open(struct compare *compare)
{
	int rc = 0, one;

	for (int k = 0; k < 2; k++) {
		one = control_read(compare, k);
		rc = one < 0 ? one : rc;
	}
	if (rc == 0)
		rc = waveforms_compare(compare);
	for (int k = 0; rc == 0 && k < 2; k++)
		rc = digests_read(compare->dir[k],
		    json_object_get(compare->control[k].head, "digests"),
		    compare->control[k].end != NULL, &compare->diag, &compare->run[k]);
	return rc == 0 ? types_compare(compare) : rc;
}

/* ---- what may be the reason ---------------------------------------------------------------- */

static void builds_print(const struct compare *compare)
{
	const json_t *others = json_object_get(compare->control[1].head, "components");
	const char *name;
	json_t *build;

	json_object_foreach(json_object_get(compare->control[0].head, "components"), name, build)
	{
		const char *one = json_string_value(build),
		           *other = json_string_value(json_object_get(others, name));

		if (other && strcmp(one, other) != 0)
			printf("builds     of %s differ: %.16s and %.16s\n", name, one, other);
	}
	if (strcmp(head_text(compare, 0, "text_sha256"), head_text(compare, 1, "text_sha256")) != 0)
		printf("texts      of the waveform differ, by a parameter or by where it runs: see "
		       "waveform.conf of both folders\n");
	for (int k = 0; k < 2; k++)
		if (!compare->control[k].end)
			printf("CUT SHORT  %s has no line `end` in control.jsonl: what there is is "
			       "compared\n",
			    compare->dir[k]);
}

int aloe_compare(const struct cli_args *args)
{
	struct compare compare = {.dir = {args->args[0], args->args[1]}};
	const char *const label[] = {"first", "second"};
	size_t differ = 0;
	int rc;

	diag_init(&compare.diag);
	rc = compare_open(&compare);
	diag_print(&compare.diag, stderr);
	if (rc == 0) {
		printf("first      %s\nsecond     %s\n", compare.dir[0], compare.dir[1]);
		builds_print(&compare);
		differ = digests_judge(compare.run, label, stdout);
	}
	for (int k = 0; k < 2; k++) {
		digests_close(&compare.run[k]);
		control_fini(&compare.control[k]);
	}
	diag_fini(&compare.diag);
	if (rc < 0)
		return rc == -ENOMEM ? CLI_FAILED : CLI_USAGE;
	return differ ? CLI_FAILED : CLI_OK;
}
