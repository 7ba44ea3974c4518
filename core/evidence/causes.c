/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/evidence/inside.h"

static struct evidence_cause *cause_find(
    struct join *join, enum evidence_cause_kind kind, uint32_t instance, int32_t tid)
{
	for (size_t i = 0; i < join->n; i++)
		if (join->cause[i].kind == kind && join->cause[i].instance == instance &&
		    join->cause[i].tid == tid)
			return &join->cause[i];
	/* the last takes what there is no room for */
	return join->n == JOIN_CAUSES ? &join->cause[JOIN_CAUSES - 1] : NULL;
}

struct evidence_cause *join_add(struct join *join, enum evidence_cause_kind kind, uint32_t instance,
    int32_t pid, int32_t tid, uint64_t ns)
{
	struct evidence_cause *cause;

	if (ns == 0)
		return NULL;
	cause = cause_find(join, kind, instance, tid);
	if (cause == NULL) {
		cause = &join->cause[join->n++];
		*cause = (struct evidence_cause){
		    .kind = kind, .instance = instance, .pid = pid, .tid = tid};
	}
	cause->took_ns += ns;
	return cause;
}
