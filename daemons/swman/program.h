/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/program.h - from a waveform and its plan to the program of a waveform image
 * (core/image).
 *
 * swman builds it, exec checks it and puts it into memory, hosts run it, stats and tools read names
 * out of it.
 */
#ifndef DAEMONS_SWMAN_PROGRAM_H
#define DAEMONS_SWMAN_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "core/map/plan.h"

/* program_build: `slots` = how many indices to run, 0: until the sources end; load_id: of a load on
 * several nodes, else 0. 0, or -errno with the
 * reason in diag; the caller frees *ret_bytes. */
int program_build(const struct waveform *waveform, const struct plan *plan, uint64_t slots,
    uint64_t load_id, struct diag *diag, void **ret_bytes, size_t *ret_len);

#endif
