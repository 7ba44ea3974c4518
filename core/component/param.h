/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/component/param.h - write parameters into a component's state, as its table says.
 *
 * Whoever opened a component does this before check, shape and init, and between slots for
 * ALOE_LIVE parameters. The values were validated against the descriptor before; what would not fit
 * the field is refused all the same.
 */
#ifndef ALOE_COMPONENT_PARAM_H
#define ALOE_COMPONENT_PARAM_H

#include <aloe/component.h>

/* param_defaults writes the default of every parameter into zeroed `state`. A number without a
 * default (ALOE_NAN) is NaN in a REAL field and 0 in an INT field; TEXT and PATH are "", REALS
 * empty. */
void param_defaults(const struct aloe_component *component, void *state);

/* REAL, INT, BOOL (0, 1) and ENUM (position in names). -EINVAL: another kind, or not representable
 * (INT: not whole or beyond the field; ENUM: no such position). min and max are not looked at. */
int param_set_number(const struct aloe_param *param, void *state, double value);
/* TEXT and PATH. -EINVAL: another kind; -E2BIG: longer than the field less its terminator. */
int param_set_text(const struct aloe_param *param, void *state, const char *value);
/* REALS: the state keeps the pointer; `data` must outlive its use. -EINVAL: another kind; -E2BIG:
 * over items_max. */
int param_set_reals(const struct aloe_param *param, void *state, const float *data, uint32_t len);

/* param_is_live_array tells whether it may be another array in the next call of work. */
bool param_is_live_array(const struct aloe_param *param);
/* param_prepare calls the component's `prepare` for its live arrays as they are in the state, after
 * init: 0, or negative with setup->error; nothing is left prepared then. param_release is the
 * mirror, for the first n parameters. */
int param_prepare(const struct aloe_component *component, void *state, struct aloe_setup *setup);
void param_release(const struct aloe_component *component, void *state, uint32_t n);

/* param_get_number reads a REAL, INT, BOOL or ENUM field back; INT fields of a parameter whose
 * `min` is not negative are read as unsigned. NaN for other kinds. */
double param_get_number(const struct aloe_param *param, const void *state);

/* param_enum_find gives the position of `name` in an ENUM's names, or -1. */
int param_enum_find(const struct aloe_param *param, const char *name);

#endif
