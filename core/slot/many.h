/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/many.h - instances side by side: copies of a component that offers work_many, which are
 * neighbours in the order of their segment (image_instance.side). All of them are bound, one call
 * serves all, and what they have made is published and counted, instance by instance. They share
 * the time of the call equally.
 */
#ifndef ALOE_SLOT_MANY_H
#define ALOE_SLOT_MANY_H

#include "core/slot/segment.h"

/* many_step runs, in `step`, the instance at position `at` of the segment's order, which is not
 * called on its own: it is side by side with others, all of which are served when the first is
 * reached, or its period leaves the index out. Returns the time at the end. [slot] */
uint64_t many_step(
    struct segment *segment, uint32_t at, uint64_t step, uint64_t slot, uint64_t start);

#endif
