/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe run FILE --verify: one run after another, each with one thing that differs from the
 * first. */
#include "tools/aloe/verify.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/simd.h"
#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/aloe/run.h"
#include "tools/aloe/sinks.h"
#include "tools/aloe/source.h"

enum { GIVEN_MAX = 12, RUNS_MAX = 16, SHOWN = 16, INTERRUPTED = 130 };

/* One run; NULL: as the first. */
struct variant {
	const char *name;
	const char *clock, *lanes, *isolation, *simd;
	bool pipelined;
	bool in_places; /* as many as the file says; else one */
	bool radio;     /* it is possible where a radio is the clock */
};

struct verify {
	const struct cli_args *args;
	struct source source;
	struct sinks sinks, first;
	struct variant runs[RUNS_MAX];
	size_t n_runs;
	char base[40];         /* name of the first run */
	char one[16], two[32]; /* --lanes */
	char folder[64], state[4096];
	const char *slots;
	bool by_radio;
	unsigned differ, failed, refused;
};

/* ---- what can be run again ---------------------------------------------------------------- */

/* A source whose bytes are in a file has them again. */
static bool is_on_disk(const struct wf_instance *instance)
{
	bool found = false;

	for (size_t k = 0; k < instance->type->n_params; k++) {
		struct stat about;

		if (instance->type->params[k].kind != ALOE_KIND_PATH || !instance->values[k].text)
			continue;
		if (strcmp(instance->values[k].text, "-") == 0 ||
		    (stat(instance->values[k].text, &about) == 0 && !S_ISREG(about.st_mode)))
			return false;
		found = true;
	}
	return found;
}

/* The hint to record is for what is there only once. */
static int live_refuse(const struct verify *verify)
{
	const struct waveform *waveform = verify->source.waveform;
	const struct wf_radios *radios = waveform->radios;
	bool live = waveform->clock == WF_CLOCK_RADIO && !radios;

	for (uint32_t r = 0; radios && r < radios->n; r++)
		live |= !radios->driver[r]->fast;
	if (live)
		return cli_fail(verify->args,
		    "--verify: the radio of %s never gives the same samples twice; record "
		    "it first (aloe run %s --record DIR), and replay the recording",
		    waveform->name, verify->args->args[0]);
	for (size_t i = 0; i < waveform->n_instances; i++)
		if (waveform->instances[i].type->fills && !is_on_disk(&waveform->instances[i]))
			return cli_fail(verify->args,
			    "--verify: %s (%s) reads something that is no file, and may not "
			    "give the same bytes twice; record it first (aloe run %s --record DIR)",
			    waveform->instances[i].name, waveform->instances[i].type->name,
			    verify->args->args[0]);
	return CLI_OK;
}

/* ---- the runs ---------------------------------------------------------------------------- */

static void run_add(struct verify *verify, struct variant variant)
{
	if (verify->n_runs < RUNS_MAX && (!verify->by_radio || variant.radio))
		verify->runs[verify->n_runs++] = variant;
}

/* The last two CPUs: the first has the most to do for others. */
static void lanes_choose(struct verify *verify)
{
	int cpus[2] = {-1, -1};
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && cpus[1] < 0; cpu--)
		if (CPU_ISSET(cpu, &set))
			cpus[cpus[0] >= 0] = cpu;
	cpus[1] = cpus[1] < 0 ? cpus[0] : cpus[1];
	snprintf(verify->one, sizeof(verify->one), "%d", cpus[0]);
	snprintf(verify->two, sizeof(verify->two), "%d,%d", cpus[0], cpus[1]);
}

static bool has_replicas(const struct waveform *waveform)
{
	for (size_t i = 0; i < waveform->n_instances; i++)
		if (waveform->instances[i].replicas > 1)
			return true;
	return false;
}

static void runs_list(struct verify *verify)
{
	snprintf(verify->base, sizeof(verify->base), "1 lane, virtual, %s", simd_name(simd_best()));
	run_add(verify, (struct variant){.name = verify->base, .radio = true});
	run_add(verify, (struct variant){.name = "2 lanes", .lanes = verify->two});
	run_add(verify,
	    (struct variant){
	        .name = "2 lanes, pipelined", .lanes = verify->two, .pipelined = true});
	run_add(verify, (struct variant){.name = "pipelined", .pipelined = true});
	run_add(verify, (struct variant){.name = "isolation component", .isolation = "component"});
	run_add(verify, (struct variant){.name = "isolation none", .isolation = "none"});
	if (has_replicas(verify->source.waveform)) {
		run_add(verify, (struct variant){.name = "replicas", .in_places = true});
		run_add(verify,
		    (struct variant){
		        .name = "replicas, 2 lanes", .lanes = verify->two, .in_places = true});
	}
	for (int level = SIMD_LEVELS - 1; level >= 0; level--)
		if (simd_has((enum simd_level)level) && level != (int)simd_best())
			run_add(verify,
			    (struct variant){.name = simd_name((enum simd_level)level),
			        .simd = simd_name((enum simd_level)level),
			        .radio = true});
	run_add(verify, (struct variant){.name = "step", .clock = "step"});
	run_add(verify, (struct variant){.name = "timer", .clock = "timer"});
}

