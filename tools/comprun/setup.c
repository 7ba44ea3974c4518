/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/simd.h"
#include "core/base/text.h"
#include "core/component/param.h"
#include "core/registry/registry.h"
#include "core/report/type.h"
#include "tools/comprun/comprun.h"

static void *setup_alloc(struct aloe_setup *setup, size_t size)
{
	const size_t total = (sizeof(struct bench_chunk) + size + 63) / 64 * 64;
	struct bench_chunk *chunk = size < SIZE_MAX / 2 ? aligned_alloc(64, total) : NULL;

	if (!chunk)
		return NULL;
	memset(chunk, 0, total);
	chunk->next = setup->arena;
	setup->arena = chunk;
	return chunk->bytes;
}

/* path_find turns the name of a component into the path of its .so; what has a / in it is a path
 * already. */
static char *path_find(struct comprun_bench *bench, const char *type)
{
	char *dirs = registry_dirs(), *path = NULL;
	struct registry *registry = NULL;
	const struct component_type *found;

	if (strchr(type, '/'))
		path = strdup(type);
	else if (dirs && (registry = registry_open(dirs, &bench->diag))) {
		found = registry_find(registry, type);
		if (found)
			path = strdup(found->path);
		else
			type_unknown(registry, type, stderr);
	}
	if (registry)
		registry_close(registry);
	free(dirs);
	return path;
}

int bench_open(struct comprun_bench *bench, const struct cli_args *args)
{
	char *path;
	int rc;

	*bench = (struct comprun_bench){.args = args};
	diag_init(&bench->diag);
	path = path_find(bench, args->args[0]);
	if (!path)
		return CLI_USAGE;
	rc = component_open(path, &bench->diag, &bench->library, &bench->entry);
	free(path);
	if (rc < 0)
		return CLI_USAGE;
	bench->component = bench->entry->component;
	bench->state = aligned_alloc(64, ((size_t)bench->component->state_size + 64) / 64 * 64);
	if (!bench->state)
		return CLI_FAILED;
	memset(bench->state, 0, bench->component->state_size);
	bench->setup = (struct aloe_setup){
	    .instance = bench->entry->name, .in = bench->format_in, .out = bench->format_out};
	bench->setup.alloc = setup_alloc;
	param_defaults(bench->component, bench->state);
	return CLI_OK;
}

/* answer_take turns a component's answer into ours. */
static int answer_take(struct comprun_bench *bench, int rc, const char *where)
{
	if (rc >= 0)
		return 0;
	if (bench->setup.error[0])
		return diag_error(&bench->diag, NULL, 0, "%s: %s: %s", bench->entry->name, where,
		    bench->setup.error);
	return diag_error(&bench->diag, NULL, 0,
	    "%s: %s returned %d and gave no reason: let %s call aloe_fail(setup, ...) before it "
	    "returns a negative number",
	    bench->entry->name, where, rc, where);
}

static int component_shape(struct comprun_bench *bench)
{
	const struct aloe_component *c = bench->component;
	uint64_t items = 1024;
	double slot_us = 10000;
	uint32_t max = 0;

	if (cli_whole(bench->args, "items", 1, 1u << 24, &items) < 0 ||
	    cli_real(bench->args, "slot-us", 0.001, 1e9, &slot_us) < 0)
		return -EINVAL;
	bench->setup.slot_ns = (uint64_t)(slot_us * 1e3);
	for (uint32_t i = 0; i < bench->n_in; i++) {
		bench->format_in[i].max = bench->port_in[i].connected ? (uint32_t)items : 0;
		max = bench->format_in[i].max > max ? bench->format_in[i].max : max;
	}
	for (uint32_t i = 0; i < bench->n_out; i++)
		bench->format_out[i].max = bench->port_out[i].connected ? max : 0;
	bench->setup.tail = c->tail;
	if (answer_take(bench, c->check ? c->check(bench->state, &bench->setup) : 0, "check") < 0)
		return -EINVAL;
	return answer_take(bench, c->shape ? c->shape(bench->state, &bench->setup) : 0, "shape");
}

