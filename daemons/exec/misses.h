/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/misses.h - why slots were missed, skipped or slipped, and messages absent: the
 * records of the segments (core/slot/miss.h) joined with what the kernel has recorded of the
 * lanes' CPUs
 * (core/evidence). At ordinary priority, and only when a slot was missed.
 */
#ifndef DAEMONS_EXEC_MISSES_H
#define DAEMONS_EXEC_MISSES_H

#include "core/evidence/evidence.h"
#include "core/json/json.h"
#include "core/platform/perf.h"
#include "daemons/exec/exec.h"

enum { MISSES_KEPT = 4096 };
#define MISSES_FILE_MAX (64ull << 20) /* bytes of misses.jsonl */

struct exec_miss {
	struct image_miss miss;
	uint32_t segment, lane, n_causes; /* in the tables of then */
	struct evidence_cause causes[EVIDENCE_CAUSES];
	uint64_t first; /* slot with which the row began that this one continues */
	bool recorded;  /* the kernel's records reached back to the edge */
	bool clocked;   /* the CPU time of the thread was known */
	int32_t before; /* thread that had the CPU before the lane's; -1: not known */
	char before_name[EVIDENCE_NAME_BYTES];
};

/* Of one kind of cause. */
struct exec_miss_sum {
	uint64_t records, slots, share_ns, worst_ns, worst_slot;
};

struct exec_misses {                              /* of a waveform; made at its first miss */
	struct exec_miss kept[MISSES_KEPT];       /* record n at n % MISSES_KEPT */
	uint64_t n, lost;                         /* lost: overwritten before they were read */
	uint64_t looked;                          /* by overrun.c */
	uint64_t evidence_lost, evidence_corrupt; /* records of the kernel */
	struct exec_miss_sum sum[EVIDENCE_KINDS];
	uint64_t file_bytes;
	bool file_full, file_failed;
};

/* misses_take reads what the segments have written since it was last called. */
void misses_take(struct exec_wave *wave);
/* misses_own_doing tells whether a record is the waveform's own doing (evidence_own_doing); of
 * a row
 * of slots, what the first of them was. */
bool misses_own_doing(const struct exec_wave *wave, const struct exec_miss *miss);
/* misses_find gives a record that contains the slot, the latest first; NULL: none. */
const struct exec_miss *misses_find(const struct exec_wave *wave, uint64_t slot);
/* miss_text.c: misses_words writes the causes as one line. miss_json is a record as JSON. */
void misses_words(
    const struct exec_wave *wave, const struct exec_miss *miss, char *ret, size_t size);
json_t *miss_json(const struct exec_wave *wave, const struct exec_miss *miss);
const char *miss_word(const struct image_miss *miss); /* what it is: "missed", "skipped", ... */

/* misses_slots gives the slots that have run; false: none yet. */
bool misses_slots(const struct exec_wave *wave, uint64_t *ret_first, uint64_t *ret_last);
/* misses_json.c: all that are kept, at most the newest `most`; causes as a table; the
 * sources of evidence with why one is not here; the answer to MISSES. */
json_t *misses_json(const struct exec_wave *wave, uint64_t most);
json_t *misses_causes(const struct exec_wave *wave);
json_t *misses_sources(const struct exec_wave *wave);
void misses_send(struct exec_wave *wave, const struct wire_view *request);

/* witness.c: the records of a lane's CPU. witness_open: from now on. witness_read gives those since
 * from_ns that are of `lane`, in memory that is valid
 * until the next call; false: there are none. */
void witness_open(struct exec *exec, uint32_t lane);
void witness_close(struct exec *exec, uint32_t lane);
struct witness_records {
	const struct evidence_record *records;
	size_t n;
	bool whole;
	struct evidence_losses losses;
};
bool witness_records(
    struct exec *exec, uint32_t lane, uint64_t from_ns, struct witness_records *ret);

#endif
