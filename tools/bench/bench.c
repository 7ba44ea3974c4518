/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/plot/picture.h"

/* ---- open ------------------------------------------------------------------------ */

/* Whether a file can be written is known before hours of measuring, not after. */
static int written_check(const struct bench *bench, const char *option)
{
	const char *path = cli_get(bench->args, option);
	const int rc = path && strcmp(path, "-") != 0 ? picture_writable(path) : 0;

	if (rc == 0)
		return CLI_OK;
	cli_fail(bench->args, "--%s %s: the file cannot be written: %s; nothing was measured",
	    option, path, strerror(-rc));
	return CLI_FAILED;
}

static int options_check(const struct bench *bench)
{
	const char *csv = cli_get(bench->args, "csv");

	if (plot_possible(bench->args, "plot") != CLI_OK)
		return CLI_USAGE;
	if (csv && !strcmp(csv, "-") && cli_has(bench->args, "json"))
		return cli_fail(bench->args, "--json and --csv - cannot both use standard output");
	if (cli_has(bench->args, "json") && cli_has(bench->args, "markdown"))
		return cli_fail(
		    bench->args, "--json and --markdown cannot both use standard output");
	return written_check(bench, "plot") == CLI_OK && written_check(bench, "csv") == CLI_OK
	    ? CLI_OK
	    : CLI_FAILED;
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

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* A process of its own removes the folder when the last of those who hold the leash has ended: this
 * process and all that it has started, each in whatever way, kill -9 included. */
static _Noreturn void dir_sweep(const char *dir, int leash)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char end;

	setsid();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && null >= 0; fd++)
		dup2(null, fd);
	while (read(leash, &end, 1) != 0 && errno == EINTR)
		;
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	_exit(0);
}

static int dir_new(struct bench *bench)
{
	const char *tmp = getenv("TMPDIR");
	int rc = path_print(bench->dir, sizeof(bench->dir), "%s/aloe-bench-XXXXXX",
	    tmp && tmp[0] == '/' ? tmp : "/tmp");
	int leash[2];

	rc = rc < 0 ? rc : leash_new(leash);
	if (rc < 0)
		return rc;
	bench->leash = leash[1];
	bench->sweeper = mkdtemp(bench->dir) ? fork() : -1;
	if (bench->sweeper == 0) {
		close(leash[1]);
		dir_sweep(bench->dir, leash[0]);
	}
	rc = bench->sweeper < 0 ? -errno : 0;
	close(leash[0]);
	return rc;
}

static void dir_remove(struct bench *bench)
{
	close(bench->leash);
	while (waitpid(bench->sweeper, NULL, 0) < 0 && errno == EINTR)
		;
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
	rc = options_check(bench);
	if (rc != CLI_OK)
		return rc;
	rc = signals_take(bench);
	if (rc == 0)
		rc = dir_new(bench);
	if (rc < 0) {
		fprintf(stderr, "%s: %s: %s\n", args->program->name,
		    bench->dir[0] ? bench->dir : "signals", strerror(-rc));
		return CLI_FAILED;
	}
	cpus_find(bench);
	if (getloadavg(&bench->load, 1) != 1)
		bench->load = NAN;
	bench->notes = json_array();
	progress_init(&bench->progress, cli_has(args, "quiet"));
	return CLI_OK;
}

/* ---- what a benchmark says ---- */

void bench_table(
    struct bench *bench, const char *key, const char *title, const struct column *columns, size_t n)
{
	if (bench->n_tables < BENCH_TABLES_MAX)
		bench->tables[bench->n_tables++] =
		    (struct table){key, title, columns, n, json_array()};
}

void bench_row(struct bench *bench, json_t *row)
{
	if (!row || json_array_append_new(bench->tables[bench->n_tables - 1].rows, row) < 0)
		fprintf(
		    stderr, "%s: out of memory: a row is missing\n", bench->args->program->name);
}

void bench_note(struct bench *bench, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_whole(text);
	json_array_append_new(bench->notes, json_string(text));
}

const char *bench_judge(struct bench *bench, enum bench_verdict verdict)
{
	static const char *const words[] = {
	    [BENCH_REACHED] = "yes", [BENCH_NOT_REACHED] = "no", [BENCH_NOT_JUDGED] = "-"};

	bench->missed |= verdict == BENCH_NOT_REACHED;
	bench->not_judged += verdict == BENCH_NOT_JUDGED;
	return words[verdict];
}

/* ---- the head ------------------------------------------------------------------------ */

void bench_cpu_name(char *ret_text, size_t size)
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

/* What every command takes says only how its result is shown. */
static bool is_common(const struct cli_args *args, const struct cli_option *option)
{
	return option >= args->program->options.items &&
	    option < args->program->options.items + args->program->options.len;
}

