/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/sigmf/archive.h - where the two files of a recording lie in an archive, NAME.sigmf, so that
 * they are read without being unpacked. Pure: bytes in, places or a reason out. [control]
 *
 * A .sigmf is a tar file (POSIX.1-2001, pax and ustar; GNU long names and sizes are read, too) with
 * one recording, usually in a folder. Archives of several recordings are refused.
 */
#ifndef ALOE_SIGMF_ARCHIVE_H
#define ALOE_SIGMF_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/diag.h"

struct sigmf_place {    /* of a file in the archive */
	char name[256]; /* with its folders */
	uint64_t at, bytes;
};

/* `read` gives `len` bytes of the archive from `at` on, which are always inside: 0 or -errno. */
struct sigmf_archive {
	int (*read)(void *arg, uint64_t at, void *ret_bytes, size_t len);
	void *arg;
	uint64_t bytes;   /* of the archive */
	const char *file; /* its name, for messages */
};

/* sigmf_archive_find gives the places of the .sigmf-meta and the .sigmf-data: 0, -EINVAL with the
 * reason in diag, or what `read` has given. *ret_data has no name when there is only the first. */
int sigmf_archive_find(const struct sigmf_archive *archive, struct diag *diag,
    struct sigmf_place *ret_meta, struct sigmf_place *ret_data);

#endif
