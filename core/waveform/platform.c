/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/waveform/platform.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/address.h"
#include "core/base/text.h"
#include "core/registry/registry.h"
#include "core/waveform/parse.h"
#include "core/waveform/platform_kinds.h"
#include "core/waveform/scan.h"

static const char *const kinds[] = {"full", "half", "bus", NULL};
const char *const platform_transports[] = {"tcp", "udp", "dpdk", NULL};
static const char *const node_clocks[] = {"tai", "network", NULL};
static const char *const root_keys[] = {
    "name", "margin", "assume_builds", "nodes", "links", "radio", "secure"};
static const char *const node_keys[] = {"mmac_per_s", "cores", "arch", "base_us", "module_us",
    "noise_us", "handover_us", "memory_mb", "address", "manager", "lanes", "housekeeping", "shared",
    "key", "clock", "radios", "kinds", "port", "eal"};
static const char *const link_keys[] = {
    "nodes", "mbit_per_s", "kind", "delay", "transport", "message_us", "byte_ns"};

#define KEYS(keys) keys, sizeof(keys) / sizeof((keys)[0])

struct platform_reader {
	struct wf_parse parse;
	char *name;
	double margin;
	bool assume_builds, secure;
	struct platform_node *nodes;
	size_t n_nodes;
	struct platform_core *cores;
	int *cpus;
	size_t n_cores;
	struct platform_link *links;
	size_t n_links;
};

/* Refuses keys that are not among `keys`. */
static void keys_check(struct platform_reader *reader, const config_setting_t *group,
    const char *what, const char *const *keys, size_t n)
{
	for (int i = 0; i < config_setting_length(group) && wf_enough(&reader->parse) == 0; i++) {
		const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
		const char *key = config_setting_name(setting);
		char text[512];
		bool known = strncmp(key, SCAN_TWICE, strlen(SCAN_TWICE)) == 0;

		for (size_t k = 0; k < n; k++)
			known |= strcmp(key, keys[k]) == 0;
		if (!known)
			diag_error(reader->parse.diag, reader->parse.file,
			    (int)config_setting_source_line(setting),
			    "unknown key \"%.60s\" of a %s%s", key, what,
			    diag_suggest(key, keys, n, text, sizeof(text)));
	}
}

/* The value of a key; false if it is not there. */
static bool key_find(const struct platform_reader *reader, const config_setting_t *group,
    const char *key, struct wf_raw *ret)
{
	const config_setting_t *setting = config_setting_get_member(group, key);

	if (setting)
		*ret = wf_raw_setting(&reader->parse, setting);
	return setting != NULL;
}

static void real_want(struct platform_reader *reader, const config_setting_t *group,
    const char *where, const char *key, double min, double max, const char *unit, double scale,
    double *ret)
{
	struct wf_raw raw;
	char name[160];
	double value;

	snprintf(name, sizeof(name), "%s%s%s", where, where[0] ? "." : "", key);
	if (key_find(reader, group, key, &raw) &&
	    wf_want_real(&raw, name, min, max, unit, reader->parse.diag, &value) == 0)
		*ret = value * scale;
}

static void whole_want(struct platform_reader *reader, const config_setting_t *group,
    const char *where, const char *key, double max, const char *unit, double *ret)
{
	struct wf_raw raw;
	char name[160];

	snprintf(name, sizeof(name), "%s.%s", where, key);
	if (key_find(reader, group, key, &raw))
		(void)wf_want_int(&raw, name, 1, max, unit, reader->parse.diag, ret);
}

/* ---- nodes ------------------------------------------------------------------------ */