/* The command line as it was given; `measured`: only what matters for what is measured. */
static json_t *command_of(const struct cli_args *args, bool measured)
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
		if (!measured || !is_common(args, args->given[i].option))
			fprintf(out, " --%s%s%s", args->given[i].option->name,
			    args->given[i].option->arg ? " " : "", args->given[i].value);
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
	/* the kernel's version, without who built it for what */
	system.release[strcspn(system.release, "-")] = 0;
	bench_cpu_name(cpu, sizeof(cpu));
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	return json_pack("{s:i, s:s, s:o, s:s, s:s, s:{s:s, s:i, s:s, s:s, s:o}, s:f, s:b}",
	    "schema", 1, "bench", bench->args->command->name, "command",
	    command_of(bench->args, false), "version", ALOE_VERSION, "date", date, "machine", "cpu",
	    cpu, "cpus", (int)bench->n_cpus, "kernel", system.release, "simd",
	    simd_name(simd_best()), "load", json_real_or_null(bench->load), "seconds",
	    round((double)(clock_ns() - bench->progress.began_ns) * 1e-8) / 10, "interrupted",
	    bench->interrupts > 0);
}

/* The command, and the machine with the date: one line each. Whether there are such. */
static bool head_lines(const json_t *head, const char **ret_command, char *ret_machine, size_t size)
{
	const char *date, *cpu, *kernel, *simd;
	int cpus, interrupted;
	double seconds;

	if (json_unpack((json_t *)head, "{s:s, s:s, s:{s:s, s:i, s:s, s:s}, s:F, s:b}", "command",
	        ret_command, "date", &date, "machine", "cpu", &cpu, "cpus", &cpus, "kernel",
	        &kernel, "simd", &simd, "seconds", &seconds, "interrupted", &interrupted) < 0)
		return false;
	snprintf(ret_machine, size, "%s, %d CPUs, %s; Linux %s; %s; %.1f s%s", cpu, cpus, simd,
	    kernel, date, seconds, interrupted ? "; interrupted: results so far" : "");
	return true;
}

static void head_print(const json_t *head, const char *format, FILE *out)
{
	const char *command;
	char machine[512];

	if (head_lines(head, &command, machine, sizeof(machine)))
		fprintf(out, format, command, machine);
}

/* Below the axes: what was run, where, and what else the machine did. */
static void plot_notes(struct bench *bench, const json_t *head)
{
	json_t *command = command_of(bench->args, true);
	const char *given;
	char machine[512];

	if (command && head_lines(head, &given, machine, sizeof(machine))) {
		plot_note(&bench->plot, "%s", json_string_value(command));
		plot_note(&bench->plot, "%s; load when it began: %.1f", machine, bench->load);
	}
	json_decref(command);
}

/* ---- close ------------------------------------------------------------------------ */

static void notes_print(const struct bench *bench, const char *before)
{
	json_t *note;
	size_t i;

	if (json_array_size(bench->notes))
		putchar('\n');
	json_array_foreach(bench->notes, i, note)
	{
		printf("%s%s\n", before, json_string_value(note));
	}
}

/* Whether the user wants to see that table: all, if none is named or none that is named is
 * there. */
static bool table_named(const struct bench *bench, const struct table *table)
{
	for (size_t i = 0; cli_nth(bench->args, "table", i); i++)
		if (!strcmp(cli_nth(bench->args, "table", i), table->key))
			return true;
	return false;
}

static bool table_wanted(const struct bench *bench, const struct table *table)
{
	for (size_t i = 0; i < bench->n_tables; i++)
		if (table_named(bench, &bench->tables[i]))
			return table_named(bench, table);
	return true;
}

static void names_check(const struct bench *bench)
{
	if (!cli_has(bench->args, "table"))
		return;
	for (size_t i = 0; i < bench->n_tables; i++)
		if (table_named(bench, &bench->tables[i]))
			return;
	fprintf(stderr,
	    "%s: --table: no table has that name; the tables are:", bench->args->program->name);
	for (size_t i = 0; i < bench->n_tables; i++)
		fprintf(stderr, " %s", bench->tables[i].key);
	fputc('\n', stderr);
}

/* Each key that is asked for has to be in a table that is shown. */
static void columns_check(const struct bench *bench)
{
	const char *keys = cli_get(bench->args, "columns");

	while (keys && *keys) {
		const size_t len = strcspn(keys, ",");
		struct column columns[TABLE_COLUMNS_MAX];
		char key[64];
		size_t n = 0;

		snprintf(key, sizeof(key), "%.*s", (int)len, keys);
		for (size_t i = 0; i < bench->n_tables; i++)
			if (table_wanted(bench, &bench->tables[i]))
				n += table_pick(&bench->tables[i], key, columns);
		if (n == 0)
			fprintf(stderr,
			    "%s: --columns: no table has the column %s; --json shows the names of "
			    "the columns\n",
			    bench->args->program->name, key);
		keys += len + (keys[len] == ',');
	}
}

/* The table with the columns that the user wants to see: all, if it has none of those. */
static void table_show(const struct bench *bench, const struct table *table,
    void (*show)(const struct table *table, FILE *out), FILE *out)
{
	const char *keys = cli_get(bench->args, "columns");
	struct column columns[TABLE_COLUMNS_MAX];
	struct table shown = *table;
	const size_t n = keys ? table_pick(table, keys, columns) : 0;

	if (n > 0) {
		shown.columns = columns;
		shown.n_columns = n;
	}
	show(&shown, out);
}

