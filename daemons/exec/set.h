/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/set.h - SET: a parameter takes another value at one index.
 */
#ifndef DAEMONS_EXEC_SET_H
#define DAEMONS_EXEC_SET_H

#include "daemons/exec/exec.h"

void wave_set(struct exec_wave *wave, const struct wire_view *request);
void set_offered(struct exec_wave *wave, const struct hostlink_msg *msg); /* OFFERED, REFUSED */
void set_check(struct exec_wave *wave);

/* What exec sets of itself. set_next publishes numbers for the next index of each instance: false
 * if that cannot be now. set_taken tells from which index one holds, once it does; set_record tells
 * who keeps a recording. set_name writes a change as texts of SET_TEXT bytes; set_number is what a
 * parameter has now. */
enum { SET_TEXT = 160 };
bool set_next(struct exec_wave *wave, struct node_change *changes, unsigned n);
bool set_taken(const struct exec_wave *wave, const struct node_change *change, uint64_t *ret_index);
void set_record(const struct exec_wave *wave, const struct node_change *change, uint64_t index);
void set_name(const struct exec_wave *wave, const struct node_change *change, char *ret_name,
    char *ret_value, size_t size);
double set_number(const struct exec_wave *wave, uint32_t instance, uint32_t param);

#endif
