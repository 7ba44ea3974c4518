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

enum { MISSES_KEPT = 4096, CALLS_SLOTS = 64, CALLS_KEPT = 512, CALLS_CUT = 8 };
#define MISSES_FILE_MAX (64ull << 20) /* bytes of misses.jsonl */

struct exec_miss {
	struct image_miss miss;
	uint32_t segment, lane, n_causes; /* in the tables of then */
	struct evidence_cause causes[EVIDENCE_CAUSES];
	uint64_t first; /* slot with which the row began that this one continues */
	bool recorded;  /* the kernel's records reached back to the edge */
	bool clocked;   /* the CPU time of the thread was known */
	bool heavy;     /* late by itself, whatever came before (evidence_heavy) */
	bool own;       /* the waveform's own doing: heavy, or the first slot of its row was */
	int32_t before; /* thread that had the CPU before the lane's; -1: not known */
	char before_name[EVIDENCE_NAME_BYTES];
};

/* Of one kind of cause. */
struct exec_miss_sum {
	uint64_t records, slots, share_ns, worst_ns, worst_slot;
};

/* misses.jsonl. unwritten: records that are not in it, because it is full or failed. This and
 * `lost` below are since this exec was started; the node image has the sums of all execs. */
struct misses_file {
	uint64_t unwritten;
	bool full, failed;
};

struct exec_call {
	int64_t begin_ns, end_ns; /* from the slot's edge on */
	uint64_t index;
	uint32_t instance, lane; /* in the tables of then */
};

/* Of all segments, between the edge of a late slot and its end; by segment, the late one first,
 * then in the order of time. */
struct exec_calls {
	uint64_t slot, edge_ns;
	uint32_t n, left_out, senseless; /* left_out: there was no room for them */
	uint32_t n_cut, cut[CALLS_CUT];  /* lanes of segments of which some were left out */
	bool whole;                      /* none was overwritten before it was read */
	struct exec_call call[CALLS_KEPT];
};

struct exec_misses {                              /* of a waveform; made at its first miss */
	struct exec_miss kept[MISSES_KEPT];       /* record n at n % MISSES_KEPT */
	uint64_t n, lost;                         /* lost: overwritten before they were read */
	uint64_t looked;                          /* by overrun.c */
	uint64_t evidence_lost, evidence_corrupt; /* records of the kernel */
	struct exec_miss_sum sum[EVIDENCE_KINDS];
	struct exec_calls calls[CALLS_SLOTS + 1]; /* slot n at n % CALLS_SLOTS; the last: a copy */
	uint64_t n_calls;
	struct misses_file file;
};

/* misses_take reads what the segments have written since it was last called. misses_read_note keeps
 * in the node image how many records have been read; misses_resume counts, for an exec that was
 * started again, those that nobody has read, and goes on behind them. */
void misses_take(struct exec_wave *wave);
void misses_read_note(const struct exec_wave *wave);
void misses_resume(struct exec_wave *wave);
/* misses_file.c: misses_file_put appends a line to the file unless the file would have more than
 * `most` bytes; a line before it that was cut is ended first. NULL: there was no memory for
 * it. Returns 0; -EFBIG or another -errno the first time that it cannot, and from then on 0, while
 * it counts what is not written. */
int misses_file_put(struct misses_file *file, const char *path, uint64_t most, const char *line);
/* misses_find gives the latest record of each lane that contains the slot, the newest first: how
 * many, at most `most`. `aloe why` chooses alike from misses.jsonl. */
size_t misses_find(
    const struct exec_wave *wave, uint64_t slot, const struct exec_miss **ret, size_t most);
/* miss_text.c: misses_words writes the causes as one line. miss_json is a record as JSON. */
void misses_words(
    const struct exec_wave *wave, const struct exec_miss *miss, char *ret, size_t size);
json_t *miss_json(const struct exec_wave *wave, const struct exec_miss *miss);
const char *miss_word(const struct image_miss *miss); /* what it is: "missed", "skipped", ... */

/* misses_calls.c: the calls of the slots that were late last. misses_calls_take copies those of one
 * from the rings; misses_calls_put adds them to its JSON, with why some of them are missing. */
void misses_calls_take(struct exec_wave *wave, uint32_t segment, const struct image_miss *miss);
void misses_calls_put(const struct exec_wave *wave, const struct exec_miss *miss, json_t *o);

/* misses_slots gives the slots that have run; false: none yet. */
bool misses_slots(const struct exec_wave *wave, uint64_t *ret_first, uint64_t *ret_last);
/* misses_json.c: all that are kept, at most the newest `most`; causes as a table; the
 * sources of evidence with why one is not here; the answer to MISSES. */
json_t *misses_json(const struct exec_wave *wave, uint64_t most);
json_t *misses_causes(const struct exec_wave *wave);
json_t *misses_sources(const struct exec_wave *wave);
void misses_send(struct exec_wave *wave, const struct wire_view *request);

/* witness.c: the records of a lane's CPU. witness_open: from now on. witness_fini is for the end of
 * exec. witness_records gives those since from_ns that are of `lane`, in memory that is valid until
 * the next call; false: there are none. At the first call a thread begins to read the names of the
 * kernel's functions. */
void witness_open(struct exec *exec, uint32_t lane);
void witness_close(struct exec *exec, uint32_t lane);
void witness_fini(struct exec *exec);
struct witness_records {
	const struct evidence_record *records;
	size_t n;
	bool whole;
	struct evidence_losses losses;
};
bool witness_records(
    struct exec *exec, uint32_t lane, uint64_t from_ns, struct witness_records *ret);
/* witness_symbol gives the name of a function of the kernel; "": it is not known; NULL: the names
 * are not read yet. */
const char *witness_symbol(const struct exec *exec, uint64_t address);

#endif
