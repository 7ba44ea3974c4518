/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/waveform/neighbours.h"

#include <errno.h>
#include <stdlib.h>

int neighbours_init(struct neighbours *lists, const struct waveform *wf, bool forward,
    const uint32_t *of, bool (*counts)(const struct wf_link *))
{
	lists->first = malloc((wf->n_instances + 1) * sizeof(*lists->first));
	lists->next = malloc((wf->n_links + 1) * sizeof(*lists->next));
	if (!lists->first || !lists->next)
		return -ENOMEM;
	for (size_t i = 0; i < wf->n_instances; i++)
		lists->first[i] = -1;
	for (size_t i = wf->n_links; i-- > 0;) {
		const struct wf_link *link = &wf->links[i];

		if (link->from < 0 || link->to < 0 || (counts && !counts(link)))
			continue;
		const int end = forward ? link->from : link->to;
		const uint32_t key = of ? of[end] : (uint32_t)end;

		lists->next[i] = lists->first[key];
		lists->first[key] = (int)i;
	}
	return 0;
}

void neighbours_fini(struct neighbours *lists)
{
	free(lists->first);
	free(lists->next);
}
