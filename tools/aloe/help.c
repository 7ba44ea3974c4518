/* SPDX-License-Identifier: BSD-3-Clause
 *
 * help, version, and what components there are. */
#include <stdlib.h>
#include <string.h>

#include "core/report/type.h"
#include "tools/aloe/commands.h"

static struct registry *components_open(void)
{
	struct registry *registry = NULL;
	struct diag diag;
	char *dirs = registry_dirs();

	diag_init(&diag);
	if (dirs)
		registry = registry_open(dirs, &diag);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	free(dirs);
	if (!registry)
		fprintf(stderr, "aloe: out of memory\n");
	return registry;
}

int aloe_list_components(const struct cli_args *args)
{
	struct registry *registry = components_open();

	if (!registry)
		return CLI_FAILED;
	for (size_t i = 0; i < registry_len(registry); i++) {
		const struct component_type *type = registry_at(registry, i);
		if (cli_has(args, "names"))
			printf("%s\n", type->name);
		else
			printf("%-24s %s\n", type->name, type->summary);
	}
	registry_close(registry);
	return CLI_OK;
}

int aloe_help(const struct cli_args *args)
{
	const char *topic = args->n_args ? args->args[0] : NULL;
	const struct cli_command *command = topic ? cli_find(args->program, topic) : NULL;
	const struct component_type *type;
	struct registry *registry;

	if (!topic || command) {
		cli_help(args->program, command, stdout);
		return CLI_OK;
	}
	registry = components_open();
	if (!registry)
		return CLI_FAILED;
	type = registry_find(registry, topic);
	if (type)
		type_print(type, stdout);
	else
		type_unknown(registry, topic, stderr);
	registry_close(registry);
	return type ? CLI_OK : CLI_USAGE;
}

int aloe_version(const struct cli_args *args)
{
	printf("%s %s\n", args->program->name, ALOE_VERSION);
	return CLI_OK;
}
