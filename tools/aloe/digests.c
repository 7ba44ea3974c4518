/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/digests.h"

#include <aloe/component.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/registry/registry.h"
#include "tools/aloe/items.h"

/* a message of each slot of 100 us for eight days */
#define DIGESTS_BYTES_MAX ((size_t)1 << 37)

/* ---- digesters ----------------------------------------------------------------------------- */

static void digester_add(
    const struct waveform *waveform, const char *dir, int i, int port, struct digesters *ret)
{
	const struct wf_instance *instance = &waveform->instances[i];
	struct wf_graft *graft = &ret->grafts[ret->n];
	char *params = ret->params[ret->n++];

	*graft = (struct wf_graft){
	    .instance = i, .port = port, .component = "digester", .params = params};
	wf_graft_name(waveform, "digest", graft);
	snprintf(params, DIGESTERS_PARAMS, "path = \"%s/%s.%s.digests\";", dir, instance->name,
	    wf_output_name(instance, port));
}

int digesters_list(const struct waveform *waveform, const char *dir, struct digesters *ret)
{
	int *order = calloc(waveform->n_instances + 1, sizeof(*order));
	int rc = order ? waveform_order(waveform, order) : -ENOMEM;

	*ret = (struct digesters){.grafts = calloc(waveform->n_links + 1, sizeof(*ret->grafts)),
	    .params = calloc(waveform->n_links + 1, sizeof(*ret->params))};
	if (!ret->grafts || !ret->params)
		rc = -ENOMEM;
	for (size_t k = 0; rc == 0 && k < waveform->n_instances; k++)
		for (uint32_t p = 0; p < waveform->instances[order[k]].n_out; p++)
			if (waveform->instances[order[k]].out[p].link >= 0)
				digester_add(waveform, dir, order[k], (int)p, ret);
	free(order);
	return rc;
}

void digesters_only(
    struct digesters *digesters, const struct waveform *waveform, const json_t *names)
{
	json_t *all = digesters_names(digesters, waveform), *name, *wanted;
	size_t n = 0, i, k;

	json_array_foreach(all, i, name)
	{
		bool kept = false;

		json_array_foreach(names, k, wanted)
		{
			kept |= json_equal(name, wanted) == 1;
		}
		if (kept)
			digesters->grafts[n++] = digesters->grafts[i];
	}
	digesters->n = n;
	json_decref(all);
}

void digesters_fini(struct digesters *digesters)
{
	free(digesters->grafts);
	free(digesters->params);
	*digesters = (struct digesters){0};
}

json_t *digesters_names(const struct digesters *digesters, const struct waveform *waveform)
{
	json_t *names = json_array();

	for (size_t i = 0; i < digesters->n; i++) {
		const struct wf_graft *graft = &digesters->grafts[i];
		const struct wf_instance *instance = &waveform->instances[graft->instance];

		json_array_append_new(names,
		    json_sprintf("%s.%s", instance->name, wf_output_name(instance, graft->port)));
	}
	return names;
}

struct wf_graft *digesters_join(
    const struct digesters *digesters, const struct wf_graft *grafts, size_t n_grafts)
{
	struct wf_graft *all = calloc(digesters->n + n_grafts + 1, sizeof(*all));

	if (all && n_grafts)
		memcpy(all, grafts, n_grafts * sizeof(*all));
	if (all && digesters->n)
		memcpy(all + n_grafts, digesters->grafts, digesters->n * sizeof(*all));
	return all;
}

/* ---- what they have written ---------------------------------------------------------------- */

static int table_read(
    const char *path, bool whole, struct diag *diag, struct digest_table *ret_table)
{
	char *bytes = NULL, why[DIGESTS_WHY];
	uint64_t at = 0;
	size_t len = 0;
	int rc = file_read(path, DIGESTS_BYTES_MAX, &bytes, &len);

	if (rc < 0)
		return diag_error(diag, path, 0, "cannot be read: %s", file_reason(rc));
	rc = digests_parse((const uint8_t *)bytes, len, ret_table, &at, why);
	free(bytes);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0)
		return diag_error(diag, path, 0, "offset %" PRIu64 ": %s", at, why);
	if (whole && !ret_table->whole)
		return diag_error(diag, path, 0,
		    "was cut short: the file ends at offset %zu, in the block that begins at "
		    "offset %" PRIu64 ", behind index %" PRIu64 ", and the last block is missing",
		    len, at, ret_table->next ? ret_table->next - 1 : 0);
	return 0;
}