/* One rate for each core: a number for all, or a list. */
static int rates_read(struct platform_reader *reader, const config_setting_t *group,
    const char *name, size_t n, double *rates)
{
	struct diag *diag = reader->parse.diag;
	struct wf_raw raw;
	char key[96];
	double *list = NULL, rate = 0;
	size_t len = 0;
	int rc;

	snprintf(key, sizeof(key), "%s.mmac_per_s", name);
	if (!key_find(reader, group, "mmac_per_s", &raw)) {
		diag_error(diag, reader->parse.file, (int)config_setting_source_line(group),
		    "node \"%s\" has no mmac_per_s; mmac_per_s = R is needed (million MACs per "
		    "second of a core)",
		    name);
		return 0;
	}
	if (!config_setting_is_list(raw.setting)) {
		if (wf_want_real(&raw, key, 0.001, 1e9, "MMAC/s", diag, &rate) == 0)
			for (size_t i = 0; i < n; i++)
				rates[i] = rate;
		return 0;
	}
	rc = wf_want_numbers(&raw, key, false, 0.001, 1e9, PLATFORM_CORES_MAX, diag, &list, &len);
	if (rc == 0 && len != n)
		diag_error(diag, raw.where, raw.line,
		    "%s has %zu item%s, but the node has %zu "
		    "core%s",
		    key, len, plural(len), n, plural(n));
	for (size_t i = 0; rc == 0 && len == n && i < n; i++)
		rates[i] = list[i];
	free(list);
	return rc == -ENOMEM ? rc : 0;
}

static int cores_add(
    struct platform_reader *reader, const config_setting_t *group, uint32_t node, size_t n)
{
	const size_t total = reader->n_cores + n;
	double *rates = calloc(n, sizeof(*rates));
	struct platform_core *cores = realloc(reader->cores, total * sizeof(*cores));
	int *cpus, rc = rates && cores ? 0 : -ENOMEM;

	reader->cores = cores ? cores : reader->cores;
	cpus = realloc(reader->cpus, total * sizeof(*cpus));
	reader->cpus = cpus ? cpus : reader->cpus;
	if (!rc && cpus)
		rc = rates_read(reader, group, reader->nodes[node].name, n, rates);
	else
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++) {
		reader->cpus[reader->n_cores] = (int)reader->n_cores;
		reader->cores[reader->n_cores++] = (struct platform_core){.node = node,
		    .kind = platform_kind_of(&reader->nodes[node], i),
		    .mmac_per_s = rates[i]};
	}
	free(rates);
	return rc;
}

static int arch_read(
    struct platform_reader *reader, const config_setting_t *group, struct platform_node *node)
{
	const char *arches[COMPONENT_ARCHES + 1];
	struct wf_raw raw;
	char name[96];
	int choice;

	for (unsigned arch = 0; arch <= COMPONENT_ARCHES; arch++)
		arches[arch] = component_arch_name(arch);

	snprintf(name, sizeof(name), "%s.arch", node->name);
	if (!key_find(reader, group, "arch", &raw) ||
	    wf_want_choice(&raw, name, arches, reader->parse.diag, &choice) < 0)
		return 0;
	node->arch = strdup(arches[choice]);
	return node->arch ? 0 : -ENOMEM;
}

/* ---- a node that is to run ---- */

/* Says that what `key` of a node is contradicts something, at the key's line. */
__attribute__((format(printf, 4, 5))) static void node_error(struct platform_reader *reader,
    const config_setting_t *group, const char *key, const char *format, ...)
{
	const config_setting_t *setting = config_setting_get_member(group, key);
	char text[400];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	diag_error(reader->parse.diag, reader->parse.file,
	    (int)config_setting_source_line(setting ? setting : group), "%s", text);
}

static void bool_want(struct platform_reader *reader, const config_setting_t *group,
    const char *node, const char *key, bool *ret)
{
	struct wf_raw raw;
	char name[160];

	snprintf(name, sizeof(name), "%s.%s", node, key);
	if (key_find(reader, group, key, &raw))
		(void)wf_want_bool(&raw, name, reader->parse.diag, ret);
}

