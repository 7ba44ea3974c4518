/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/report/local.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/calibrate.h"
#include "core/base/file.h"
#include "core/json/json.h"
#include "core/report/report.h"

enum { FILE_BYTES_MAX = 1 << 20 };

/* cpu_model tells one kind of machine from another: the lines of /proc/cpuinfo that name it. */
static void cpu_model(char *ret_text, size_t size)
{
	static const char *const keys[] = {"model name", "CPU implementer", "CPU part", "Hardware"};
	char *text, *save = NULL;
	size_t len, n = 0, seen = 0;

	ret_text[0] = 0;
	if (file_read("/proc/cpuinfo", FILE_BYTES_MAX, &text, &len) < 0)
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "processor", 9) && seen++)
			break; /* the first CPU is enough */
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			if (!strncmp(line, keys[k], strlen(keys[k])) && n + 1 < size)
				n += (size_t)snprintf(ret_text + n, size - n, "%s;", line);
	}
	free(text);
}

/* capacity_read gives the rate that is kept for this model of CPU, 0 if there is none. */
static double capacity_read(const char *state, const char *model)
{
	char path[PATH_MAX];
	double rate = 0;
	char *text;
	size_t len;
	json_t *kept;

	if (path_print(path, sizeof(path), "%s/capacity.json", state) < 0 ||
	    file_read(path, FILE_BYTES_MAX, &text, &len) < 0)
		return 0;
	kept = json_loadb(text, len, 0, NULL);
	if (!strcmp(report_text(kept, "cpu"), model))
		rate = report_number(kept, "mmac_per_s");
	json_decref(kept);
	free(text);
	return rate > 0 && rate < 1e9 ? rate : 0;
}

static int capacity_write(const char *state, const char *model, double mmac_per_s)
{
	char path[PATH_MAX];
	json_t *kept = json_pack("{s:i, s:s, s:f}", "schema", 1, "cpu", model, "mmac_per_s", mmac_per_s);
	char *text = kept ? json_dumps(kept, JSON_INDENT(1)) : NULL;
	int rc = text ? dir_make(state) : -ENOMEM;

	if (rc == 0)
		rc = path_print(path, sizeof(path), "%s/capacity.json", state);
	if (rc == 0)
		rc = file_write(path, text, strlen(text));
	free(text);
	json_decref(kept);
	return rc;
}

void local_platform(const char *state, struct local_platform *ret)
{
	char model[512];
	cpu_set_t set;
	size_t n = 0;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && n < LOCAL_CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &set))
			ret->cpus[n++] = cpu;
	cpu_model(model, sizeof(model));
	ret->node = (struct platform_node){
	    .base_ns = LOCAL_BASE_NS, .module_ns = LOCAL_MODULE_NS, .handover_ns = LOCAL_HANDOVER_NS};
	ret->model = (struct platform_model){.cpus = ret->cpus,
					     .n_lanes = n,
					     .mmac_per_s = capacity_read(state, model),
					     .cores = ret->cores,
					     .nodes = &ret->node,
					     .n_nodes = 1};
	for (size_t i = 0; i < n; i++)
		ret->cores[i] = (struct platform_core){.mmac_per_s = ret->model.mmac_per_s};
}

int local_calibrate(const char *state)
{
	enum { TRIES = 4 };
	struct calibration best = {.spread = 1e9}, now;
	char model[512];
	int rc = -EIO;

	cpu_model(model, sizeof(model));
	if (capacity_read(state, model) > 0)
		return 0;
	for (int i = 0; i < TRIES && best.spread > 0.05; i++) { /* the quietest of a few */
		const int measured = calibrate_mmac(&now);
		if (measured == 0 && now.spread < best.spread) {
			best = now;
			rc = 0;
		}
	}
	return rc == 0 ? capacity_write(state, model, best.mmac_per_s) : rc;
}
