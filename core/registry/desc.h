/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/registry/desc.h - the .desc text: a component's tables as one JSON object, one-to-one.
 *
 *         {"schema": 1, "abi": 5, "name": "gain", "summary": "...", "doc": null, "state_size": 4,
 *          "kmac": 1, "mix": null, "tail": 0, "stateless": true, "callbacks": ["work"],
 *          "ports": [{"name": "in", "direction": "in", "types": ["cf32"], "optional": false,
 *                     "type_param": null, "doc": "..."}, ...],
 *          "params": [{"name": "gain", "kind": "real", "live": true, "required": false, "size": 4,
 *                      "offset": 0, "default": 1.0, "min": 0.0, "max": 1000.0, "text": null,
 *                      "names": null, "items_max": 0, "unit": "", "doc": "..."}],
 * 	 "variables": [{"name": "...", "kind": "u64", "offset": 8, "unit": "", "doc": "..."}]}
 *
 * `default`, `min` and `max` are null where the table has NaN or an infinity.
 */
#ifndef ALOE_REGISTRY_DESC_H
#define ALOE_REGISTRY_DESC_H

#include "core/registry/registry.h"

enum {
	DESC_SCHEMA = 1,
	DESC_BYTES_MAX = 1 << 20,
	DESC_PARAMS_MAX = 256,
	DESC_VARS_MAX = 256,
	DESC_STATE_BYTES_MAX = 1 << 28
};

/* desc_parse reads the text of a .desc (`file` is only its name, for messages) and checks that
 * every table makes sense: unique names, known kinds and types, fields inside the state, defaults
 * inside their range. 0, or -EINVAL with all that is wrong in diag, or -ENOMEM. The caller frees
 * with component_type_free. `path` of the result is NULL. */
int desc_parse(
    const char *file, const char *text, size_t len, struct diag *diag, struct component_type **ret);
void component_type_free(struct component_type *type);

#endif
