/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ports to files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/component/param.h"
#include "core/registry/registry.h"
#include "tools/comprun/comprun.h"

/* value_given finds the value of --OPTION PORT=VALUE. */
static const char *value_given(
    const struct comprun_bench *bench, const char *option, const char *port)
{
	const size_t len = strlen(port);
	const char *text;

	for (size_t i = 0; (text = cli_nth(bench->args, option, i)); i++)
		if (!strncmp(text, port, len) && text[len] == '=')
			return text + len + 1;
	return NULL;
}

static bool port_named(const struct comprun_bench *bench, const char *text, int output)
{
	const struct bench_port *ports = output ? bench->port_out : bench->port_in;
	const uint32_t n = output ? bench->n_out : bench->n_in;
	const size_t len = strcspn(text, "=");

	for (uint32_t i = 0; i < n; i++)
		if (strlen(ports[i].port->name) == len && !memcmp(ports[i].port->name, text, len))
			return text[len] == '=';
	return false;
}

/* Every --in, --out and --type must name a port. */
static int names_check(struct comprun_bench *bench)
{
	static const char *const options[] = {"in", "out", "type"};
	const char *text;
	int rc = 0;

	for (int o = 0; o < 3; o++)
		for (size_t i = 0; (text = cli_nth(bench->args, options[o], i)); i++)
			if (!(o != 1 && port_named(bench, text, 0)) &&
			    !(o != 0 && port_named(bench, text, 1)))
				rc = diag_error(&bench->diag, NULL, 0,
				    "--%s %s: PORT=%s is needed, with %s of %s", options[o], text,
				    o == 2 ? "TYPE" : "FILE",
				    o == 0       ? "an input"
				        : o == 1 ? "an output"
				                 : "a port",
				    bench->entry->name);
	return rc;
}

static int file_open(struct comprun_bench *bench, struct bench_port *port, uint32_t number)
{
	const bool output = port->port->output;
	const char *path = value_given(bench, output ? "out" : "in", port->port->name);

	port->name = path ? path : output ? "standard output" : "standard input";
	if (path)
		port->file = fopen(path, output ? "we" : "re");
	else if (number == 0)
		port->file = output ? stdout : stdin;
	if (path && !port->file)
		return diag_error(&bench->diag, NULL, 0, "%s: %s", path, strerror(errno));
	port->connected = port->file || (output && !(port->port->flags & ALOE_OPTIONAL));
	if (!port->connected && !(port->port->flags & ALOE_OPTIONAL))
		return diag_error(&bench->diag, NULL, 0, "input `%s` needs a file: --in %s=FILE",
		    port->port->name, port->port->name);
	return 0;
}

static uint32_t type_of_param(const struct comprun_bench *bench, const char *name)
{
	for (uint32_t i = 0; i < bench->component->params.len; i++) {
		const struct aloe_param *param = &bench->component->params.items[i];
		const double position = param_get_number(param, bench->state);
		if (!strcmp(param->name, name) && param->kind == ALOE_KIND_ENUM && position >= 0)
			return item_type_from_name(param->names[(int)position]);
	}
	return 0;
}

/* What the port says itself, a parameter of the component says, or --type; else what another such
 * port has. */
static uint32_t type_find(struct comprun_bench *bench, const struct bench_port *port)
{
	const char *word = value_given(bench, "type", port->port->name);

	if (word)
		return item_type_from_name(word);
	if (aloe_item_bytes(port->port->types))
		return port->port->types;
	if (port->port->type_param)
		return type_of_param(bench, port->port->type_param);
	for (uint32_t i = 0; i < bench->n_in + bench->n_out; i++) {
		const struct bench_port *other =
		    i < bench->n_in ? &bench->port_in[i] : &bench->port_out[i - bench->n_in];
		word = other->port->types == port->port->types
		    ? value_given(bench, "type", other->port->name)
		    : NULL;
		if (word)
			return item_type_from_name(word);
	}
	return 0;
}

static void types_text(uint32_t types, char *ret, size_t size)
{
	ret[0] = 0;
	for (uint32_t bit = 1; bit <= types; bit <<= 1)
		if (types & bit)
			snprintf(ret + strlen(ret), size - strlen(ret), " %s", item_type_name(bit));
}

