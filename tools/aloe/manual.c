/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/manual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/platform/radio.h"

/* ---- radio files: the tables of keys of all drivers ---------------------------------------- */

enum { MARGIN = 17, WIDTH = 72 };

/* The words of `text` in lines of WIDTH, behind a margin; *column is where the line is. */
static void print_words(FILE *out, const char *text, size_t *column)
{
	while (*text) {
		const size_t len = strcspn(text, " ");
		const bool breaks = *column > MARGIN && *column + 1 + len > WIDTH;

		if (breaks)
			fprintf(out, "\n%*s", MARGIN, "");
		*column = breaks ? MARGIN : *column;
		*column +=
		    (size_t)fprintf(out, "%s%.*s", *column > MARGIN ? " " : "", (int)len, text);
		text += len + (text[len] == ' ');
	}
}

static const char *default_text(const struct radio_key *key, char *text, size_t size)
{
	if (key->otherwise != NULL)
		snprintf(text, size, "[%s]", key->otherwise);
	else if (key->kind == RADIO_BOOL)
		snprintf(text, size, "[%s]", key->value != 0 ? "true" : "false");
	else if (key->kind == RADIO_CHOICE)
		snprintf(text, size, "[\"%s\"]", key->words[(int)key->value]);
	else if (key->kind == RADIO_INT || key->kind == RADIO_REAL)
		snprintf(text, size, "[%g]", key->value);
	else
		snprintf(text, size, "[\"\"]");
	return text;
}

static void print_key(FILE *out, const struct radio_key *key)
{
	char text[1024], otherwise[160];
	size_t column = MARGIN, len;

	len = (size_t)snprintf(text, sizeof(text), "%s", key->help);
	if (key->min < key->max)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "; %g to %g%s%s", key->min,
		    key->max, key->unit[0] ? " " : "", key->unit);
	if (key->needed == NULL)
		snprintf(text + len, sizeof(text) - len, " %s",
		    default_text(key, otherwise, sizeof(otherwise)));
	fprintf(out, "  %-14s ", key->name);
	print_words(out, text, &column);
	fprintf(out, "\n");
}

static const char before[] =
    "A radio file, given by --radio, says which radio is the clock of a waveform with clock = "
    "\"radio\". It has one group, or a list of two groups for two devices, whose channels are "
    "numbered in the order of the list:\n\n"
    "  radio: { type = \"x310\"; transport = \"udp\"; address = \"192.168.40.2\"; };\n"
    "  radio = ( { ...; address = \"192.168.30.2\"; },\n"
    "            { ...; address = \"192.168.40.2\"; } );\n\n"
    "The key type names the driver, and each driver has keys of its own. The default stands in "
    "brackets; a key without a default is needed. Paths are relative to the directory of the "
    "command.";

const char *manual_radio(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return before;
	fprintf(out, "%s", before);
	for (const struct radio_driver *const *driver = radio_drivers; *driver != NULL; driver++) {
		fprintf(out, "\n\ntype = \"%s\" is %s. Its keys:\n\n", (*driver)->type,
		    (*driver)->summary);
		for (uint32_t k = 0; k < (*driver)->n_keys; k++)
			print_key(out, &(*driver)->keys[k]);
		fprintf(out, "\n%s", (*driver)->manual);
	}
	return fclose(out) == 0 ? text : before;
}

/* ---- platform files ------------------------------------------------------------------------ */