/* A text of the node, "" if it is not there or wrong. */
static const char *text_of(struct platform_reader *reader, const config_setting_t *group,
    const char *node, const char *key)
{
	struct wf_raw raw;
	const char *text = "";
	char name[160];

	snprintf(name, sizeof(name), "%s.%s", node, key);
	if (key_find(reader, group, key, &raw))
		(void)wf_want_text(&raw, name, reader->parse.diag, &text);
	return text;
}

static int address_read(
    struct platform_reader *reader, const config_setting_t *group, struct platform_node *node)
{
	const char *text = text_of(reader, group, node->name, "address");
	struct address address;

	if (!config_setting_get_member(group, "address"))
		return 0;
	if (address_parse(text, &address) < 0)
		node_error(reader, group, "address",
		    "%s.address = \"%.60s\" is not understood; " ADDRESS_FORM, node->name, text);
	else if (address.any || address.port == 0)
		node_error(reader, group, "address",
		    "%s.address = \"%.60s\" is no place to connect to; the address of one machine "
		    "and its port are needed",
		    node->name, text);
	node->address = strdup(text);
	return node->address ? 0 : -ENOMEM;
}

static int key_read(
    struct platform_reader *reader, const config_setting_t *group, struct platform_node *node)
{
	const char *text = text_of(reader, group, node->name, "key");

	if (!config_setting_get_member(group, "key"))
		return 0;
	if (!text_is_key(text))
		node_error(reader, group, "key",
		    "%s.key is no public key; %d characters of Z85 are needed, as `aloe keys list` "
		    "prints them on that node",
		    node->name, TEXT_KEY_CHARS);
	node->key = strdup(text);
	return node->key ? 0 : -ENOMEM;
}

static bool cpu_in(const struct platform_cpus *cpus, size_t n, int cpu)
{
	bool in = false;

	for (size_t i = 0; i < n; i++)
		in |= cpus->items[i] == cpu;
	return in;
}

static int cpus_read(struct platform_reader *reader, const config_setting_t *group,
    const char *node, const char *key, struct platform_cpus *ret)
{
	struct wf_raw raw;
	double *list = NULL;
	char name[160];
	size_t n = 0;
	int rc;

	snprintf(name, sizeof(name), "%s.%s", node, key);
	if (!key_find(reader, group, key, &raw))
		return 0;
	rc = wf_want_numbers(
	    &raw, name, true, 0, WF_CPU_MAX, PLATFORM_CORES_MAX, reader->parse.diag, &list, &n);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	ret->items = calloc(n, sizeof(*ret->items));
	for (size_t i = 0; ret->items && i < n; i++) {
		ret->items[i] = (int)list[i];
		if (cpu_in(ret, i, ret->items[i]))
			node_error(
			    reader, group, key, "%s names CPU %d twice", name, ret->items[i]);
	}
	ret->n = ret->items ? n : 0;
	free(list);
	return ret->items ? 0 : -ENOMEM;
}

/* One text or a list of texts, none twice. */
static int names_read(struct platform_reader *reader, const config_setting_t *group,
    const char *node, const char *key, struct platform_names *ret)
{
	const config_setting_t *setting = config_setting_get_member(group, key);
	const bool list = setting && config_setting_is_list(setting);
	const int n = list ? config_setting_length(setting) : setting ? 1 : 0;
	char name[160];

	snprintf(name, sizeof(name), "%s.%s", node, key);
	ret->items = calloc((size_t)n + 1, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		const struct wf_raw raw = wf_raw_setting(
		    &reader->parse, list ? config_setting_get_elem(setting, (unsigned)i) : setting);
		const char *text = NULL;
		char *copy;

		if (wf_want_text(&raw, name, reader->parse.diag, &text) < 0 || !text)
			continue;
		for (size_t k = 0; k < ret->n; k++)
			if (ret->items[k] && strcmp(ret->items[k], text) == 0)
				node_error(
				    reader, group, key, "%s names \"%.80s\" twice", name, text);
		copy = strdup(text);
		if (!copy)
			return -ENOMEM;
		ret->items[ret->n++] = copy;
	}
	return 0;
}