int digests_read(
    const char *dir, const json_t *names, bool whole, struct diag *diag, struct digests *ret)
{
	int rc = 0;

	*ret = (struct digests){.dir = dir, .names = names, .n = json_array_size(names)};
	ret->tables = calloc(ret->n + 1, sizeof(*ret->tables));
	if (!ret->tables)
		return -ENOMEM;
	for (size_t i = 0; i < ret->n; i++) {
		char path[4400];
		int one = path_print(path, sizeof(path), "%s/%s.digests", dir,
		    json_string_value(json_array_get(names, i)));

		if (one == 0)
			one = table_read(path, whole, diag, &ret->tables[i]);
		rc = one < 0 ? one : rc;
	}
	return rc;
}

void digests_close(struct digests *digests)
{
	for (size_t i = 0; digests->tables && i < digests->n; i++)
		digests_fini(&digests->tables[i]);
	free(digests->tables);
	*digests = (struct digests){0};
}

/* ---- where they part ----------------------------------------------------------------------- */

struct parting {
	size_t output; /* the first of those that differ at the first index */
	struct digest_comparison first;
	size_t differ; /* outputs */
	uint64_t compared, missed, missed_first;
};

static uint64_t digests_end(const struct digests *run)
{
	uint64_t end = 0;

	for (size_t i = 0; i < run->n; i++)
		end = run->tables[i].next > end ? run->tables[i].next : end;
	return end;
}

static void parting_find(const struct digests run[2], struct parting *ret)
{
	const uint64_t ends[2] = {digests_end(&run[0]), digests_end(&run[1])};

	*ret = (struct parting){0};
	for (size_t i = 0; i < run[0].n; i++) {
		struct digest_comparison one;

		digests_compare(&run[0].tables[i], &run[1].tables[i],
		    ends[0] < ends[1] ? ends[0] : ends[1], &one);
		ret->compared += one.compared;
		if (one.missed && (ret->missed == 0 || one.missed_first < ret->missed_first))
			ret->missed_first = one.missed_first;
		ret->missed += one.missed;
		if (one.differ == 0)
			continue;
		if (ret->differ++ == 0 || one.row[0].index < ret->first.row[0].index) {
			ret->first = one;
			ret->output = i;
		}
	}
}

static void row_print(
    const struct digest_table *table, const struct digest_row *row, const char *label, FILE *out)
{
	static const char *const states[] = {"ABSENT", "IDLE", "VALID"};

	fprintf(out, "           %-8s  %s", label, states[row->state]);
	if (row->state == ALOE_VALID)
		fprintf(out, ", %" PRIu32 " %s item%s, digest %016" PRIx64, row->len,
		    item_type_name(table->type), plural(row->len), row->digest);
	fputc('\n', out);
}

static void parting_print(const struct digests run[2], const char *const label[2],
    const struct parting *parting, FILE *out)
{
	const size_t i = parting->output;

	fprintf(out,
	    "DIFFERS    first at index %" PRIu64
	    ", in %s (output %zu of %zu in the order of the graph)\n",
	    parting->first.row[0].index, json_string_value(json_array_get(run[0].names, i)), i + 1,
	    run[0].n);
	for (int k = 0; k < 2; k++)
		row_print(&run[k].tables[i], &parting->first.row[k], label[k], out);
	items_print(run, i, parting->first.row[0].index, out);
	fprintf(out, "           %zu of %zu output%s differ%s, at that index or later\n",
	    parting->differ, run[0].n, plural(run[0].n), parting->differ == 1 ? "s" : "");
}

size_t digests_judge(const struct digests run[2], const char *const label[2], FILE *out)
{
	const uint64_t end[2] = {digests_end(&run[0]), digests_end(&run[1])};
	struct parting parting;

	parting_find(run, &parting);
	fprintf(out, "compared   %" PRIu64 " message%s of %zu output%s by their digests\n",
	    parting.compared, plural(parting.compared), run[0].n, plural(run[0].n));
	if (end[0] != end[1])
		fprintf(out,
		    "LENGTHS    %s has %" PRIu64 " ind%s, and %s has %" PRIu64
		    "; what both have is compared\n",
		    label[0], end[0], end[0] == 1 ? "ex" : "ices", label[1], end[1]);
	if (parting.missed)
		fprintf(out,
		    "MISSED     %" PRIu64 " message%s not compared, the first at index %" PRIu64
		    ", because a run did not run that index or lost the digest\n",
		    parting.missed, parting.missed == 1 ? " was" : "s were", parting.missed_first);
	if (parting.differ)
		parting_print(run, label, &parting, out);
	else if (parting.compared == 0 && run[0].n > 0)
		fprintf(out, "NOTHING    no message was compared\n");
	else
		fprintf(out, "same       no message differs\n");
	return parting.compared == 0 && run[0].n > 0 ? 1 : parting.differ;
}