static void given_add(struct cli_args *args, struct cli_option *option, const char *value)
{
	struct cli_given *given = &args->given[args->n_given];

	if (!value)
		return;
	*given = (struct cli_given){.option = option, .value = value};
	args->n_given++;
}

/* The command line of a run. */
static int variant_run(
    struct verify *verify, const struct variant *variant, const char *conf, json_t **ret_report)
{
	struct cli_option options[] = {{.name = "slots"}, {.name = "clock"}, {.name = "lanes"},
	    {.name = "isolation"}, {.name = "state"}, {.name = "late"}, {.name = "quiet"},
	    {.name = "force"}, {.name = "radio"}, {.name = "pipelined"}};
	struct cli_given given[GIVEN_MAX];
	struct cli_args args = *verify->args;
	const char *file[] = {conf};

	args.args = file;
	args.n_args = 1;
	args.given = given;
	args.n_given = 0;
	given_add(&args, &options[0], verify->slots);
	given_add(&args, &options[1], variant->clock ? variant->clock : "virtual");
	given_add(&args, &options[2], variant->lanes ? variant->lanes : verify->one);
	given_add(&args, &options[3], variant->isolation ? variant->isolation : "waveform");
	given_add(&args, &options[4], verify->state);
	given_add(&args, &options[5], verify->by_radio ? NULL : "slip");
	given_add(&args, &options[6], "");
	given_add(&args, &options[7], "");
	given_add(&args, &options[8], cli_get(verify->args, "radio"));
	given_add(&args, &options[9], variant->pipelined ? "" : NULL);
	if (variant->simd)
		setenv("ALOE_SIMD", variant->simd, 1);
	else
		unsetenv("ALOE_SIMD");
	return run_waveform(&args, NULL, ret_report);
}

/* The text of a run and the folder for what its sinks write. 0 or -errno. */
static int folder_make(struct verify *verify, size_t n, char *ret_folder, size_t size,
    char *ret_conf, size_t conf_size)
{
	const struct wf_print print = {
	    .anywhere = true, .in_places = verify->runs[n].in_places, .sinks_in = ret_folder};
	char *text;
	int rc = path_print(ret_folder, size, "%s/%zu", verify->folder, n);

	if (rc == 0 && mkdir(ret_folder, 0700) < 0)
		rc = -errno;
	if (rc == 0)
		rc = path_print(ret_conf, conf_size, "%s/waveform.conf", ret_folder);
	text = rc == 0 ? sinks_print(&verify->sinks, verify->source.waveform, &print, ret_folder)
	               : NULL;
	if (rc == 0)
		rc = text ? file_write(ret_conf, text, strlen(text)) : -ENOMEM;
	free(text);
	return rc;
}

/* ---- the table ---------------------------------------------------------------------------- */

static void differences_print(const struct verify *verify)
{
	for (size_t i = 0; i < verify->sinks.len; i++)
		if (strcmp(verify->sinks.items[i].sha256, verify->first.items[i].sha256) != 0)
			printf("    %s: %s, in the first run %s\n", verify->sinks.items[i].label,
			    verify->sinks.items[i].sha256, verify->first.items[i].sha256);
}

static void first_print(const struct verify *verify)
{
	printf("%-24s %-8s  %s\n", "sink", "", "SHA-256 of the first run");
	for (size_t i = 0; i < verify->sinks.len; i++)
		printf("%-24s %-8s  %s\n", verify->sinks.items[i].label,
		    verify->sinks.items[i].is_file ? "file" : "messages",
		    verify->sinks.items[i].sha256);
	printf("\n%-24s %-16s  %10s\n", "run", "all sinks", "slots");
}

static void row_print(
    struct verify *verify, const struct variant *variant, const char *all, const json_t *report)
{
	const bool first = variant == verify->runs;
	bool same = true;

	for (size_t i = 0; !first && i < verify->sinks.len; i++)
		same &= strcmp(verify->sinks.items[i].sha256, verify->first.items[i].sha256) == 0;
	verify->differ += !same;
	printf("%-24s %.*s  %10.0f  %s\n", variant->name, SHOWN, all,
	    report_number(report, "index"),
	    first      ? "first"
	        : same ? "same"
	               : "DIFFERS");
	if (!same)
		differences_print(verify);
	fflush(stdout);
}

/* The first run is what all others are held against. */
static int first_keep(struct verify *verify)
{
	verify->first = (struct sinks){.len = verify->sinks.len,
	    .items = calloc(verify->sinks.len + 1, sizeof(*verify->first.items))};
	if (!verify->first.items)
		return -ENOMEM;
	memcpy(verify->first.items, verify->sinks.items,
	    verify->sinks.len * sizeof(*verify->sinks.items));
	first_print(verify);
	return 0;
}

