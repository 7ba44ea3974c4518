/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/measure/local.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/measure/calibrate.h"
#include "core/base/file.h"
#include "core/base/simd.h"

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
		const char *value = strchr(line, ':');

		if (!strncmp(line, "processor", 9) && seen++)
			break; /* the first CPU is enough */
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			if (value && value[1] && !strncmp(line, keys[k], strlen(keys[k])) &&
			    n + 1 < size)
				n += (size_t)snprintf(
				    ret_text + n, size - n, "%s%s", n ? ", " : "", value + 2);
	}
	free(text);
}

/* "" where the kernel has no frequency scaling, as in most virtual machines. */
static void cpu_governor(int cpu, char *ret_text, size_t size)
{
	char path[PATH_MAX], *text;
	size_t len;

	ret_text[0] = 0;
	if (path_print(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor",
	        cpu) < 0 ||
	    file_read(path, FILE_BYTES_MAX, &text, &len) < 0)
		return;
	snprintf(ret_text, size, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

static int first_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			return cpu;
	return 0;
}

void local_kind(struct class_rates *ret)
{
	enum simd_level level = SIMD_PLAIN;
	char why[CLASS_TEXT_MAX];

	*ret = (struct class_rates){.version = ALOE_VERSION};
	if (simd_choose(&level, why, sizeof(why)) < 0)
		level = simd_best();
	cpu_model(ret->cpu, sizeof(ret->cpu));
	cpu_governor(first_cpu(), ret->governor, sizeof(ret->governor));
	snprintf(ret->simd, sizeof(ret->simd), "%s", simd_name(level));
}

/* ---- kept in the state directory ---- */

/* A file for each kind, so that a machine that is used in two ways is not measured again and
 * again. */
static int rates_path(
    const char *state, const struct class_rates *kind, char *ret_path, size_t size)
{
	return path_print(ret_path, size, "%s/capacity/%016llx.json", state,
	    (unsigned long long)class_rates_fingerprint(kind));
}

/* kept_read gives the file of a kind, sound and of this version, and its rates; or NULL. What is
 * wrong with it does not matter: it is measured again. */
static json_t *kept_read(const char *state, const struct class_rates *kind, struct class_rates *ret)
{
	char path[PATH_MAX], *text;
	struct diag diag;
	json_t *json;
	size_t len;

	if (rates_path(state, kind, path, sizeof(path)) < 0 ||
	    file_read(path, FILE_BYTES_MAX, &text, &len) < 0)
		return NULL;
	diag_init(&diag);
	json = json_read(path, text, len, &diag);
	if (json &&
	    (class_rates_read(json, path, &diag, ret) < 0 || !class_rates_same(kind, ret))) {
		json_decref(json);
		json = NULL;
	}
	diag_fini(&diag);
	free(text);
	return json;
}

void local_rates(const char *state, struct class_rates *ret)
{
	struct class_rates kind, kept;
	json_t *json;

	local_kind(&kind);
	json = kept_read(state, &kind, &kept);
	*ret = json ? kept : kind;
	json_decref(json);
}

double local_rates_age(const char *state)
{
	struct class_rates rates;
	char path[PATH_MAX];
	struct stat file;

	local_rates(state, &rates);
	if (!class_rates_known(&rates) || rates_path(state, &rates, path, sizeof(path)) < 0 ||
	    stat(path, &file) < 0)
		return -1;
	return fmax(difftime(time(NULL), file.st_mtime), 0);
}

static int kept_write(const char *state, const struct class_rates *kind, const json_t *kept)
{
	char path[PATH_MAX];
	char *text = kept ? json_dumps(kept, JSON_INDENT(1)) : NULL;
	int rc = text ? path_print(path, sizeof(path), "%s/capacity", state) : -ENOMEM;

	if (rc == 0)
		rc = dir_make(path);
	if (rc == 0)
		rc = rates_path(state, kind, path, sizeof(path));
	if (rc == 0)
		rc = file_write(path, text, strlen(text));
	free(text);
	return rc;
}

static int rates_write(const char *state, const struct class_rates *rates)
{
	json_t *kept = class_rates_json(rates);
	const int rc = kept_write(state, rates, kept);

	json_decref(kept);
	return rc;
}

/* The costs of a lane lie in the same file, so that they go with the rates when those are of
 * another version. */
static const char lane_key[] = "lane";

static bool lane_read(const json_t *kept, double *ret_base_ns, double *ret_handover_ns)
{
	const json_t *lane = json_object_get(kept, lane_key);
	const double base = json_number_value(json_object_get(lane, "base_ns"));
	const double handover = json_number_value(json_object_get(lane, "handover_ns"));

	if (!(base > 0 && base < 1e9 && handover > 0 && handover < 1e9))
		return false;
	*ret_base_ns = base;
	*ret_handover_ns = handover;
	return true;
}

static bool lane_kept(const char *state, double *ret_base_ns, double *ret_handover_ns)
{
	struct class_rates kind, rates;
	json_t *kept;
	bool known;

	local_kind(&kind);
	kept = kept_read(state, &kind, &rates);
	known = lane_read(kept, ret_base_ns, ret_handover_ns);
	json_decref(kept);
	return known;
}

bool local_lane_known(const char *state)
{
	double base_ns, handover_ns;

	return lane_kept(state, &base_ns, &handover_ns);
}

int local_lane_keep(const char *state, double base_ns, double handover_ns)
{
	struct class_rates kind, rates;
	json_t *kept;
	int rc;

	local_kind(&kind);
	kept = kept_read(state, &kind, &rates);
	if (!kept)
		return -ENOENT;
	rc = json_object_set_new(kept, lane_key,
	         json_pack("{s:f, s:f}", "base_ns", base_ns, "handover_ns", handover_ns)) < 0
	    ? -ENOMEM
	    : kept_write(state, &kind, kept);
	json_decref(kept);
	return rc;
}

void local_platform(const char *state, struct local_platform *ret)
{
	cpu_set_t set;
	size_t n = 0;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && n < LOCAL_CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &set))
			ret->cpus[n++] = cpu;
	local_rates(state, &ret->rates);
	ret->node =
	    (struct platform_node){.base_ns = LOCAL_BASE_NS, .handover_ns = LOCAL_HANDOVER_NS};
	lane_kept(state, &ret->node.base_ns, &ret->node.handover_ns);
	ret->model = (struct platform_model){.cpus = ret->cpus,
	    .n_lanes = n,
	    .mmac_per_s = ret->rates.mmac_per_s,
	    .cores = ret->cores,
	    .nodes = &ret->node,
	    .n_nodes = 1};
	for (size_t i = 0; i < n; i++)
		ret->cores[i] = (struct platform_core){.mmac_per_s = ret->model.mmac_per_s};
}