static void cpus_check(struct platform_reader *reader, const config_setting_t *group,
    const struct platform_node *node, double *cores)
{
	const size_t n = node->lanes.n;

	for (size_t i = 0; i < node->housekeeping.n; i++)
		if (cpu_in(&node->lanes, n, node->housekeeping.items[i]))
			node_error(reader, group, "housekeeping",
			    "CPU %d of node \"%s\" is in lanes and in housekeeping; a lane has its "
			    "CPU alone",
			    node->housekeeping.items[i], node->name);
	if (n == 0)
		return;
	if (config_setting_get_member(group, "cores") && *cores != (double)n)
		node_error(reader, group, "lanes",
		    "node \"%s\" has %zu lane%s, but cores = %.0f; one core for each lane is "
		    "needed",
		    node->name, n, plural((double)n), *cores);
	else
		*cores = (double)n;
}

static void clock_read(
    struct platform_reader *reader, const config_setting_t *group, struct platform_node *node)
{
	struct wf_raw raw;
	char name[96];
	int choice = 0;

	snprintf(name, sizeof(name), "%s.clock", node->name);
	if (key_find(reader, group, "clock", &raw))
		(void)wf_want_choice(&raw, name, node_clocks, reader->parse.diag, &choice);
	node->network = choice == 1;
	if (node->network && node->manager)
		node_error(reader, group, "clock",
		    "node \"%s\" is the manager, whose clock the others with clock = \"network\" "
		    "follow; its own is \"tai\"",
		    node->name);
}

