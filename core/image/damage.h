/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/damage.h - whether what moves in a waveform image can be what its hosts wrote. Nothing
 * is trusted, and nothing is followed: bounds of numbers, canaries of messages, walls. A number
 * inside its bounds may still be wrong.
 */
#ifndef ALOE_IMAGE_DAMAGE_H
#define ALOE_IMAGE_DAMAGE_H

#include "core/image/image.h"

/* no count of steps, events or nanoseconds comes as far in the life of a machine */
#define IMAGE_COUNT_MAX (1ull << 53)

struct image_damage {
	uint32_t host;  /* in whose memory; IMAGE_NONE: in that of all hosts */
	char what[256]; /* what was overwritten: a noun phrase */
};

/* image_damage_quick looks at what concerns all hosts, the numbers of the segments and the walls,
 * which is little: every few milliseconds. image_damage_all looks at every instance and at every
 * message as well. True: ret says what. */
bool image_damage_quick(const struct image_view *view, struct image_damage *ret);
bool image_damage_all(const struct image_view *view, struct image_damage *ret);

/* Parts of the quick look, for whoever runs a segment: whether what it counts can be so, where the
 * waveform has so many instances; and whether a wall of IMAGE_WALL bytes is whole. */
bool image_segment_damaged(const struct image_segment_state *state, uint32_t n_instances);
bool image_wall_broken(const uint8_t *wall);

/* Whether these can be the times of calls. */
bool image_hist_sound(const struct hist *hist);
bool image_time_sound(const struct hist_head *time);

#endif
