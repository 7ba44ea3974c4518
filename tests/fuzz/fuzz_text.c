/* SPDX-License-Identifier: BSD-3-Clause
 * Short texts of files of the kernel, of command lines, descriptors and terminals: sets of CPUs,
 * addresses, mixes of work, names, descriptions of faults, keys. Each is refused, or gives what can
 * be written and read again; nothing is read behind the text's end. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cpulist.h"
#include "core/base/text.h"
#include "core/bus/samples/samples.h"
#include "core/cli/term.h"
#include "core/map/class.h"
#include "tools/x310sim/cable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void cpus_again(const char *text, int (*parse)(const char *, cpu_set_t *),
    int (*print)(const cpu_set_t *, char *, size_t))
{
	char printed[8 * CPU_SETSIZE];
	cpu_set_t cpus, again;

	if (parse(text, &cpus) != 0)
		return;
	insist(print(&cpus, printed, sizeof(printed)) == 0 && parse(printed, &again) == 0);
	insist(CPU_EQUAL(&cpus, &again));
}

static void names_check(const char *text)
{
	const bool name = text_is_name(text), waveform = text_is_waveform(text);
	char node[NODE_NAME];

	insist(!(name || waveform) || strlen(text) < 64);
	insist(!text_is_key(text) || strlen(text) == TEXT_KEY_CHARS);
	text_node_name(text, node);
	insist(strlen(node) < NODE_NAME && (node[0] == 0 || text_is_node(node)));
	(void)samples_address_check(text);
}

static void mix_check(const char *text)
{
	double mix[CALIBRATE_CLASSES];

	if (class_mix(text, mix) != 0)
		return;
	for (int i = 0; i < CALIBRATE_CLASSES; i++)
		insist(isfinite(mix[i]) && mix[i] >= 0);
}

static void fault_check(const char *text)
{
	struct fault_options options;
	char why[FAULT_WHY] = "";

	fault_options_init(&options);
	if (fault_parse(text, &options, why) != 0)
		insist(memchr(why, 0, sizeof(why)) != NULL && why[0] != 0);
}

static void keys_check(const char *bytes, size_t len)
{
	int key;

	while (len > 0) {
		const size_t took = term_key_take(bytes, len, &key);

		insist(took <= len);
		if (took == 0)
			return;
		bytes += took;
		len -= took;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	insist(text != NULL);
	memcpy(text, data, size);
	text[size] = 0;
	cpus_again(text, cpulist_parse, cpulist_print);
	cpus_again(text, cpumask_parse, cpumask_print);
	names_check(text);
	mix_check(text);
	fault_check(text);
	keys_check((const char *)data, size);
	free(text);
	return 0;
}
