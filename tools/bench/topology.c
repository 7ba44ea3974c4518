/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/topology.h"

#include <stdlib.h>

#include "core/report/report.h"
#include "tools/bench/conf.h"
#include "tools/bench/run.h"

unsigned topology_lane(const struct topology *topology, unsigned pipe)
{
	return topology->lanes - 1 -
	    (topology->pipes - 1 - pipe) * topology->lanes / topology->pipes;
}

/* What stands behind the name of a lane's source. */
static void number_print(const struct topology *topology, unsigned lane, char *ret, size_t size)
{
	ret[0] = 0;
	if (topology->sources)
		snprintf(ret, size, "%u", lane);
}

static void instances_print(const struct topology *topology, FILE *out)
{
	fputs("instances: {\n", out);
	for (unsigned l = 0; l < (topology->sources ? topology->lanes : 1); l++) {
		char name[16];

		number_print(topology, l, name, sizeof(name));
		fprintf(out, "\tsource%s: { %s pin = %u; };\n", name, topology->source, l);
		if (topology->head)
			fprintf(out, "\thead%s: { %s pin = %u; };\n", name, topology->head, l);
	}
	for (unsigned p = 0; p < topology->pipes; p++) {
		const unsigned lane = topology_lane(topology, p);

		for (unsigned s = 0; s < topology->stages; s++)
			fprintf(out, "\tp%u_%u: { %s pin = %u; };\n", p, s, topology->stage, lane);
		fprintf(out, "\tk%u: { %s pin = %u; };\n", p, topology->sink, lane);
	}
	fputs("};\n", out);
}

static void links_print(const struct topology *topology, FILE *out)
{
	char name[16];

	fprintf(out, "links = (");
	for (unsigned l = 0; topology->head && l < (topology->sources ? topology->lanes : 1); l++) {
		number_print(topology, l, name, sizeof(name));
		fprintf(out, "\"source%s -> head%s\",\n\t", name, name);
	}
	for (unsigned p = 0; p < topology->pipes; p++) {
		number_print(topology, topology_lane(topology, p), name, sizeof(name));
		fprintf(
		    out, "%s\"%s%s", p ? ",\n\t" : "", topology->head ? "head" : "source", name);
		for (unsigned s = 0; s < topology->stages; s++)
			fprintf(out, " -> p%u_%u", p, s);
		fprintf(out, " -> k%u\"", p);
	}
	fputs(");\n", out);
}

int topology_write(
    const struct bench *bench, const struct topology *topology, char *ret_path, size_t size)
{
	struct conf conf;
	FILE *out = conf_begin(&conf);

	if (!out)
		return CLI_FAILED;
	fprintf(out, "name = \"%s\";\nslot_ns = 1000000;\n", topology->name);
	instances_print(topology, out);
	links_print(topology, out);
	return conf_end(&conf, bench, topology->name, ret_path, size);
}

int topology_sinks(const struct bench *bench, const struct topology *topology, const json_t *report,
    bool (*sound)(const json_t *variables, const void *wanted), const void *wanted)
{
	for (unsigned p = 0; p < topology->pipes; p++) {
		char name[16], *text;
		const json_t *variables;

		snprintf(name, sizeof(name), "k%u", p);
		variables = json_object_get(report_instance(report, name), "variables");
		if (variables && sound(variables, wanted))
			continue;
		text = json_dumps(variables, JSON_ENCODE_ANY);
		fprintf(stderr, "%s %s: sink %s did not receive what was sent: %s\n",
		    bench->args->program->name, bench->args->command->name, name,
		    text ? text : "nothing");
		free(text);
		return CLI_FAILED;
	}
	return CLI_OK;
}