/* Where nobody says which, bits are meant by what takes bits, and bytes only beside them (a third
 * value, DTX). */
static uint32_t type_or_bits(struct comprun_bench *bench, const struct bench_port *port)
{
	const uint32_t type = type_find(bench, port);

	return !type && port->port->types == (ALOE_BIT | ALOE_BYTE) ? ALOE_BIT : type;
}

static int type_set(
    struct comprun_bench *bench, const struct bench_port *port, struct aloe_format *format)
{
	const uint32_t type = type_or_bits(bench, port);
	char allowed[128];

	if (aloe_item_bytes(type) && (port->port->types & type)) {
		format->type = port->connected ? type : 0;
		return 0;
	}
	if (!port->connected)
		return 0;
	types_text(port->port->types, allowed, sizeof(allowed));
	return diag_error(&bench->diag, NULL, 0, "port `%s` needs --type %s=TYPE with one of:%s",
	    port->port->name, port->port->name, allowed);
}

int bench_ports(struct comprun_bench *bench)
{
	const struct aloe_list_ports *ports = &bench->component->ports;
	int rc = 0;

	for (uint32_t i = 0; i < ports->len; i++) {
		if (ports->items[i].output)
			bench->port_out[bench->n_out++].port = &ports->items[i];
		else
			bench->port_in[bench->n_in++].port = &ports->items[i];
	}
	rc |= names_check(bench);
	for (uint32_t i = 0; i < bench->n_in; i++) {
		rc |= file_open(bench, &bench->port_in[i], i);
		rc |= type_set(bench, &bench->port_in[i], &bench->format_in[i]);
	}
	for (uint32_t i = 0; i < bench->n_out; i++) {
		rc |= file_open(bench, &bench->port_out[i], i);
		rc |= type_set(bench, &bench->port_out[i], &bench->format_out[i]);
	}
	return rc;
}

/* ---- in a slot ------------------------------------------------------------------------ */

int bench_input(struct comprun_bench *bench, uint32_t number)
{
	const struct aloe_format *format = &bench->format_in[number];
	struct bench_port *port = &bench->port_in[number];
	const size_t item = aloe_item_bytes(format->type);
	size_t bytes = 0;

	bench->in[number] = (struct aloe_in){.data = port->data};
	if (!port->file || port->ended || !item)
		return 0;
	bytes = fread(port->data, 1, item * format->max, port->file);
	if (ferror(port->file))
		return diag_error(&bench->diag, NULL, 0, "%s: %s", port->name, strerror(errno));
	port->ended = bytes < item * format->max;
	port->leftover = bytes % item;
	if (port->leftover)
		diag_error(&bench->diag, NULL, 0, "%s ends inside an item: %zu of %zu byte%s",
		    port->name, port->leftover, item, plural(item));
	if (bytes >= item)
		bench->in[number] = (struct aloe_in){
		    .data = port->data, .len = (uint32_t)(bytes / item), .state = ALOE_VALID};
	return 0;
}

int bench_output(struct comprun_bench *bench, uint32_t number)
{
	const size_t item = aloe_item_bytes(bench->format_out[number].type);
	const struct bench_port *port = &bench->port_out[number];
	const struct aloe_out *out = &bench->out[number];

	if (!port->connected)
		return 0;
	for (size_t i = 0; i < BENCH_CANARY_BYTES; i++)
		if (port->data[item * out->max + i] != 0xa5)
			return diag_error(&bench->diag, NULL, 0,
			    "%s wrote past the end of output `%s`, which has room for %u item%s",
			    bench->entry->name, port->port->name, out->max, plural(out->max));
	if (out->len > out->max)
		return diag_error(&bench->diag, NULL, 0,
		    "%s reports %u item%s in output `%s`, which has room for %u",
		    bench->entry->name, out->len, plural(out->len), port->port->name, out->max);
	if (port->file && out->state == ALOE_VALID &&
	    fwrite(out->data, item, out->len, port->file) != out->len)
		return diag_error(&bench->diag, NULL, 0, "%s: %s", port->name, strerror(errno));
	return 0;
}