static int text_read(struct platform_reader *reader, const config_setting_t *group,
    const char *node, const char *key, char **ret)
{
	struct wf_raw raw;
	char name[96];
	const char *text = "";

	snprintf(name, sizeof(name), "%s.%s", node, key);
	if (key_find(reader, group, key, &raw))
		(void)wf_want_text(&raw, name, reader->parse.diag, &text);
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

/* What only matters where the node runs; `cores` follows from its lanes. */
static int running_read(struct platform_reader *reader, const config_setting_t *group,
    struct platform_node *node, double *cores)
{
	int rc = address_read(reader, group, node);

	rc = rc ? rc : key_read(reader, group, node);
	rc = rc ? rc : cpus_read(reader, group, node->name, "lanes", &node->lanes);
	rc = rc ? rc : cpus_read(reader, group, node->name, "housekeeping", &node->housekeeping);
	rc = rc ? rc : names_read(reader, group, node->name, "radios", &node->radios);
	rc = rc ? rc : text_read(reader, group, node->name, "port", &node->port);
	rc = rc ? rc : text_read(reader, group, node->name, "eal", &node->eal);
	if (rc)
		return rc;
	cpus_check(reader, group, node, cores);
	bool_want(reader, group, node->name, "manager", &node->manager);
	bool_want(reader, group, node->name, "shared", &node->shared);
	clock_read(reader, group, node);
	if (node->manager && !node->address)
		node_error(reader, group, "manager",
		    "node \"%s\" is the manager and has no address; address = \"IP:PORT\" is "
		    "needed",
		    node->name);
	if (node->key && !reader->secure)
		node_error(reader, group, "key",
		    "node \"%s\" has a key, but secure = false; remove one of the two", node->name);
	return 0;
}

static int node_read(struct platform_reader *reader, const config_setting_t *group)
{
	struct platform_node *node = &reader->nodes[reader->n_nodes];
	const int line = (int)config_setting_source_line(group);
	double n = 1;

	node->name = strdup(config_setting_name(group));
	if (!node->name)
		return -ENOMEM;
	reader->n_nodes++;
	if (!config_setting_is_group(group)) {
		diag_error(reader->parse.diag, reader->parse.file, line,
		    "node \"%.60s\": NAME: { mmac_per_s = ...; }; is needed", node->name);
		return 0;
	}
	if (!text_is_name(node->name))
		diag_error(reader->parse.diag, reader->parse.file, line,
		    "node \"%.80s\": the name is not allowed; a name is a letter, then letters, "
		    "digits and _, at most 63 characters",
		    node->name);
	keys_check(reader, group, "node", KEYS(node_keys));
	whole_want(reader, group, node->name, "cores", PLATFORM_CORES_MAX, "", &n);
	real_want(reader, group, node->name, "base_us", 0, 1e9, "us", 1e3, &node->base_ns);
	real_want(reader, group, node->name, "module_us", 0, 1e9, "us", 1e3, &node->module_ns);
	real_want(reader, group, node->name, "noise_us", 0, 1e9, "us", 1e3, &node->noise_ns);
	real_want(reader, group, node->name, "handover_us", 0, 1e9, "us", 1e3, &node->handover_ns);
	real_want(reader, group, node->name, "memory_mb", 0, 1e9, "MB", 1e6, &node->memory_bytes);
	if (running_read(reader, group, node, &n) < 0 ||
	    platform_kinds_read(&reader->parse, group, node, &n) < 0)
		return -ENOMEM;
	if (reader->n_cores + (size_t)n > PLATFORM_CORES_MAX) {
		diag_error(reader->parse.diag, reader->parse.file, line,
		    "the platform has more "
		    "than %d cores",
		    PLATFORM_CORES_MAX);
		return 0;
	}
	if (arch_read(reader, group, node) < 0)
		return -ENOMEM;
	return cores_add(reader, group, (uint32_t)(reader->n_nodes - 1), (size_t)n);
}

/* Two nodes at one address, or with one key. */
static void same_check(struct platform_reader *reader, const config_setting_t *nodes, size_t b)
{
	const struct platform_node *node = &reader->nodes[b];
	const config_setting_t *group = config_setting_get_member(nodes, node->name);
	struct address address, other;

	for (size_t a = 0; group && a < b; a++) {
		const struct platform_node *before = &reader->nodes[a];

		if (node->address && before->address &&
		    address_parse(node->address, &address) == 0 &&
		    address_parse(before->address, &other) == 0 && address_same(&address, &other))
			node_error(reader, group, "address",
			    "nodes \"%s\" and \"%s\" have the same address %s; each needs its own",
			    before->name, node->name, node->address);
		if (node->key && before->key && strcmp(node->key, before->key) == 0)
			node_error(reader, group, "key",
			    "nodes \"%s\" and \"%s\" have the same key; each needs its own",
			    before->name, node->name);
	}
}

/* What the nodes are to each other. */
static void together_check(struct platform_reader *reader, const config_setting_t *nodes)
{
	const struct platform_node *manager = NULL, *with = NULL;
	const size_t n = reader->n_nodes;

	for (size_t i = 0; i < n; i++)
		with = !with && reader->nodes[i].address ? &reader->nodes[i] : with;
	for (size_t i = 0; i < n; i++) {
		const struct platform_node *node = &reader->nodes[i];
		const config_setting_t *group = config_setting_get_member(nodes, node->name);

		same_check(reader, nodes, i);
		if (group && with && !node->address)
			node_error(reader, group, "address",
			    "node \"%s\" has no address, but node \"%s\" has; all nodes or none "
			    "have one",
			    node->name, with->name);
		if (group && node->manager && manager)
			node_error(reader, group, "manager",
			    "nodes \"%s\" and \"%s\" are both the manager; one is needed",
			    manager->name, node->name);
		manager = node->manager && !manager ? node : manager;
	}
	if (with && !manager)
		diag_error(reader->parse.diag, reader->parse.file,
		    (int)config_setting_source_line(nodes),
		    "no node is the manager; manager = true of one node is needed where nodes have "
		    "addresses");
}

static int nodes_read(struct platform_reader *reader, const config_setting_t *root)
{
	const config_setting_t *nodes = config_setting_get_member(root, "nodes");
	const int n = nodes && config_setting_is_group(nodes) ? config_setting_length(nodes) : 0;
	int rc = 0;

	if (n == 0 || n > PLATFORM_NODES_MAX) {
		diag_error(reader->parse.diag, reader->parse.file,
		    nodes ? (int)config_setting_source_line(nodes) : 1,
		    "%s; nodes: { NAME: { mmac_per_s = ...; }; }; with 1 .. %d nodes is needed",
		    nodes ? (n ? "nodes has too many nodes" : "nodes has no node")
		          : "nodes is missing",
		    PLATFORM_NODES_MAX);
		return 0;
	}
	reader->nodes = calloc((size_t)n, sizeof(*reader->nodes));
	if (!reader->nodes)
		return -ENOMEM;
	for (int i = 0; i < n && rc == 0; i++) {
		const config_setting_t *group = config_setting_get_elem(nodes, (unsigned)i);

		if (strncmp(config_setting_name(group), SCAN_TWICE, strlen(SCAN_TWICE)) != 0)
			rc = node_read(reader, group);
		if (rc == 0)
			rc = wf_enough(&reader->parse);
	}
	if (rc == 0)
		together_check(reader, nodes);
	return rc;
}

/* ---- links ------------------------------------------------------------------------ */

static void unknown_node(struct platform_reader *reader, const struct wf_raw *raw, const char *word)
{
	const char *names[PLATFORM_NODES_MAX];
	char text[512];

	for (size_t i = 0; i < reader->n_nodes; i++)
		names[i] = reader->nodes[i].name;
	diag_error(reader->parse.diag, raw->where, raw->line, "unknown node \"%.60s\"%s", word,
	    diag_suggest(word, names, reader->n_nodes, text, sizeof(text)));
}

static void end_read(
    struct platform_reader *reader, const config_setting_t *item, struct platform_link *link)
{
	const struct wf_raw raw = wf_raw_setting(&reader->parse, item);
	const char *word;
	size_t node = 0;

	if (wf_want_text(&raw, "nodes", reader->parse.diag, &word) < 0)
		return;
	while (node < reader->n_nodes && strcmp(reader->nodes[node].name, word) != 0)
		node++;
	if (node == reader->n_nodes) {
		unknown_node(reader, &raw, word);
		return;
	}
	for (size_t i = 0; i < link->n_nodes; i++)
		if (link->nodes[i] == node) {
			diag_error(reader->parse.diag, raw.where, raw.line,
			    "a link names node \"%s\" twice", word);
			return;
		}
	link->nodes[link->n_nodes++] = (uint32_t)node;
}

static int ends_read(
    struct platform_reader *reader, const config_setting_t *group, struct platform_link *link)
{
	const config_setting_t *nodes = config_setting_get_member(group, "nodes");
	const bool list = nodes && config_setting_is_list(nodes);
	const int n = list ? config_setting_length(nodes) : 0;
	const int most = link->kind == PLATFORM_BUS ? PLATFORM_NODES_MAX : 2;

	if (n < 2 || n > most) {
		diag_error(reader->parse.diag, reader->parse.file,
		    (int)config_setting_source_line(nodes ? nodes : group),
		    "a \"%s\" link has %d node%s; nodes = [\"A\", \"B\"] with %s is needed",
		    kinds[link->kind], n, plural(n),
		    most == 2 ? "2 (a \"bus\" has more)" : "2 or more");
		return 0;
	}
	link->nodes = calloc((size_t)n, sizeof(*link->nodes));
	if (!link->nodes)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		end_read(reader, config_setting_get_elem(nodes, (unsigned)i), link);
	return 0;
}

static int link_read(struct platform_reader *reader, const config_setting_t *group)
{
	struct platform_link *link = &reader->links[reader->n_links];
	struct wf_raw raw;
	double delay = 2;
	int choice = PLATFORM_FULL;

	if (!config_setting_is_group(group)) {
		diag_error(reader->parse.diag, reader->parse.file,
		    (int)config_setting_source_line(group),
		    "a link is { nodes = [\"A\", \"B\"]; mbit_per_s = ...; }");
		return 0;
	}
	reader->n_links++;
	keys_check(reader, group, "link", KEYS(link_keys));
	if (key_find(reader, group, "kind", &raw))
		(void)wf_want_choice(&raw, "kind", kinds, reader->parse.diag, &choice);
	link->kind = (enum platform_kind)choice;
	link->delay_given = key_find(reader, group, "delay", &raw);
	if (link->delay_given)
		(void)wf_want_int(
		    &raw, "delay", 1, PLATFORM_DELAY_MAX, "slots", reader->parse.diag, &delay);
	link->delay = (uint32_t)delay;
	choice = PLATFORM_TCP;
	if (key_find(reader, group, "transport", &raw))
		(void)wf_want_choice(
		    &raw, "transport", platform_transports, reader->parse.diag, &choice);
	link->transport = (enum platform_transport)choice;
	link->line = (int)config_setting_source_line(group);
	real_want(reader, group, "", "mbit_per_s", 0.001, 1e9, "Mbit/s", 1, &link->mbit_per_s);
	real_want(reader, group, "", "message_us", 0, 1e6, "us", 1e3, &link->message_ns);
	real_want(reader, group, "", "byte_ns", 0, 1e6, "ns", 1, &link->byte_ns);
	if (!config_setting_get_member(group, "mbit_per_s"))
		diag_error(reader->parse.diag, reader->parse.file,
		    (int)config_setting_source_line(group),
		    "the link has no mbit_per_s; mbit_per_s = B is needed");
	return ends_read(reader, group, link);
}

static int links_read(struct platform_reader *reader, const config_setting_t *root)
{
	const config_setting_t *links = config_setting_get_member(root, "links");
	const int n = links && config_setting_is_list(links) ? config_setting_length(links) : 0;
	int rc = 0;

	if (links && (!config_setting_is_list(links) || n > PLATFORM_LINKS_MAX))
		diag_error(reader->parse.diag, reader->parse.file,
		    (int)config_setting_source_line(links),
		    "links is not a list of at most %d links; links = ( { nodes = [\"A\", \"B\"]; "
		    "... }, ... ) is needed",
		    PLATFORM_LINKS_MAX);
	if (!n || n > PLATFORM_LINKS_MAX)
		return 0;
	reader->links = calloc((size_t)n, sizeof(*reader->links));
	if (!reader->links)
		return -ENOMEM;
	for (int i = 0; i < n && rc == 0; i++) {
		rc = link_read(reader, config_setting_get_elem(links, (unsigned)i));
		if (rc == 0)
			rc = wf_enough(&reader->parse);
	}
	return rc;
}

/* ---- the whole ------------------------------------------------------------------------ */

static int root_read(struct platform_reader *reader, const config_setting_t *root)
{
	struct wf_raw raw;
	const char *name = "";
	int rc;

	keys_check(reader, root, "platform", KEYS(root_keys));
	if (!key_find(reader, root, "name", &raw))
		diag_error(reader->parse.diag, reader->parse.file, 1,
		    "name is missing; name = \"...\" is needed");
	else if (wf_want_text(&raw, "name", reader->parse.diag, &name) == 0 &&
	    (!name[0] || strlen(name) > 63))
		diag_error(reader->parse.diag, raw.where, raw.line,
		    "name = \"%.80s\"; 1 to 63 characters are needed", name);
	reader->name = strdup(name);
	if (!reader->name)
		return -ENOMEM;
	real_want(reader, root, "", "margin", 0, 0.9, "", 1, &reader->margin);
	if (key_find(reader, root, "assume_builds", &raw))
		(void)wf_want_bool(
		    &raw, "assume_builds", reader->parse.diag, &reader->assume_builds);
	if (key_find(reader, root, "secure", &raw))
		(void)wf_want_bool(&raw, "secure", reader->parse.diag, &reader->secure);
	rc = nodes_read(reader, root);
	return rc ? rc : links_read(reader, root);
}

static int file_read_text(struct platform_reader *reader, const char *text)
{
	struct diag *diag = reader->parse.diag;
	config_t config;
	int rc = 0;

	config_init(&config);
	if (config_read_string(&config, text) != CONFIG_TRUE)
		wf_report_syntax(&reader->parse, &config);
	else
		rc = root_read(reader, config_root_setting(&config));
	config_destroy(&config);
	if (rc == -E2BIG)
		diag_error(diag, reader->parse.file, 0,
		    "%zu error%s; the rest of the file was not checked",
		    diag->errors - reader->parse.errors_before,
		    plural(diag->errors - reader->parse.errors_before));
	return rc;
}

static void model_give(struct platform_reader *reader, struct platform_model *model)
{
	*model = (struct platform_model){
	    .cpus = reader->cpus,
	    .n_lanes = reader->n_cores,
	    .mmac_per_s = reader->n_cores ? reader->cores[0].mmac_per_s : 0,
	    .cores = reader->cores,
	    .name = reader->name,
	    .margin = reader->margin,
	    .assume_builds = reader->assume_builds,
	    .insecure = !reader->secure,
	    .nodes = reader->nodes,
	    .n_nodes = reader->n_nodes,
	    .links = reader->links,
	    .n_links = reader->n_links,
	};
}

int platform_parse(
    const char *file, const char *text, size_t len, struct diag *diag, struct platform_model **ret)
{
	struct platform_reader reader = {.secure = true,
	    .parse = {.file = file,
	        .text = text,
	        .text_len = len,
	        .diag = diag,
	        .errors_before = diag->errors}};
	struct platform_model *model = calloc(1, sizeof(*model));
	const size_t lines_before = diag->len;
	char *clean = NULL;
	int rc = model ? wf_scan(file, text, len, false, diag, &clean) : -ENOMEM;

	if (rc == 0)
		rc = file_read_text(&reader, clean);
	free(clean);
	if (model)
		model_give(&reader, model);
	if (rc == 0 && diag->errors == reader.parse.errors_before) {
		*ret = model;
		return 0;
	}
	if (model)
		platform_free(model);
	if (rc == -ENOMEM)
		diag_error(diag, file, 0, "no memory");
	wf_sort_lines(&reader.parse, lines_before);
	diag_fold(diag, lines_before);
	return -EINVAL;
}

void platform_free(struct platform_model *platform)
{
	if (!platform)
		return;
	for (size_t i = 0; i < platform->n_nodes; i++) {
		free(platform->nodes[i].name);
		free(platform->nodes[i].arch);
		free(platform->nodes[i].address);
		free(platform->nodes[i].key);
		free(platform->nodes[i].port);
		free(platform->nodes[i].eal);
		free(platform->nodes[i].lanes.items);
		free(platform->nodes[i].housekeeping.items);
		for (size_t r = 0; r < platform->nodes[i].radios.n; r++)
			free(platform->nodes[i].radios.items[r]);
		free(platform->nodes[i].radios.items);
		platform_kinds_free(&platform->nodes[i]);
	}
	for (size_t i = 0; i < platform->n_links; i++)
		free(platform->links[i].nodes);
	free((void *)platform->nodes);
	free((void *)platform->links);
	free((void *)platform->cores);
	free((void *)platform->cpus);
	free((void *)platform->name);
	free(platform);
}

uint32_t platform_delay(
    const struct platform_link *link, double one_way_ns, double kbit, uint64_t slot_ns)
{
	const double sending_ns = link->mbit_per_s > 0 ? kbit / link->mbit_per_s * 1e6 : 0,
	             slots = 1 + ceil((one_way_ns + sending_ns) / (double)slot_ns);

	return slots < PLATFORM_DELAY_MAX ? (uint32_t)slots : PLATFORM_DELAY_MAX;
}
