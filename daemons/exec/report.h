/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/report.h - the parts of the report as JSON.
 */
#ifndef ALOE_EXEC_REPORT_H
#define ALOE_EXEC_REPORT_H

#include "core/json/json.h"
#include "daemons/exec/exec.h"

/* report_cells: those cells of a histogram that have counted something, [[lowest ns, count], ...]. */
json_t *report_cells(const struct hist *hist);
/* report_instances: one object for each instance of the file, of all its copies together. report_copies: one for each copy. */
json_t *report_instances(const struct exec_wave *wave);
json_t *report_copies(const struct exec_wave *wave);
/* report_radio: what the radio that is the clock has counted, of all channels together and of each. */
json_t *report_radio(const struct exec_wave *wave);

static inline uint64_t get(const _Atomic uint64_t *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

static inline double us(double ns)
{
	return ns / 1e3;
}

static inline void put_u64(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

static inline void put_real(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, json_real_or_null(value));
}

static inline void put_text(json_t *object, const char *key, const char *text)
{
	json_t *string = json_string(text);

	json_object_set_new(object, key, string != NULL ? string : json_string("(not UTF-8)"));
}

#endif
