/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/image_walk.h - go everywhere in an image that passed its check, as a host, exec or a
 * tool would.
 */
#ifndef TESTS_COMMON_IMAGE_WALK_H
#define TESTS_COMMON_IMAGE_WALK_H

#include "core/image/image.h"

/* image_walk asks every accessor for every row, follows every number that leads to another table,
 * and touches the first and last byte of whatever it is given. Stops the program, with a word on
 * where, if anything lies outside of the mapping or of the program. Gives a sum of what it saw. */
uint64_t image_walk(const struct image_view *view);

/* image_try puts `program` (len bytes, of which at most total_max may be asked for) into a sealed
 * file as it is, opens and walks it if it passes: what image_check said. *ret_why as there. */
int image_try(const void *program, size_t len, uint64_t total_max, const char **ret_why);

#endif