static int rates_measure(struct class_rates *rates)
{
	enum { TRIES = 4 };
	struct calibration best = {.spread = 1e9}, now;
	enum simd_level level = SIMD_PLAIN;
	int rc = -EIO;

	for (int l = 0; l < SIMD_LEVELS; l++)
		if (!strcmp(simd_name((enum simd_level)l), rates->simd))
			level = (enum simd_level)l;
	for (int i = 0; i < TRIES && best.spread > 0.05; i++) { /* the quietest of a few */
		if (calibrate_mmac(&now) == 0 && now.spread < best.spread) {
			best = now;
			rc = 0;
		}
	}
	rates->mmac_per_s = best.mmac_per_s;
	return rc < 0 ? rc : calibrate_classes(level, &best, rates->ns);
}

/* On one CPU, whichever it is. */
int local_measure(struct class_rates *ret)
{
	struct class_rates rates;
	cpu_set_t before, one;
	int rc;

	local_kind(&rates);
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	sched_getaffinity(0, sizeof(before), &before);
	sched_setaffinity(0, sizeof(one), &one);
	rc = rates_measure(&rates);
	sched_setaffinity(0, sizeof(before), &before);
	if (rc == 0)
		*ret = rates;
	return rc;
}

int local_calibrate(const char *state)
{
	struct class_rates rates;
	int rc = 0;

	local_rates(state, &rates);
	if (!class_rates_known(&rates)) {
		rc = local_measure(&rates);
		rc = rc < 0 ? rc : rates_write(state, &rates);
	}
	return rc;
}
