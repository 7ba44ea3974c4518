/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/report.h - the parts of the report as JSON.
 */
#ifndef ALOE_EXEC_REPORT_H
#define ALOE_EXEC_REPORT_H

#include "core/image/damage.h"
#include "core/json/json.h"
#include "daemons/exec/exec.h"

char *wave_report(const struct exec_wave *wave); /* JSON; the caller frees */
/* lanes: what a load asks for: of waveforms of the virtual clock, which have no lanes, no more than
 * name, state and clock */
char *exec_list(const struct exec *exec, bool lanes);

/* report_hist: figures of a histogram, null where it cannot be one. report_cells: those cells of a
 * histogram that have counted something, [[lowest ns, count], ...]. */
json_t *report_hist(const struct hist *hist);
json_t *report_cells(const struct hist *hist);
/* report_margin: how much time was left at deadlines. report_budget_margin: the same of calls and
 * their budget; null without one. */
json_t *report_margin(const struct image_margin *margin);
json_t *report_budget_margin(const struct hist *time, uint64_t budget_ns, uint64_t overruns);
/* report_instances: one object for each instance of the file, of all its copies together.
 * report_copies: one for each copy. */
json_t *report_instances(const struct exec_wave *wave);
json_t *report_copies(const struct exec_wave *wave);
/* report_links: one object for each link of the file. report_places: the place of each instance in
 * the order of its lane, from 1; the caller frees it; NULL without memory. */
json_t *report_links(const struct exec_wave *wave);
uint32_t *report_places(const struct exec_wave *wave);
/* report_radio: what the radio that is the clock has counted, of all channels together and of
 * each. */
json_t *report_radio(const struct exec_wave *wave);

static inline uint64_t get(const _Atomic uint64_t *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

static inline double us(double ns)
{
	return ns / 1e3;
}

/* null: the image says what no count comes to, see core/image/damage.h. */
static inline void put_u64(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(
	    object, key, value <= IMAGE_COUNT_MAX ? json_integer((json_int_t)value) : json_null());
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
