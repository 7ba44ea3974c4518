/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/follow.h - another program for a waveform that runs: the same instances on other
 * lanes, with other lags. Pure functions on two images; nothing of the first is written.
 *
 * The waveform stands between two steps: instance i, of lag r, works next on index n = steps - r.
 * With lag r' it does so in step n + r'; that step is its `first`, before it the instance rests.
 * The segments' steps begin with the earliest of these. So no index is left out or done twice, and
 * what is in flight on a link, the messages from n(reader) - delay to n(writer) - 1, is carried
 * into the new ring at the same index. The gates (core/slot/segment.h) count steps and hold as they
 * are: only how far apart two instances begin differs.
 *
 * An instance may be of another build in the other program (`upgrade` of its row is another
 * number): then its parameters, variables and component may differ, but not its ports and messages.
 *
 * 	image_follows  may this program follow that image?           at any time
 * 	image_fit      rings deep enough for what can be in flight   before image_create
 *      image_carry    counters, values, messages                    while all segments stand at one
 *                                                                   step
 */
#ifndef ALOE_IMAGE_FOLLOW_H
#define ALOE_IMAGE_FOLLOW_H

#include "core/image/image.h"

/* image_follows holds `program` (checked, see image_check) against the image that it is to
 * follow: the same instances, ports, links and processes. upgrades: there may be, and must be,
 * instances of another build. 0, or -EINVAL with words for the user in ret_why. */
int image_follows(const struct image_view *before, const void *program, bool upgrades,
    char *ret_why, size_t size);
/* image_upgraded tells whether the instance is of another build in `after` than in `before`. */
bool image_upgraded(
    const struct image_view *before, const struct image_view *after, uint32_t instance);

/* image_fit makes rings of the program deeper, and gives messages a place of their own where
 * several would share one, as what is in flight and taps demand; a tap of `before` is one of the
 * program, too. It places everything anew. -ENOBUFS when a ring would be too deep. */
int image_fit(const struct image_view *before, void *program);

/* image_ring gives a buffer of the program, which is that of a waveform that runs, a ring that
 * keeps `keep` messages for taps, and places everything anew. 0 or -ENOMEM. */
int image_ring(void *program, uint32_t buffer, uint32_t keep);

/* image_carry fills `after`, made from a program that image_fit has seen, from `before`, and gives
 * the step that its segments begin with. -EINVAL when `after` has other instances or links;
 * -ENOBUFS when messages are in flight for which there is no room (then nothing may run on `after`,
 * and `before` is as it was). */
int image_carry(
    const struct image_view *before, const struct image_view *after, uint64_t *ret_step);

/* A segment's `done` is its own next step: of a place that is `stride` steps behind its last one,
 * and says nothing of the steps between. image_steps_done: the last step that the segment has done
 * + 1; image_indices_done: the last index that a row has done + 1, where its segment has done its
 * steps; 0: none. */
uint64_t image_steps_done(const struct image_view *view, uint32_t segment);
uint64_t image_indices_done(const struct image_view *view, uint32_t instance);

/* image_next_index: the index that a row works on next, where its segment has done its steps; of a
 * place the next of its own. image_next_least, image_next_most: the least and most of all places of
 * an instance, of which `instance` is the first. All indices before the least are done. */
uint64_t image_next_index(const struct image_view *view, uint32_t instance);
uint64_t image_next_least(const struct image_view *view, uint32_t instance);
uint64_t image_next_most(const struct image_view *view, uint32_t instance);

#endif
