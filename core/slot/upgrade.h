/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/upgrade.h - what a new build of an instance takes over from the old one while neither
 * works: the state, if the old component exports one and the new one imports it, and the numbers of
 * live parameters that were set since the load. [control]
 */
#ifndef ALOE_SLOT_UPGRADE_H
#define ALOE_SLOT_UPGRADE_H

#include "core/slot/instance.h"

/* instance_export returns the bytes of an instance's state, which the caller frees, and their
 * number. NULL and a number: 0 the component exports none, negative: it cannot, with words in
 * instance->setup.error. */
void *instance_export(struct instance *instance, int64_t *ret_bytes);

/* instance_take_over gives `instance`, which has been opened, the numbers that live parameters had
 * in `before` (the image in which the old build runs, under the same number) where they were set
 * since the load and not with the upgrade (image_instance.given), and then the exported state
 * (NULL: none). It shows parameters and variables in its own image. Returns 0, or a negative number
 * with words in instance->setup.error. *ret_imported tells whether the state was taken. */
int instance_take_over(struct instance *instance, const struct image_view *view,
    const struct image_view *before, const void *state, size_t bytes, bool *ret_imported);

/* instance_replace puts the new build, which is in `instance`, into `place`, where the old one is,
 * which it returns: it may be closed, and shows nothing any more. */
struct instance instance_replace(struct instance *place, const struct instance *instance);

#endif
