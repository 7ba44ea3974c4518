/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/agree.h - from which index on a replay agrees with a recording that began while its
 * waveform ran.
 */
#ifndef TOOLS_ALOE_AGREE_H
#define TOOLS_ALOE_AGREE_H

#include <stdio.h>

#include "tools/aloe/digests.h"

/* agree_judge compares run[0], which was recorded, with run[1], the replay, at the indices `from`
 * to `end` - 1, and prints what differs and from which index on nothing does. It returns how many
 * outputs differ; 1 also if there was nothing to compare. */
size_t agree_judge(const struct digests run[2], uint64_t from, uint64_t end, FILE *out);

#endif
