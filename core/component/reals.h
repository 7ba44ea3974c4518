/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/component/reals.h - the value of an array parameter as a user gives it: numbers in text, or in a file.
 *
 *	1, 0.5, -2e-3      commas, white space or both between; [ ] around them is allowed
 *	@FILE              the same in a file, where # begins a comment that ends with the line
 *	@FILE.f32          a file of floats as they lie in this machine's memory
 */
#ifndef ALOE_COMPONENT_REALS_H
#define ALOE_COMPONENT_REALS_H

#include <aloe/component.h>

enum { REALS_MAX = 1 << 20 }; /* numbers in one value, whatever the descriptor allows */

/* reals_parse takes the numbers of a text; reals_read those of a file. 0 with an array that the caller frees, never empty;
 * -ENOMEM; -EINVAL with words in ret_why that say what was found and what is allowed (no name in front). */
int reals_parse(const char *text, float **ret, uint32_t *ret_len, char *ret_why, size_t size);
int reals_read(const char *path, float **ret, uint32_t *ret_len, char *ret_why, size_t size);

/* reals_fit holds an array against the descriptor's items_max, min and max: 0, or -EINVAL with words. */
int reals_fit(const float *data, uint32_t len, uint32_t items_max, double min, double max,
    char *ret_why, size_t size);

/* reals_print gives the text that reals_parse reads back to the same floats; the caller frees it. NULL without memory. */
char *reals_print(const float *data, uint32_t len);

#endif
