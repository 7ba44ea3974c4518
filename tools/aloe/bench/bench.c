/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/bench/bench.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"

/* ---- open --------------------------------------------------------------------------------------------------------------- */

static int options_check(const struct bench *bench)
{
	const char *plot = cli_get(bench->args, "plot"), *csv = cli_get(bench->args, "csv");
	const int rc = plot ? plot_check(plot) : 0;

	if (rc == -EINVAL)
		return cli_fail(bench->args, "--plot %s: a file that ends in .svg, .png or .gp (the script) is needed",
				plot);
	if (rc == -ENOENT)
		return cli_fail(bench->args,
				"--plot %s: gnuplot is not installed (apt-get install gnuplot-nox); --plot FILE.gp "
				"writes the script without it",
				plot);
	if (csv && !strcmp(csv, "-") && cli_has(bench->args, "json"))
		return cli_fail(bench->args, "--json and --csv - cannot both have standard output");
	return CLI_OK;
}

static int signals_take(struct bench *bench)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	bench->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return bench->signal_fd < 0 ? -errno : 0;
}

static int dir_new(struct bench *bench)
{
	const char *tmp = getenv("TMPDIR");
	int rc =
	    path_print(bench->dir, sizeof(bench->dir), "%s/aloe-bench-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");

	if (rc == 0 && !mkdtemp(bench->dir))
		rc = -errno;
	return rc;
}

static void cpus_find(struct bench *bench)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && bench->n_cpus < BENCH_CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &set))
			bench->cpus[bench->n_cpus++] = cpu;
}

int bench_begin(struct bench *bench, const struct cli_args *args)
{
	int rc;

	*bench = (struct bench){.args = args, .signal_fd = -1};
	if (options_check(bench) != CLI_OK)
		return CLI_USAGE;
	rc = signals_take(bench);
	if (rc == 0)
		rc = dir_new(bench);
	if (rc < 0) {
		fprintf(stderr, "%s: %s: %s\n", args->program->name, bench->dir[0] ? bench->dir : "signals",
			strerror(-rc));
		return CLI_FAILED;
	}
	cpus_find(bench);
	bench->notes = json_array();
	progress_init(&bench->progress, cli_has(args, "quiet"));
	return CLI_OK;
}

/* ---- what a benchmark says ----------------------------------------------------------------------------------------------- */

void bench_table(struct bench *bench, const char *key, const char *title, const struct column *columns, size_t n)
{
	if (bench->n_tables < BENCH_TABLES_MAX)
		bench->tables[bench->n_tables++] = (struct table){key, title, columns, n, json_array()};
}

void bench_row(struct bench *bench, json_t *row)
{
	if (!row || json_array_append_new(bench->tables[bench->n_tables - 1].rows, row) < 0)
		fprintf(stderr, "%s: out of memory: a row is missing\n", bench->args->program->name);
}

void bench_note(struct bench *bench, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	json_array_append_new(bench->notes, json_string(text));
}

/* ---- the head ------------------------------------------------------------------------------------------------------------ */

static void cpu_name(char *ret_text, size_t size)
{
	char line[512];
	FILE *info = fopen("/proc/cpuinfo", "re");

	snprintf(ret_text, size, "unknown CPU");
	while (info && fgets(line, sizeof(line), info)) {
		const char *colon = strchr(line, ':');
		if (colon && !strncmp(line, "model name", 10)) {
			snprintf(ret_text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
			break;
		}
	}
	if (info)
		fclose(info);
}

/* The command line as it was given. */
static json_t *command_of(const struct cli_args *args)
{
	json_t *json;
	size_t len = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "%s %s", args->program->name, args->command->name);
	for (int i = 0; i < args->n_args; i++)
		fprintf(out, " %s", args->args[i]);
	for (size_t i = 0; i < args->n_given; i++)
		fprintf(out, " --%s%s%s", args->given[i].option->name, args->given[i].option->arg ? " " : "",
			args->given[i].value);
	fclose(out);
	json = json_string(text);
	free(text);
	return json;
}

static json_t *head_of(const struct bench *bench)
{
	const time_t now = time(NULL);
	struct utsname system = {0};
	char cpu[256], date[32];
	struct tm tm;

	uname(&system);
	cpu_name(cpu, sizeof(cpu));
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	return json_pack("{s:i, s:s, s:o, s:s, s:s, s:{s:s, s:i, s:s, s:s}, s:f, s:b}", "schema", 1, "bench",
			 bench->args->command->name, "command", command_of(bench->args), "version", ALOE_VERSION,
			 "date", date, "machine", "cpu", cpu, "cpus", (int)bench->n_cpus, "kernel", system.release,
			 "simd", simd_name(simd_best()), "seconds",
			 round((double)(clock_ns() - bench->progress.began_ns) * 1e-8) / 10, "interrupted",
			 bench->interrupts > 0);
}