static int variant_verify(struct verify *verify, size_t n)
{
	const struct variant *variant = &verify->runs[n];
	char folder[128], conf[160], all[SHA256_TEXT];
	json_t *report = NULL;
	int rc = folder_make(verify, n, folder, sizeof(folder), conf, sizeof(conf)), status;

	if (rc < 0) {
		fprintf(stderr, "aloe: %s: %s\n", verify->folder, strerror(-rc));
		return CLI_FAILED;
	}
	status = variant_run(verify, variant, conf, &report);
	if (status == CLI_OK &&
	    (rc = sinks_read(&verify->sinks, verify->source.waveform, folder, folder)) < 0) {
		fprintf(stderr, "aloe: the run \"%s\" left no digest of a sink: %s\n",
		    variant->name, strerror(-rc));
		status = CLI_FAILED;
	}
	if (status == CLI_OK && n == 0 && first_keep(verify) < 0)
		status = CLI_FAILED;
	if (status == CLI_OK) {
		sinks_all(&verify->sinks, all);
		row_print(verify, variant, all, report);
	} else if (status != INTERRUPTED && n > 0) {
		verify->failed++;
		printf("%-24s %-16s  %10s  FAILED, see above\n", variant->name, "-", "-");
	}
	json_decref(report);
	folder_remove(folder);
	return n == 0 || status == INTERRUPTED ? status : CLI_OK;
}

static int runs_verify(struct verify *verify)
{
	int status = CLI_OK;

	for (size_t n = 0; n < verify->n_runs && status == CLI_OK; n++)
		status = variant_verify(verify, n);
	if (status != CLI_OK)
		return status;
	printf("\n");
	if (verify->differ || verify->failed) {
		printf("%zu run%s; not as the first: %u; failed: %u\n", verify->n_runs,
		    plural(verify->n_runs), verify->differ, verify->failed);
		return CLI_FAILED;
	}
	printf("%zu run%s, and in each all sinks got the same bits\n", verify->n_runs,
	    plural(verify->n_runs));
	return CLI_OK;
}

/* ---- begin and end ------------------------------------------------------------------------ */

/* Runs and costs of a waveform that has recorders are not kept, but how fast this machine is need
 * not be measured again. */
static int state_make(struct verify *verify)
{
	const char *given = cli_get(verify->args, "state"), *temp = getenv("TMPDIR");
	char state[4096], capacity[4200], there[4200];
	int rc =
	    given ? path_print(state, sizeof(state), "%s", given) : dir_state(state, sizeof(state));

	snprintf(verify->folder, sizeof(verify->folder), "%.40s/aloe-verify-XXXXXX",
	    temp && temp[0] == '/' && strlen(temp) <= 40 ? temp : "/tmp");
	if (rc == 0 && !mkdtemp(verify->folder))
		rc = -errno;
	if (rc == 0)
		rc = path_print(verify->state, sizeof(verify->state), "%s/state", verify->folder);
	snprintf(capacity, sizeof(capacity), "%s/capacity", state);
	snprintf(there, sizeof(there), "%s/capacity", verify->state);
	if (rc == 0 && state[0] == '/' && dir_make(capacity) == 0 && dir_make(verify->state) == 0 &&
	    symlink(capacity, there) < 0)
		rc = -errno;
	if (rc < 0)
		fprintf(stderr, "aloe: %s: %s\n", verify->folder, strerror(-rc));
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

static int verify_all(struct verify *verify)
{
	int status = live_refuse(verify);

	verify->by_radio = verify->source.waveform->clock == WF_CLOCK_RADIO;
	if (status == CLI_OK && sinks_list(verify->source.waveform, &verify->sinks) < 0)
		status = CLI_FAILED;
	if (status == CLI_OK && verify->sinks.len == 0)
		status =
		    cli_fail(verify->args, "--verify: %s has no sink whose bits could be compared",
		        verify->source.waveform->name);
	if (status == CLI_OK)
		status = state_make(verify);
	if (status == CLI_OK) {
		lanes_choose(verify);
		runs_list(verify);
		status = runs_verify(verify);
		folder_remove(verify->folder);
	}
	sinks_fini(&verify->sinks);
	sinks_fini(&verify->first);
	return status;
}

int verify_run(const struct cli_args *args)
{
	struct verify *verify = calloc(1, sizeof(*verify));
	uint64_t slots = 0;
	int status;

	if (!verify)
		return CLI_FAILED;
	verify->args = args;
	verify->slots = cli_get(args, "slots") ? cli_get(args, "slots") : "1000";
	if (cli_whole(args, "slots", 1, UINT64_MAX >> 1, &slots) < 0) {
		free(verify);
		return CLI_USAGE;
	}
	status = source_open(&verify->source, args, args->args[0], false);
	if (status == CLI_OK)
		status = verify_all(verify);
	source_close(&verify->source);
	free(verify);
	return status;
}
