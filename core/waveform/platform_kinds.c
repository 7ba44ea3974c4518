/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/waveform/platform_kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/waveform/scan.h"

const char *platform_kind_of(const struct platform_node *node, size_t core)
{
	for (size_t k = 0; k < node->n_kinds; k++) {
		if (core < node->kinds[k].n)
			return node->kinds[k].name;
		core -= node->kinds[k].n;
	}
	return NULL;
}

void platform_kinds_free(const struct platform_node *node)
{
	for (size_t k = 0; k < node->n_kinds; k++)
		free(node->kinds[k].name);
	free(node->kinds);
}

static int kind_read(
    struct wf_parse *parse, const config_setting_t *setting, struct platform_node *node)
{
	const struct wf_raw raw = wf_raw_setting(parse, setting);
	struct platform_core_kind *kind = &node->kinds[node->n_kinds];
	const char *key = config_setting_name(setting);
	char name[160];
	double n = 1;

	snprintf(name, sizeof(name), "%s.kinds.%.80s", node->name, key);
	if (strncmp(key, SCAN_TWICE, strlen(SCAN_TWICE)) == 0)
		return 0; /* said before */
	if (!text_is_name(key)) {
		diag_error(parse->diag, parse->file, (int)config_setting_source_line(setting),
		    "%s: the name is not allowed; a name is a letter, then letters, digits and _, "
		    "at most 63 characters",
		    name);
		return 0;
	}
	(void)wf_want_int(&raw, name, 1, PLATFORM_CORES_MAX, "", parse->diag, &n);
	kind->name = strdup(key);
	kind->n = (uint32_t)n;
	node->n_kinds += kind->name != NULL;
	return kind->name ? 0 : -ENOMEM;
}

/* Whether what `cores` or `lanes` say is the same. */
static void sum_check(struct wf_parse *parse, const config_setting_t *group,
    const config_setting_t *kinds, const struct platform_node *node, double cores, double sum)
{
	const bool said = config_setting_get_member(group, "cores") || node->lanes.n > 0;

	if (said && cores != sum)
		diag_error(parse->diag, parse->file, (int)config_setting_source_line(kinds),
		    "node \"%s\" has %.0f core%s, but its kinds have %.0f; each core is of one "
		    "kind",
		    node->name, cores, plural(cores), sum);
}

int platform_kinds_read(struct wf_parse *parse, const config_setting_t *group,
    struct platform_node *node, double *cores)
{
	const config_setting_t *kinds = config_setting_get_member(group, "kinds");
	const int n = kinds && config_setting_is_group(kinds) ? config_setting_length(kinds) : 0;
	double sum = 0;
	int rc = 0;

	if (!kinds)
		return 0;
	if (n == 0) {
		diag_error(parse->diag, parse->file, (int)config_setting_source_line(kinds),
		    "%s.kinds is not understood; kinds: { NAME = CORES; ... }; is needed",
		    node->name);
		return 0;
	}
	node->kinds = calloc((size_t)n, sizeof(*node->kinds));
	if (!node->kinds)
		return -ENOMEM;
	for (int i = 0; i < n && rc == 0; i++)
		rc = kind_read(parse, config_setting_get_elem(kinds, (unsigned)i), node);
	for (size_t k = 0; k < node->n_kinds; k++)
		sum += node->kinds[k].n;
	sum_check(parse, group, kinds, node, *cores, sum);
	*cores = sum;
	return rc;
}
