/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/sigmf/writer.h - a recording that is written, message by message. [control] and [io]
 *
 *	sigmf_create("run", &global, diag, &writer);
 *	sigmf_put(writer, &(struct sigmf_message){.slot = k, .items = items, .n = n});
 *	sigmf_put_lost(writer, k, n_max);                 a message that did not come
 *	sigmf_finish(writer, diag);
 *
 * NAME.sigmf-data grows; NAME.sigmf-meta.partial says from the start what it will be, and
 * NAME.sigmf-meta, with the hash, takes its place at the end: a crash leaves data without a
 * finished .sigmf-meta, never a wrong one. A new segment begins where samples were lost, and only
 * there; the lost messages are an annotation.
 */
#ifndef ALOE_SIGMF_WRITER_H
#define ALOE_SIGMF_WRITER_H

#include "core/sigmf/sigmf.h"

struct sigmf_writer;

struct sigmf_message {
	uint64_t slot;        /* index of the message */
	const void *items;    /* of the port's type (sigmf_formats: item_type) */
	uint32_t n;           /* items */
	uint64_t tick;        /* radio tick of the first one, SIGMF_NONE: not known */
	uint64_t realtime_ns; /* CLOCK_REALTIME of the first one; 0: now */
	double frequency_hz;  /* of the segment that begins, if one does; NAN: not known */
};

/* sigmf_create makes the files of `path`, a name with or without .sigmf-meta or .sigmf-data, and
 * removes the .sigmf-meta of an older recording of that name. `global` states what is known;
 * sha512, samples, num_channels and the extension are added; its texts are copied. 0 or -EINVAL
 * with the reason in diag, or -ENOMEM. */
int sigmf_create(const char *path, const struct sigmf_global *global, struct diag *diag,
    struct sigmf_writer **ret);
/* sigmf_path_check refuses a path where sigmf_create would fail; it makes nothing. 0 or -EINVAL. */
int sigmf_path_check(const char *path, struct diag *diag);

/* sigmf_put appends a VALID message, sigmf_put_lost an ABSENT one of `n` samples, or several in a
 * row by one call each. 0, or -errno; -E2BIG: there are more discontinuities than a recording can
 * have (SIGMF_CAPTURES_MAX). After a failure only sigmf_finish is useful: what was written is a
 * recording. */
int sigmf_put(struct sigmf_writer *writer, const struct sigmf_message *message);
int sigmf_put_lost(struct sigmf_writer *writer, uint64_t slot, uint64_t n);

uint64_t sigmf_written(const struct sigmf_writer *writer); /* samples in the data file */

/* sigmf_finish syncs the data, writes the .sigmf-meta and frees the writer. 0, or -EINVAL with the
 * reason in diag. NULL does nothing. */
int sigmf_finish(struct sigmf_writer *writer, struct diag *diag);

#endif