static void head_print(const json_t *head, FILE *out)
{
	const char *command, *date, *cpu, *kernel, *simd;
	int cpus, interrupted;
	double seconds;

	if (json_unpack((json_t *)head, "{s:s, s:s, s:{s:s, s:i, s:s, s:s}, s:F, s:b}", "command", &command, "date",
			&date, "machine", "cpu", &cpu, "cpus", &cpus, "kernel", &kernel, "simd", &simd, "seconds",
			&seconds, "interrupted", &interrupted) == 0)
		fprintf(out, "%s\n%s, %d CPUs, %s; Linux %s; %s; %.1f s%s\n", command, cpu, cpus, simd, kernel, date,
			seconds, interrupted ? "; interrupted: what was measured so far" : "");
}

/* ---- close --------------------------------------------------------------------------------------------------------------- */

static void print_all(const struct bench *bench, const json_t *head)
{
	json_t *note;
	size_t i;

	head_print(head, stdout);
	for (i = 0; i < bench->n_tables; i++) {
		putchar('\n');
		table_print(&bench->tables[i], stdout);
	}
	if (json_array_size(bench->notes))
		putchar('\n');
	json_array_foreach(bench->notes, i, note)
	{
		printf("%s\n", json_string_value(note));
	}
}

static void json_all(const struct bench *bench, json_t *head)
{
	json_t *tables = json_object();

	for (size_t i = 0; i < bench->n_tables; i++)
		json_object_set(tables, bench->tables[i].key, bench->tables[i].rows);
	json_object_set_new(head, "tables", tables);
	json_object_set(head, "notes", bench->notes);
	json_dumpf(head, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	putchar('\n');
}

static int csv_write(const struct bench *bench, const char *path)
{
	FILE *out = strcmp(path, "-") ? fopen(path, "we") : stdout;
	int rc = out ? 0 : -errno;

	if (rc == 0 && bench->n_tables)
		table_csv(&bench->tables[0], out);
	if (out && out != stdout && (ferror(out) | fclose(out)))
		rc = -EIO;
	if (rc < 0)
		fprintf(stderr, "%s: --csv %s: %s\n", bench->args->program->name, path, strerror(-rc));
	return rc;
}

static int put_out(struct bench *bench)
{
	const char *csv = cli_get(bench->args, "csv"), *plot = cli_get(bench->args, "plot");
	json_t *head = head_of(bench);
	int rc = 0;

	if (!head)
		return CLI_FAILED;
	if (cli_has(bench->args, "json"))
		json_all(bench, head);
	else if (!csv || strcmp(csv, "-") != 0)
		print_all(bench, head);
	json_decref(head);
	rc = csv ? csv_write(bench, csv) : 0;
	if (plot && rc == 0 && bench->plot.title && bench->plot.n) {
		rc = plot_draw(&bench->plot, plot);
		if (rc < 0)
			fprintf(stderr, "%s: --plot %s: %s\n", bench->args->program->name, plot, strerror(-rc));
	}
	return fflush(stdout) || ferror(stdout) || rc < 0 ? CLI_FAILED : CLI_OK;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

int bench_end(struct bench *bench, int status)
{
	progress_clear(&bench->progress);
	if (status == CLI_OK)
		status = put_out(bench);
	if (status == CLI_OK && bench->interrupts)
		status = BENCH_INTERRUPTED;
	if (status == CLI_OK && bench->missed && cli_has(bench->args, "strict")) {
		fprintf(stderr, "%s %s: --strict: a reference figure was not reached\n", bench->args->program->name,
			bench->args->command->name);
		status = BENCH_MISSED;
	}
	for (size_t i = 0; i < bench->n_tables; i++)
		json_decref(bench->tables[i].rows);
	plot_fini(&bench->plot);
	json_decref(bench->notes);
	close(bench->signal_fd);
	nftw(bench->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return status;
}

/* ---- for several -------------------------------------------------------------------------------------------------------- */

int bench_file(const struct bench *bench, const char *name, char *ret_path, size_t size)
{
	static const char *const places[] = {"../share/aloe", "../.."}; /* seen from the program: installed, built */
	char self[4096];
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len > 0 ? len : 0] = 0;
	if (strrchr(self, '/'))
		*strrchr(self, '/') = 0;
	if (path_print(ret_path, size, "waveforms/%s", name) == 0 && access(ret_path, R_OK) == 0)
		return CLI_OK;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (path_print(ret_path, size, "%s/%s/waveforms/%s", self, places[i], name) == 0 &&
		    access(ret_path, R_OK) == 0)
			return CLI_OK;
	return cli_fail(bench->args, "waveforms/%s is neither here nor in %s/%s; name a waveform with --waveform", name,
			self, places[0]);
}

static int level_parse(const char *word, size_t len, enum simd_level *ret)
{
	for (int level = 0; level < SIMD_LEVELS; level++) {
		const char *name = simd_name((enum simd_level)level);
		if (strlen(name) == len && !memcmp(name, word, len) && simd_has((enum simd_level)level)) {
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
			n += (size_t)snprintf(names + n, sizeof(names) - n, " %s", simd_name((enum simd_level)level));
	cli_fail(bench->args, "--simd %s: levels that this machine has, separated by commas, are needed:%s", text,
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
