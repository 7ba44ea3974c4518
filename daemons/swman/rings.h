/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/rings.h - the rings of messages of a program, one for each connected output.
 */
#ifndef DAEMONS_SWMAN_RINGS_H
#define DAEMONS_SWMAN_RINGS_H

#include "daemons/swman/tables.h"

/* rings_buffer returns the number of the buffer that a row writes at an output, IMAGE_NONE: of an
 * output without readers. rings_depth returns how deep gates take the ring to be. */
uint32_t rings_buffer(const struct build *b, int row, int port);
uint32_t rings_depth(const struct build *b, uint32_t buffer);
/* rings_add adds the rows of all buffers. */
void rings_add(struct build *b);

#endif
