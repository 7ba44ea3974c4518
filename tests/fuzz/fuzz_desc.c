/* SPDX-License-Identifier: BSD-3-Clause
 * core/registry: a .desc of any bytes is refused with at least one reason, or gives tables that
 * hold what they promise. */
#include <stdlib.h>
#include <string.h>

#include "core/registry/desc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void type_check(const struct component_type *type)
{
	insist(type->name && type->summary && type->n_params <= DESC_PARAMS_MAX &&
	    type->n_vars <= DESC_VARS_MAX);
	for (size_t i = 0; i < type->n_ports; i++)
		insist(type->ports[i].types != 0 && (type->ports[i].types & ~ALOE_ANY) == 0 &&
		    type->ports[i].name);
	for (size_t i = 0; i < type->n_params; i++) {
		const struct aloe_param *param = &type->params[i];

		insist(param->offset <= DESC_STATE_BYTES_MAX && strlen(param->name) > 0);
		insist(param->kind != ALOE_KIND_ENUM || param->names);
	}
	for (size_t i = 0; i < type->n_vars; i++)
		insist(type->vars[i].offset <= DESC_STATE_BYTES_MAX - 8);
	insist(type->kmac >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct component_type *type = NULL;
	struct diag diag;
	int rc;

	diag_init(&diag);
	rc = desc_parse("fuzz.desc", (const char *)data, size, &diag, &type);
	if (rc == 0) {
		insist(type && diag.errors == 0);
		type_check(type);
		component_type_free(type);
	} else {
		insist(!type && diag.errors > 0);
	}
	diag_fini(&diag);
	return 0;
}
