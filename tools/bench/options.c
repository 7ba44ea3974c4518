/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options and files that several benchmarks know. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "tools/aloe/source.h"
#include "tools/bench/bench.h"
#include "tools/bench/figures.h"

int bench_file(const struct bench *bench, const char *name, char *ret_path, size_t size)
{
	if (path_print(ret_path, size, "waveforms/%s", name) == 0 && access(ret_path, R_OK) == 0)
		return CLI_OK;
	if (source_find(name, ret_path, size) == 0)
		return CLI_OK;
	return cli_fail(bench->args,
	    "%s is neither in waveforms/, nor in ALOE_WAVEFORMS, nor among the waveforms that came "
	    "with aloe; name a waveform with --waveform",
	    name);
}

static int level_parse(const char *word, size_t len, enum simd_level *ret)
{
	for (int level = 0; level < SIMD_LEVELS; level++) {
		const char *name = simd_name((enum simd_level)level);
		if (strlen(name) == len && !memcmp(name, word, len) &&
		    simd_has((enum simd_level)level)) {
			*ret = (enum simd_level)level;
			return 0;
		}
	}
	return -EINVAL;
}

static int levels_refuse(const struct bench *bench, const char *text)
{
	char names[128];
	size_t n = 0;

	names[0] = 0;
	for (int level = 0; level < SIMD_LEVELS; level++)
		if (simd_has((enum simd_level)level) && n < sizeof(names))
			n += (size_t)snprintf(
			    names + n, sizeof(names) - n, " %s", simd_name((enum simd_level)level));
	cli_fail(bench->args,
	    "--simd %s: levels that this machine has, separated by commas, are needed:%s", text,
	    names);
	return -EINVAL;
}

int bench_levels(const struct bench *bench, enum simd_level ret_levels[SIMD_LEVELS])
{
	const char *text = cli_get(bench->args, "simd");
	char why[256];
	int n = 0;

	if (!text && simd_choose(&ret_levels[0], why, sizeof(why)) < 0)
		return cli_fail(bench->args, "%s", why), -EINVAL;
	if (!text)
		return 1;
	for (const char *at = text;; at++) {
		const size_t len = strcspn(at, ",");
		if (n == SIMD_LEVELS || level_parse(at, len, &ret_levels[n]) < 0)
			return levels_refuse(bench, text);
		for (int i = 0; i < n; i++)
			if (ret_levels[i] == ret_levels[n])
				return levels_refuse(bench, text);
		n++;
		at += len;
		if (!*at)
			return n;
	}
}

int bench_level(const struct bench *bench, enum simd_level *ret)
{
	enum simd_level levels[SIMD_LEVELS];
	const int n = bench_levels(bench, levels);

	if (n > 1)
		cli_fail(
		    bench->args, "--simd %s: one level is needed", cli_get(bench->args, "simd"));
	if (n != 1)
		return -EINVAL;
	*ret = levels[0];
	return 0;
}

/* ---- lanes and slots ------------------------------------------------------------------------ */

int bench_lanes(const struct bench *bench, double ret[BENCH_LANES_MAX])
{
	const char *text = cli_get(bench->args, "lanes");
	int n = list_parse(text     ? text
	        : bench->n_cpus > 1 ? "1,2"
	                            : "1",
	    1, fmin((double)bench->n_cpus, BENCH_LANES_MAX), BENCH_LANES_MAX, ret);

	for (int i = 0; i < n; i++)
		if (ret[i] != floor(ret[i]))
			n = -EINVAL;
	if (n < 0)
		cli_fail(bench->args,
		    "--lanes %s: different numbers of lanes 1 .. %zu (CPUs) are needed", text,
		    bench->n_cpus);
	return n;
}

int bench_slot_lengths(const struct bench *bench, size_t n, double *ret)
{
	const char *text = cli_get(bench->args, "slot-us");
	const int have =
	    list_parse(text ? text : "100,200,500,1000,2000,5000,10000,20000", 1, 1e7, n, ret);

	if (have < 0)
		cli_fail(bench->args,
		    "--slot-us %s: different slot lengths of 1 .. 10000000 us are needed", text);
	return have;
}

void bench_cpus_write(const struct bench *bench, size_t n, char *ret, size_t size)
{
	size_t used = 0;

	ret[0] = 0;
	for (size_t i = 0; i < n && i < bench->n_cpus && used + 8 < size; i++)
		used +=
		    (size_t)snprintf(ret + used, size - used, "%s%d", i ? "," : "", bench->cpus[i]);
}

/* ---- isolation ------------------------------------------------------------------------ */

const char *isolation_name(enum isolation isolation)
{
	static const char *const names[ISOLATIONS] = {"none", "waveform", "component"};

	return names[isolation];
}

int bench_isolations(const struct bench *bench, enum isolation ret[ISOLATIONS])
{
	const char *text = cli_get(bench->args, "isolation");
	bool wanted[ISOLATIONS] = {false};
	int n = 0;

	for (const char *at = text; at; at = *at ? at + 1 : NULL) {
		const size_t len = strcspn(at, ",");
		int i = 0;
		while (i < ISOLATIONS &&
		    (strlen(isolation_name((enum isolation)i)) != len ||
		        strncmp(isolation_name((enum isolation)i), at, len) != 0))
			i++;
		if (i == ISOLATIONS) {
			cli_fail(bench->args,
			    "--isolation %s: none, waveform, component are allowed, separated by "
			    "commas",
			    text);
			return -EINVAL;
		}
		wanted[i] = true;
		at += len;
	}
	for (int i = 0; i < ISOLATIONS; i++)
		if (!text || wanted[i])
			ret[n++] = (enum isolation)i;
	return n;
}

int bench_cpu(const struct bench *bench, int *ret)
{
	uint64_t cpu = bench->n_cpus ? (uint64_t)bench->cpus[0] : 0;

	if (cli_whole(bench->args, "cpu", 0, BENCH_CPUS_MAX, &cpu) < 0)
		return -EINVAL;
	*ret = (int)cpu;
	return 0;
}
