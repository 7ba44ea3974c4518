/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/sigmf/reader.h - a recording that is read: its files are found, checked against each other,
 * and its samples given as items of a port. [control] and [io]
 */
#ifndef ALOE_SIGMF_READER_H
#define ALOE_SIGMF_READER_H

#include "core/sigmf/sigmf.h"

struct sigmf_reader;

/* sigmf_open opens a recording by the name of its .sigmf-meta, its .sigmf-data or its archive
 * .sigmf, or by what these names have in common. All that sigmf_parse and sigmf_check refuse is
 * refused. With `verify` the data are read once and their core:sha512 is compared, if there is one.
 * 0, or -EINVAL with all that is wrong in diag, or -ENOMEM. sigmf_close: NULL does nothing. */
int sigmf_open(const char *path, bool verify, struct diag *diag, struct sigmf_reader **ret);
void sigmf_close(struct sigmf_reader *reader);

const struct sigmf_meta *sigmf_meta(const struct sigmf_reader *reader);
/* The places of the original stream, lost samples counted: of the first sample, and behind the
 * last one. */
uint64_t sigmf_first(const struct sigmf_reader *reader);
uint64_t sigmf_end(const struct sigmf_reader *reader);

/* sigmf_join reads the samples of the data file one after another, as if none were lost. Before the
 * first sigmf_first. */
void sigmf_join(struct sigmf_reader *reader, bool join);

/* sigmf_take gives the `n` items from place `index` of the original stream on (sigmf_first ..
 * sigmf_end), zeros for those that were lost. Later calls may not go back. 0 with the number of the
 * lost ones, or -errno (-ENODATA: the file has become shorter). */
int sigmf_take(
    struct sigmf_reader *reader, uint64_t index, uint32_t n, void *ret_items, uint32_t *ret_lost);

#endif
