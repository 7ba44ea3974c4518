/* SPDX-License-Identifier: BSD-3-Clause
 *
 * inside.h - what the files of core/evidence share. */
#ifndef CORE_EVIDENCE_INSIDE_H
#define CORE_EVIDENCE_INSIDE_H

#include "core/evidence/evidence.h"

/* While causes are gathered there may be more of them than are given back. */
enum { JOIN_CAUSES = 32 };

struct join {
	const struct evidence_slot *slot;
	struct evidence_cause cause[JOIN_CAUSES];
	size_t n;
	uint64_t begin_ns;   /* from here to start_ns the segment should have run already */
	uint64_t start_ns;   /* explained of that */
	uint64_t outside_ns; /* since from_ns: the thread did not have its CPU */
	size_t call;         /* the first call that the next span can reach */
};

/* causes.c: join_add adds to the cause of this kind, instance and thread. NULL: ns is 0. */
struct evidence_cause *join_add(struct join *join, enum evidence_cause_kind kind, uint32_t instance,
    int32_t pid, int32_t tid, uint64_t ns);

/* spans.c: join_spans adds what the kernel's records say: who had the CPU, and what interrupted the
 * lane's thread. */
void join_spans(struct join *join);
/* spans.c: page faults of the lane's thread from a to b, and what they took: *ret_ns. */
uint32_t join_faults(const struct join *join, uint64_t a, uint64_t b, uint64_t *ret_ns);

#endif