static void print_all(const struct bench *bench, const json_t *head)
{
	const bool markdown = cli_has(bench->args, "markdown");

	head_print(head, markdown ? "`%s`\n\n%s\n" : "%s\n%s\n", stdout);
	for (size_t i = 0; i < bench->n_tables; i++) {
		if (!table_wanted(bench, &bench->tables[i]))
			continue;
		putchar('\n');
		table_show(
		    bench, &bench->tables[i], markdown ? table_markdown : table_print, stdout);
	}
	notes_print(bench, markdown ? "* " : "");
}

static void json_all(const struct bench *bench, json_t *head)
{
	json_t *tables = json_object();

	for (size_t i = 0; i < bench->n_tables; i++)
		json_object_set(tables, bench->tables[i].key, bench->tables[i].rows);
	json_object_set_new(head, "tables", tables);
	if (!plot_is_empty(&bench->plot))
		json_object_set_new(head, "plot", plot_json(&bench->plot));
	json_object_set(head, "notes", bench->notes);
	json_dumpf(head, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	putchar('\n');
}

static int csv_write(const struct bench *bench, const char *path)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int status = CLI_FAILED;

	for (size_t i = 0; i < bench->n_tables && out; i++)
		if (table_wanted(bench, &bench->tables[i])) {
			table_show(bench, &bench->tables[i], table_csv, out);
			break;
		}
	if (out && fclose(out) == 0)
		status = picture_write(bench->args->program->name, path, text, len);
	free(text);
	return status;
}

static int figure_write(const struct bench *bench, const char *path)
{
	if (!bench->interrupts || !plot_is_empty(&bench->plot))
		return plot_draw(&bench->plot, bench->args->program->name, path);
	fprintf(stderr,
	    "%s: --plot %s: interrupted before there was a point to draw, so no file is written\n",
	    bench->args->program->name, path);
	return CLI_OK;
}

static const char why_not_judged[] =
    "what the figure is held against was not measured or did not hold";

static int put_out(struct bench *bench)
{
	const char *csv = cli_get(bench->args, "csv"), *plot = cli_get(bench->args, "plot");
	json_t *head = head_of(bench);
	int status = CLI_OK;

	if (!head)
		return CLI_FAILED;
	if (bench->not_judged > 0)
		bench_note(bench, "not judged (-): %u row%s, because %s", bench->not_judged,
		    plural(bench->not_judged), why_not_judged);
	names_check(bench);
	columns_check(bench);
	plot_notes(bench, head);
	if (cli_has(bench->args, "json"))
		json_all(bench, head);
	else if (!csv || strcmp(csv, "-") != 0)
		print_all(bench, head);
	json_decref(head);
	if (csv)
		status = csv_write(bench, csv);
	if (plot && status == CLI_OK)
		status = figure_write(bench, plot);
	return fflush(stdout) || ferror(stdout) ? CLI_FAILED : status;
}

/* The exit status of --strict. */
static int strict_judge(const struct bench *bench)
{
	const char *program = bench->args->program->name, *command = bench->args->command->name;

	if (bench->not_judged > 0)
		fprintf(stderr, "%s %s: --strict: %u row%s not judged, because %s\n", program,
		    command, bench->not_judged, bench->not_judged == 1 ? " was" : "s were",
		    why_not_judged);
	if (!bench->missed)
		return CLI_OK;
	fprintf(stderr, "%s %s: --strict: a reference figure was not reached\n", program, command);
	return BENCH_MISSED;
}

int bench_end(struct bench *bench, int status)
{
	progress_clear(&bench->progress);
	if (status == CLI_OK)
		status = put_out(bench);
	if (status == CLI_OK && bench->interrupts)
		status = BENCH_INTERRUPTED;
	if (status == CLI_OK && cli_has(bench->args, "strict"))
		status = strict_judge(bench);
	for (size_t i = 0; i < bench->n_tables; i++)
		json_decref(bench->tables[i].rows);
	plot_fini(&bench->plot);
	json_decref(bench->notes);
	close(bench->signal_fd);
	dir_remove(bench);
	return status;
}

int bench_main(const struct cli_args *args, const struct bench_parts *parts)
{
	struct bench bench, **self = calloc(1, parts->size);
	int status = self ? bench_begin(&bench, args) : CLI_FAILED;
	bool failed = false;

	if (status == CLI_OK) {
		*self = &bench;
		status = parts->options(self);
		if (status == CLI_OK) {
			status = parts->measure(self);
			failed = status == CLI_FAILED;
			if (failed)
				bench_note(
				    &bench, "a run has failed: these are the results until then");
			if (status == CLI_OK || failed ||
			    (status == BENCH_INTERRUPTED && bench.interrupts)) {
				parts->result(self);
				status = CLI_OK;
			}
		}
		status = bench_end(&bench, status);
		if (parts->fini)
			parts->fini(self);
	}
	free(self);
	return failed && status == CLI_OK ? CLI_FAILED : status;
}
