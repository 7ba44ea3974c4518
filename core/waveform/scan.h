/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/scan.h - look over a waveform file before libconfig reads it.
 *
 * libconfig stops at the first thing it dislikes, wraps large numbers round, follows @include and
 * recurses as deep as the file asks. The scan says these things better, and hands on a text of the
 * same lines in which
 *   - comments are gone;
 *   - whole numbers that need more than 32 bits are marked as such, those beyond 2^53 are reals;
 *   - [ ] is ( ), so that numbers with and without a point may stand in one list;
 *   - the second setting of one name in a group, reported here, is called SCAN_TWICE + name, for
 *     the reader to skip;
 *   - the group `instances` of a waveform is cut after every SCAN_PART of its settings, and its
 *     further parts follow it as groups SCAN_MORE + number, its last digit first: libconfig
 *     compares every name of a group with all that came before, to where they differ;
 *   - a comma that is missing in a list, reported here, is put in: libconfig would make one text of
 *     two.
 * A text ends on the line on which it begins, so that a missing quote is found where it is missing.
 */
#ifndef ALOE_WAVEFORM_SCAN_H
#define ALOE_WAVEFORM_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/diag.h"

#define SCAN_TWICE "*twice"
#define SCAN_MORE "*"

enum {
	SCAN_BYTES_MAX = 8 << 20,
	SCAN_DEPTH_MAX = 16,       /* brackets inside brackets */
	SCAN_SETTINGS_MAX = 32768, /* in one group */
	SCAN_PART = 16,
	SCAN_ERRORS_MAX = 100 /* that do not end the scan */
};

/* wf_scan returns 0 and the text for libconfig (to be freed), also when it mended something;
 * -EINVAL when libconfig need not look, -ENOMEM. What is wrong is in diag. `parts`: the reader
 * knows the parts of `instances`; else the group stays whole. */
int wf_scan(
    const char *file, const char *text, size_t len, bool parts, struct diag *diag, char **ret_text);

#endif