const char manual_platform[] =
    "A platform file, given by --platform, describes machines that a plan is made for: nodes, "
    "their cores, and the links between nodes. The machines need not exist. The platform files "
    "that are installed with aloe are found by their names. Nodes that have addresses can run: "
    "aloe up --platform.\n\n"
    "  name = \"arm-pair\";\n"
    "  margin = 0.0;\n"
    "  assume_builds = false;\n"
    "  nodes: {\n"
    "    left:  { mmac_per_s = 200.0; arch = \"armhf\"; };\n"
    "    right: { cores = 2; mmac_per_s = [200.0, 400.0];\n"
    "             base_us = 211.7; module_us = 24.97; };\n"
    "  };\n"
    "  links = ( { nodes = [\"left\", \"right\"]; mbit_per_s = 100.0;\n"
    "              kind = \"full\"; delay = 2; } );\n\n"
    "The keys of the file; the default stands in brackets:\n\n"
    "  name           name of the platform\n"
    "  margin         share of the slot that the plan keeps free on every\n"
    "                 core, at most 0.9 [0]\n"
    "  assume_builds  true: plan as if every component were built for every\n"
    "                 instruction set [false]\n"
    "  nodes          a group for each node\n"
    "  links          a list of the links between nodes [none]\n"
    "  secure         false: nodes talk without keys, and whoever reaches an\n"
    "                 address controls that node [true]\n"
    "  radio          the radios, as described under RADIO FILES [none]\n\n"
    "The keys of a node:\n\n"
    "  mmac_per_s     capacity of a core in million MAC-equivalents a second,\n"
    "                 or a list with one number for each core\n"
    "  cores          number of cores [1]\n"
    "  kinds          kinds of cores, in the order of the cores, each with a\n"
    "                 number: { big = 16; little = 4; }; cores may be left out\n"
    "                 [none]; an instance whose parameter big_us is set takes\n"
    "                 that time on a core of the kind big: the plan takes\n"
    "                 budget_us, if the file gives it, else this time, else\n"
    "                 what was measured, else the component's own figure\n"
    "  arch           instruction set: x86_64, aarch64 or armhf [\"\": that of\n"
    "                 this machine]; a component runs only on a node for\n"
    "                 which a build of it is known\n"
    "  base_us        time of an empty slot on a lane [0]\n"
    "  module_us      time of an instance in a slot beside its own work [0]\n"
    "  noise_us       outliers of the machine, counted once for each lane [0]\n"
    "  handover_us    time from one host to the next on a lane [0]\n"
    "  memory_mb      memory for link buffers [0: unknown]\n"
    "  address        address at which other nodes reach this node, \"IP:PORT\"\n"
    "                 or \"[IPv6]:PORT\" in numbers; all nodes have an address,\n"
    "                 or no node has one [none]; the next port is used, too\n"
    "  manager        true: waveforms are loaded on this node; if nodes have\n"
    "                 addresses, exactly one node is the manager [false]\n"
    "  lanes          list of CPUs of this node, one for each core; with lanes,\n"
    "                 cores may be left out; an address needs lanes [none]\n"
    "  housekeeping   list of CPUs for everything else; no CPU may also be in\n"
    "                 lanes [none]\n"
    "  shared         true: lanes have ordinary priority and may share their\n"
    "                 CPUs, so the node promises nothing about time [false]\n"
    "  clock          \"tai\": slots are those of this node's CLOCK_TAI;\n"
    "                 \"network\": they follow those of the manager, for a node\n"
    "                 that neither PTP nor chrony steers [\"tai\"]\n"
    "  key            public key of this node, as `aloe keys list` prints it\n"
    "                 on the node [none]\n"
    "  radios         devices that this node reaches: an address as in the radio\n"
    "                 file, or a list; a waveform whose clock is a radio runs on\n"
    "                 the node that names the radio [none]\n"
    "  port           for links with transport = \"dpdk\": a virtual device with\n"
    "                 its arguments (\"net_memif0,...\"), or a PCI address; it\n"
    "                 has the IPv4 address of the node, and a network of its\n"
    "                 own [none]\n"
    "  eal            options for the environment of DPDK [\"\"]\n\n"
    "The keys of a link:\n\n"
    "  nodes          names of the nodes that the link joins\n"
    "  mbit_per_s     rate of the link\n"
    "  kind           \"full\": two nodes, the rate in each direction; \"half\":\n"
    "                 two nodes share the rate; \"bus\": two or more nodes\n"
    "                 share the rate\n"
    "  delay          slots until a message can be read, 1 to 100 [2, or more\n"
    "                 where the bridges have measured more]\n"
    "  transport      \"tcp\", \"udp\" (sealed datagrams) or \"dpdk\" (the same\n"
    "                 over the ports of the nodes) [\"tcp\"]\n"
    "  message_us     time that a core at each end takes for each message, as\n"
    "                 measured by aloe bench two-node [0]\n"
    "  byte_ns        the same for each byte of a message [0]\n\n"
    "A plan charges message_us and byte_ns to the lanes that write and read what crosses the link, "
    "on a node without housekeeping.\n\n"
    "Cores are numbered from 0 through all nodes in the order of the file. Plans and --lanes use "
    "these numbers as CPUs.\n\n"
    "In a waveform file the key node of an instance names the node of this instance. An instance "
    "that has a path and no node is on the node from which the waveform is loaded; the path is a "
    "path of that node. For aloe plan, --node names that node. A node that the platform file does "
    "not have, and a pin to a lane of another node, are errors.";
