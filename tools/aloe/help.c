/* SPDX-License-Identifier: BSD-3-Clause
 *
 * help, version, and what components there are. */
#include <stdlib.h>
#include <string.h>

#include "core/json/json.h"
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

static int components_json(const struct registry *registry)
{
	json_t *list = json_array();
	int rc;

	for (size_t i = 0; list && i < registry_len(registry); i++) {
		const struct component_type *type = registry_at(registry, i);

		json_array_append_new(list,
		    json_pack("{s:s, s:s, s:s}", "name", type->name, "summary", type->summary,
		        "file", type->path));
	}
	list = json_pack("{s:i, s:o}", "schema", 1, "components", list);
	rc = list ? json_dumpf(list, stdout, JSON_INDENT(1)) : -1;
	printf("\n");
	json_decref(list);
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

int aloe_list_components(const struct cli_args *args)
{
	struct registry *registry = components_open();
	int status = CLI_OK;

	if (!registry)
		return CLI_FAILED;
	if (cli_has(args, "json"))
		status = components_json(registry);
	for (size_t i = 0; !cli_has(args, "json") && i < registry_len(registry); i++) {
		const struct component_type *type = registry_at(registry, i);
		if (cli_has(args, "names"))
			printf("%s\n", type->name);
		else
			printf("%-24s %s\n", type->name, type->summary);
	}
	registry_close(registry);
	return status;
}

static int help_all(const struct cli_program *program)
{
	struct registry *registry = components_open();

	cli_help(program, NULL, stdout);
	for (size_t i = 0; i < program->commands.len; i++) {
		printf("\n---- %s ----\n", program->commands.items[i].name);
		cli_help(program, &program->commands.items[i], stdout);
	}
	for (size_t i = 0; registry && i < registry_len(registry); i++) {
		printf("\n---- component %s ----\n", registry_at(registry, i)->name);
		type_print(registry_at(registry, i), stdout);
	}
	const int status = registry ? CLI_OK : CLI_FAILED;
	registry_close(registry);
	return status;
}

int aloe_help(const struct cli_args *args)
{
	const char *topic = args->n_args ? args->args[0] : NULL;
	const struct cli_command *command = topic ? cli_find(args->program, topic) : NULL;
	const struct component_type *type;
	struct registry *registry;

	if (cli_has(args, "all"))
		return help_all(args->program);
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