static int port_memory(struct bench_port *port, const struct aloe_format *format)
{
	const size_t size = (size_t)format->max * aloe_item_bytes(format->type);

	if (!port->connected)
		return 0;
	port->data = aligned_alloc(64, (size + BENCH_CANARY_BYTES + 63) / 64 * 64);
	if (!port->data)
		return -ENOMEM;
	memset(port->data, 0, size);
	memset(port->data + size, 0xa5, BENCH_CANARY_BYTES);
	return 0;
}

static int buffers_allocate(struct comprun_bench *bench)
{
	const struct aloe_component *c = bench->component;
	const struct aloe_format *format = c->fill ? &bench->format_out[0] : &bench->format_in[0];
	const size_t size = (size_t)format->max * aloe_item_bytes(format->type);
	int rc = 0;

	for (uint32_t i = 0; i < bench->n_in; i++)
		rc |= port_memory(&bench->port_in[i], &bench->format_in[i]);
	for (uint32_t i = 0; i < bench->n_out; i++)
		rc |= port_memory(&bench->port_out[i], &bench->format_out[i]);
	for (int i = 0; i < 2 && (c->fill || c->drain); i++) {
		bench->record[i] = (struct aloe_record){
		    .max = format->max, .data = aligned_alloc(64, (size + 127) / 64 * 64)};
		rc |= bench->record[i].data ? 0 : -ENOMEM;
	}
	return rc ? diag_error(&bench->diag, NULL, 0, "out of memory for messages of %u item%s",
	                format->max, plural(format->max))
	          : 0;
}

static int choose_simd(struct comprun_bench *bench)
{
	enum simd_level level = SIMD_PLAIN;
	char why[128];

	if (simd_choose(&level, why, sizeof(why)) < 0)
		return diag_error(&bench->diag, NULL, 0, "%s", why);
	bench->setup.simd = level;
	return 0;
}

int bench_start(struct comprun_bench *bench)
{
	const char *text;
	int rc = choose_simd(bench);

	for (size_t i = 0; (text = cli_nth(bench->args, "param", i)); i++)
		rc |= bench_set(bench, text);
	rc |= bench_required(bench);
	if (rc == 0)
		rc = bench_ports(bench);
	if (rc == 0)
		rc = component_shape(bench);
	if (rc == 0)
		rc = buffers_allocate(bench);
	if (rc)
		return CLI_USAGE;
	rc = answer_take(bench,
	    bench->component->init ? bench->component->init(bench->state, &bench->setup) : 0,
	    "init");
	if (rc == 0) {
		bench->started = true;
		rc = answer_take(
		    bench, param_prepare(bench->component, bench->state, &bench->setup), "prepare");
		bench->prepared = rc == 0;
	}
	if (bench->setup.note[0])
		fprintf(stderr, "%s: %s\n", bench->entry->name, bench->setup.note);
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

static int ports_close(struct comprun_bench *bench, struct bench_port *ports, uint32_t n)
{
	int rc = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (ports[i].file && ports[i].port->output && fflush(ports[i].file) != 0)
			rc = diag_error(
			    &bench->diag, NULL, 0, "%s: %s", ports[i].name, strerror(errno));
		if (ports[i].file && ports[i].file != stdin && ports[i].file != stdout)
			fclose(ports[i].file);
		free(ports[i].data);
	}
	return rc;
}

int bench_close(struct comprun_bench *bench)
{
	int rc = 0;

	if (bench->prepared)
		param_release(bench->component, bench->state, bench->component->params.len);
	if (bench->started && bench->component->close)
		rc = answer_take(
		    bench, bench->component->close(bench->state, &bench->setup), "close");
	rc |= ports_close(bench, bench->port_in, bench->n_in);
	rc |= ports_close(bench, bench->port_out, bench->n_out);
	while (bench->setup.arena) {
		struct bench_chunk *chunk = bench->setup.arena;
		bench->setup.arena = chunk->next;
		free(chunk);
	}
	for (size_t i = 0; i < bench->n_reals; i++)
		free(bench->reals[i]);
	for (int i = 0; i < 2; i++)
		free(bench->record[i].data);
	free(bench->state);
	if (bench->library)
		component_close(bench->library);
	return rc;
}
