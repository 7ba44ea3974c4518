/* SPDX-License-Identifier: BSD-3-Clause
 *
 * execinfo - execution times of components: table, histogram, csv, json; from a node that is up or
 * from a saved run. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/cli/cli.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/measure/local.h"
#include "core/plot/plot.h"
#include "core/report/report.h"
#include "core/report/store.h"
#include "core/report/type.h"
#include "tools/execinfo/execinfo.h"

static int type_describe(const char *name)
{
	const struct component_type *type;
	struct registry *registry;
	struct diag diag;
	char *dirs = registry_dirs();

	diag_init(&diag);
	registry = dirs ? registry_open(dirs, &diag) : NULL;
	diag_print(&diag, stderr);
	diag_fini(&diag);
	free(dirs);
	if (!registry)
		return CLI_FAILED;
	type = registry_find(registry, name);
	if (type)
		type_print(type, stdout);
	else
		type_unknown(registry, name, stderr);
	registry_close(registry);
	return type ? CLI_OK : CLI_USAGE;
}

static int state_find(const struct cli_args *args, char *ret_path, size_t size)
{
	const char *given = cli_get(args, "state");

	return given ? path_print(ret_path, size, "%s", given) : dir_state(ret_path, size);
}

static void age_print(double seconds)
{
	if (seconds < 120)
		printf("%.0f s", seconds);
	else if (seconds < 7200)
		printf("%.0f min", seconds / 60);
	else if (seconds < 172800)
		printf("%.0f h", seconds / 3600);
	else
		printf("%.0f d", seconds / 86400);
}

/* Beside what is kept, which is what plans are made with. */
static void rates_print(
    const struct class_rates *now, const struct class_rates *kept, double age, const char *state)
{
	printf("%s, %s%s%s\n", now->cpu, now->simd, now->governor[0] ? ", governor " : "",
	    now->governor);
	printf("now: %.1f MMAC/s\n", now->mmac_per_s);
	if (age >= 0) {
		printf("stored in %s, measured ", state);
		age_print(age);
		printf(" ago: %.1f MMAC/s\n", kept->mmac_per_s);
	} else {
		printf("%s holds no measurement of this kind of machine; a node measures the "
		       "machine when it starts\n",
		    state);
	}
	for (int which = 0; which < CALIBRATE_CLASSES; which++) {
		printf("  %-12s %10.4f ns an item",
		    calibrate_class_name((enum calibrate_class)which), now->ns[which]);
		if (age >= 0)
			printf("   stored %10.4f", kept->ns[which]);
		putchar('\n');
	}
}

static json_t *rates_json(const struct class_rates *now, const struct class_rates *kept, double age)
{
	json_t *json = class_rates_json(now);

	json_object_set_new(json, "schema", json_integer(1));
	if (age >= 0) {
		json_object_set_new(json, "kept", class_rates_json(kept));
		json_object_set_new(json, "kept_age_s", json_real(age));
	}
	return json;
}

/* With --json as the rates of this kind of machine are kept, too. */
static int calibrate_show(const struct cli_args *args)
{
	struct class_rates now, kept;
	char state[PATH_MAX];
	int rc = state_find(args, state, sizeof(state));
	double age;

	rc = rc < 0 ? rc : local_measure(&now);
	if (rc < 0)
		return cli_fail(args, "--calibrate: %s", strerror(-rc)), CLI_FAILED;
	local_rates(state, &kept);
	age = local_rates_age(state);
	if (cli_has(args, "json")) {
		json_t *json = rates_json(&now, &kept, age);

		json_dumpf(json, stdout, JSON_INDENT(1));
		putchar('\n');
		json_decref(json);
	} else {
		rates_print(&now, &kept, age, state);
	}
	return CLI_OK;
}

/* Keeps what was measured for the plans of this kind of machine. */
static int profile_save(const struct cli_args *args, const struct profile_source *source)
{
	struct class_rates rates;
	struct diag diag;
	char state[PATH_MAX], why[200];
	int rc = state_find(args, state, sizeof(state));

	if (!report_speaks(source->report, why, sizeof(why))) {
		fprintf(stderr, "execinfo: --save: %s\n", why);
		return CLI_FAILED;
	}

	diag_init(&diag);
	rc = rc < 0 ? rc : local_calibrate(state);
	if (rc < 0) {
		diag_error(&diag, state, 0, "%s", strerror(-rc));
	} else {
		local_rates(state, &rates);
		rc = store_profile_write(state, source->report, &rates, &diag);
	}
	for (size_t i = 0; i < diag.len; i++)
		fprintf(stderr, "execinfo: --save: %s\n", diag.lines[i]);
	diag_fini(&diag);
	if (rc < 0)
		return CLI_FAILED;
	printf("stored as the costs of %s on %s: %s\n", report_text(source->report, "waveform"),
	    rates.cpu, rates.simd);
	return CLI_OK;
}

static int instances_print(
    const struct cli_args *args, const struct profile_source *source, struct plot *ret_plot)
{
	const char *hist = cli_get(args, "hist"), *margin = cli_get(args, "margin");

	if (hist)
		return hist_show(source, hist, ret_plot);
	if (margin)
		return margin_show(source, margin, ret_plot);
	report_figure(source->report, NULL, ret_plot);
	if (cli_has(args, "json")) {
		json_dumpf(source->report, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
		printf("\n");
	} else if (cli_has(args, "csv")) {
		report_profile_csv(source->report, stdout);
	} else {
		if (source->origin[0])
			printf("saved run: %s\n", source->origin);
		if (source->n_events)
			printf("of the newest %zu call%s of each instance:\n", source->wanted,
			    plural(source->wanted));
		report_profile(source->report, stdout);
	}
	return CLI_OK;
}

/* Where the times are from stands below the axes. */
static int instances_show(const struct cli_args *args, const struct profile_source *source)
{
	const char *file = cli_get(args, "plot");
	struct plot plot = {.title = NULL};
	int status = instances_print(args, source, &plot);

	if (source->origin[0])
		plot_note(&plot, "saved run: %s", source->origin);
	if (source->n_events)
		plot_note(&plot, "the newest %zu call%s of each instance", source->wanted,
		    plural(source->wanted));
	if (status == CLI_OK && file)
		status = plot_draw(&plot, args->program->name, file);
	plot_fini(&plot);
	return status;
}

static int execinfo_run(const struct cli_args *args)
{
	const char *type = cli_get(args, "describe"), *run = cli_get(args, "run");
	struct profile_source source = {0};
	uint64_t samples = 0;
	int status;

	if (cli_whole(args, "samples", 100, 100000, &samples) < 0)
		return CLI_USAGE;
	if (cli_has(args, "plot") && (type || cli_has(args, "calibrate")))
		return cli_fail(args, "--%s has nothing to draw; leave --plot out",
		    type ? "describe" : "calibrate");
	if (cli_has(args, "calibrate"))
		return calibrate_show(args);
	if (type)
		return type_describe(type);
	if (cli_has(args, "margin") && samples)
		return cli_fail(args, "--margin draws the whole run; leave --samples out");
	if (run && samples)
		return cli_fail(
		    args, "--samples needs a loaded waveform; a saved run has only histograms");
	if (plot_possible(args, "plot") != CLI_OK)
		return CLI_USAGE;
	if (cli_has(args, "plot") && cli_has(args, "save"))
		return cli_fail(args, "--save shows nothing; leave --plot out");
	source.wanted = samples;
	status = run ? source_saved(args, run, &source) : source_live(args, &source);
	if (status == CLI_OK)
		status = cli_has(args, "save") ? profile_save(args, &source)
		                               : instances_show(args, &source);
	source_fini(&source);
	return status;
}

static const struct cli_option options[] = {
    {"run", 'r', "DIR", "@dir", false,
        "show a saved run: its folder, or `last` (of WAVEFORM, if named)"},
    {"samples", 'n', "N", NULL, false,
        "take N samples of each instance now (100 .. 100000) and show their times"},
    {"hist", 0, "INSTANCE", NULL, false,
        "draw the histogram of INSTANCE, over the whole run or over the --samples"},
    {"margin", 0, "WHAT", NULL, false,
        "draw how much time was left over the whole run: WHAT is the number of a lane (at the end "
        "of each slot), an instance (of its budget) or `radio` (until it transmits)"},
    {"csv", 0, NULL, NULL, false, "print comma-separated values, one line per instance"},
    {"json", 0, NULL, NULL, false, "print the report as JSON"},
    {"plot", 0, "FILE", "@file", false,
        "also draw what is shown with gnuplot, as FILE.svg or FILE.png, or write the script "
        "FILE.gp"},
    {"describe", 0, "TYPE", "@type", false,
        "describe component TYPE instead: ports, parameters, variables"},
    {"save", 0, NULL, NULL, false,
        "store the measured times as the costs for plans on this kind of machine, instead of "
        "showing them"},
    {"calibrate", 0, NULL, NULL, false,
        "measure this core's speed by class of work instead, and show the stored measurement and "
        "its age beside it"},
    {"dir", 0, "DIR", "@dir", false,
        "runtime directory of the node; default $XDG_RUNTIME_DIR/aloe or /tmp/aloe-UID"},
    {"state", 0, "DIR", "@dir", false, "folder of saved runs; default ~/.local/state/aloe"},
};

static const struct cli_command commands[] = {
    {NULL, "[WAVEFORM]", 0, 1, "@waveform", "show how long each component takes",
        "WAVEFORM may be left out if only one waveform is loaded. Without a node execinfo shows "
        "the last saved run (of WAVEFORM, if named). The columns are: calls of work; mean, "
        "largest value and quantiles of the time of a call in microseconds; kMAC, the mean in "
        "thousand multiply-accumulates of the calibrated kernel; share, the part of the slot. "
        "Below stand the time spent on each input and output, what calls left of their budgets, "
        "the overhead of the lane, what the lane takes of its core with its waiting, its wake-ups, "
        "and the time left at the ends of its slots. "
        "aloe-words(7) explains the words.",
        CLI_LIST(options), execinfo_run},
};

static const struct cli_section sections[] = {
    {"EXIT STATUS",
        "  0    done\n  1    no such waveform, no such run, no node for --samples\n  2    "
        "usage, or no "
        "gnuplot to draw with"},
    {"EXAMPLES",
        "  execinfo utran384 --samples 10000\n  execinfo utran384 --hist decoder\n"
        "  execinfo --run last --csv > times.csv\n  execinfo --describe awgn\n  ALOE_SIMD=sse41 "
        "execinfo --calibrate"},
    {"SEE ALSO", "aloe-words(7), aloe(1), comprun(1)"},
};

static const struct cli_program program = {
    .name = "execinfo",
    .section = 1,
    .summary = "show execution times of components",
    .doc = "execinfo shows the execution times of a loaded waveform or of a saved run. All costs "
           "have the unit kMAC: a time divided by the time of one thousand scalar "
           "multiply-accumulates, as calibrated on this machine.",
    .commands = CLI_LIST(commands),
    .sections = CLI_LIST(sections),
};

int main(int argc, char **argv)
{
	return cli_main(&program, argc, argv);
}
