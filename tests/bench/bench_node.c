/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A whole node, by `aloe run` and its report: what isolation costs (bpsk on a slot of 1 ms: one
 * process, and one for each of its four instances), how late slots begin beside a bare thread that
 * sleeps and spins likewise, and what memory the processes have for themselves, by daemon, host and
 * instance.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/json/json.h"
#include "core/platform/platform.h"
#include "tests/bench/pairs.h"

enum {
	REPETITIONS = 3,
	SLOTS = 2000,
	EDGES = 2000,
	EDGE_NS = 1000000,
	SPIN_NS = 50000,
	NAMES = 6,
	TRIES = 10
};

struct process {
	const char *name;
	int n;
	double private_kb, rss_kb;
};

struct run {
	json_t *report;
	struct process seen[NAMES];
};

static char *build_folder(void)
{
	static char path[PATH_MAX];
	const ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	for (int up = 0; len > 0 && up < 3 && strrchr(path, '/') != NULL; up++)
		*strrchr(path, '/') = 0;
	return path;
}

/* ---- memory: the processes that a run has started ---- */

static double rollup(FILE *file, double *ret_rss)
{
	char line[256];
	double private_kb = 0, kb;

	while (fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "Private_Clean: %lf", &kb) == 1 ||
		    sscanf(line, "Private_Dirty: %lf", &kb) == 1)
			private_kb += kb;
		else if (sscanf(line, "Rss: %lf", &kb) == 1)
			*ret_rss = kb;
	return private_kb;
}

static int parent_of(int pid)
{
	char path[64];
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (file != NULL && fscanf(file, "%*d %*s %*c %d", &parent) != 1)
		parent = 0;
	if (file != NULL)
		fclose(file);
	return parent;
}

static bool descends(int pid, int from)
{
	while (pid > 1 && pid != from)
		pid = parent_of(pid);
	return pid == from;
}

static void look_at(struct run *run, int pid, pid_t from)
{
	char path[64], name[64];
	double rss_kb = 0;
	int at = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = descends(pid, from) ? fopen(path, "re") : NULL;
	if (file == NULL)
		return;
	if (fscanf(file, "%63s", name) == 1)
		for (int i = 0; i < NAMES; i++)
			at = strcmp(run->seen[i].name, name) == 0 ? i : at;
	fclose(file);
	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	file = at >= 0 ? fopen(path, "re") : NULL;
	if (file == NULL)
		return;
	run->seen[at].n++;
	run->seen[at].private_kb += rollup(file, &rss_kb);
	run->seen[at].rss_kb += rss_kb;
	fclose(file);
}

static void look_round(struct run *run, pid_t from)
{
	static const char *const names[NAMES] = {
	    "aloe", "aloe-frontend", "aloe-exec", "aloe-stats", "aloe-swman", "aloe-host"};
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	for (int i = 0; i < NAMES; i++)
		run->seen[i] = (struct process){.name = names[i]};
	while (proc != NULL && (entry = readdir(proc)) != NULL)
		if (atoi(entry->d_name) > 0)
			look_at(run, atoi(entry->d_name), from);
	if (proc != NULL)
		closedir(proc);
}

/* ---- runs ------------------------------------------------------------------------ */

static void exec_aloe(const char *waveform, const char *isolation, int out)
{
	char program[PATH_MAX + 16], slots[16];

	dup2(out, 1);
	snprintf(program, sizeof(program), "%s/bin/aloe", build_folder());
	snprintf(slots, sizeof(slots), "%d", SLOTS);
	execl(program, "aloe", "run", waveform, "--slots", slots, "--clock", "timer", "--isolation",
	    isolation, "--json", "-q", NULL);
	_exit(127);
}

/* One `aloe run`, looked at in its middle. False where it failed: it has said why. */
static bool try_once(const char *waveform, const char *isolation, struct run *ret)
{
	char path[] = "/tmp/aloe-bench-XXXXXX";
	const int out = mkstemp(path);
	int status;
	pid_t pid;

	fflush(stdout);
	pid = out >= 0 ? fork() : -1;
	if (pid < 0)
		return false;
	if (pid == 0)
		exec_aloe(waveform, isolation, out);
	clock_sleep_until(clock_ns() + 1500000000);
	look_round(ret, pid);
	waitpid(pid, &status, 0);
	ret->report = status == 0 ? json_load_file(path, 0, NULL) : NULL;
	unlink(path);
	close(out);
	return ret->report != NULL;
}

/* Another node may have the CPU: one at a time keeps real-time lanes on it. */
static bool run_once(const char *waveform, const char *isolation, struct run *ret)
{
	for (int i = 0; i < TRIES; i++) {
		if (try_once(waveform, isolation, ret))
			return true;
		clock_sleep_until(clock_ns() + 1000000000);
	}
	return false;
}

static double number(const struct run *run, const char *a, const char *b, const char *c)
{
	const json_t *at = json_object_get(run->report, a);

	if (json_is_array(at))
		at = json_array_get(at, 0);
	at = json_object_get(at, b);
	return json_number_value(c != NULL ? json_object_get(at, c) : at);
}

/* ---- isolation ------------------------------------------------------------------------ */

static void print_memory(const struct run *run)
{
	double largest = 0;

	printf("   memory:");
	for (int i = 0; i < NAMES; i++) {
		const double n = run->seen[i].n, private_mb = run->seen[i].private_kb / 1024 / n;

		if (n == 0)
			continue;
		printf("  %s%s %.2f (%.1f)", run->seen[i].name, n > 1 ? " each" : "", private_mb,
		    run->seen[i].rss_kb / 1024 / n);
		largest = private_mb > largest ? private_mb : largest;
	}
	printf("  MB private (resident); reach 3 MB each, largest %.2f MB: %s\n", largest,
	    largest <= 3 ? "met" : "missed");
}

static double run_isolation(const char *isolation)
{
	double middle[REPETITIONS];
	struct run run = {0};
	int n = 0;

	for (int i = 0; i < REPETITIONS; i++) {
		if (!run_once("waveforms/bpsk.conf", isolation, &run))
			continue;
		middle[n++] = number(&run, "latency", "measured_us", "p50");
		printf("isolation %-10s source to sink p50 %.2f us, p99 %.2f; load %.2f %%; slots "
		       "begin p50 %.2f us late, p99 %.2f, max %.1f; %.0f skipped, %.0f missed\n",
		    isolation, middle[n - 1], number(&run, "latency", "measured_us", "p99"),
		    100 * number(&run, "lanes", "load_mean", NULL),
		    number(&run, "lanes", "late_us", "p50"),
		    number(&run, "lanes", "late_us", "p99"),
		    number(&run, "lanes", "late_us", "max"), number(&run, "slots", "skipped", NULL),
		    number(&run, "slots", "missed", NULL));
		if (i == REPETITIONS - 1)
			print_memory(&run);
		json_decref(run.report);
	}
	qsort(middle, (size_t)n, sizeof(double), pairs_compare);
	return n > 0 ? middle[n / 2] : NAN;
}

/* ---- instances ------------------------------------------------------------------------ */

static bool write_chain(const char *path, int copies)
{
	FILE *file = fopen(path, "we");

	if (file == NULL)
		return false;
	fputs("name = \"chain\"; slot_ns = 1000000;\ninstances: { s: { component = "
	      "\"counter_source\"; };\n",
	    file);
	for (int i = 0; i < copies; i++)
		fprintf(file, "c%d: { component = \"copy\"; };\n", i);
	fputs("k: { component = \"null_sink\"; }; };\nlinks = ( \"s", file);
	for (int i = 0; i < copies; i++)
		fprintf(file, " -> c%d", i);
	fputs(" -> k\" );\n", file);
	return fclose(file) == 0;
}

/* The host's memory, private and shared, with many small instances less that with few: buffers of 8
 * bytes hardly count. */
static void run_instances(void)
{
	enum { FEW = 10, MANY = 210 };
	char path[] = "/tmp/aloe-bench-conf-XXXXXX";
	const int fd = mkstemp(path);
	struct run few = {0}, many = {0};

	if (fd >= 0 && write_chain(path, FEW) && run_once(path, "waveform", &few) &&
	    write_chain(path, MANY) && run_once(path, "waveform", &many)) {
		const double kb = (many.seen[5].private_kb - few.seen[5].private_kb) / (MANY - FEW);

		printf("-- an instance (copy, one link): %.1f kB private in the host, %.1f kB with "
		       "the image; reach 16 kB: %s\n",
		    kb, (many.seen[5].rss_kb - few.seen[5].rss_kb) / (MANY - FEW),
		    kb <= 16 ? "met" : "missed");
		print_memory(&many);
		printf("   lane: %d copies in %.2f us, load %.2f %%\n", MANY,
		    number(&many, "latency", "measured_us", "p50"),
		    100 * number(&many, "lanes", "load_mean", NULL));
		json_decref(few.report);
		json_decref(many.report);
	}
	close(fd);
	unlink(path);
}

/* ---- the machine itself ---- */

static void run_bare_edges(void)
{
	static double late[EDGES];
	const int wake = platform_wake_fast();
	uint64_t edge = clock_ns() + EDGE_NS, now;

	platform_pin(0);
	platform_realtime(0, PLATFORM_PRIORITY_LANE);
	platform_no_slack();
	for (int i = 0; i < EDGES; i++, edge += EDGE_NS) {
		clock_sleep_until(edge - SPIN_NS);
		while ((now = clock_ns()) < edge)
			cpu_relax();
		late[i] = (double)(now - edge);
	}
	platform_demote(0);
	if (wake >= 0)
		close(wake);
	qsort(late, EDGES, sizeof(double), pairs_compare);
	printf("bare thread, sleeps to the edge less %d us, spins: p50 %.2f us late, p99 %.2f, max "
	       "%.1f\n",
	    SPIN_NS / 1000, late[EDGES / 2] / 1e3, late[EDGES * 99 / 100] / 1e3,
	    late[EDGES - 1] / 1e3);
}

int main(void)
{
	double one, four;

	printf("-- isolation: bpsk, %d slots of 1 ms, %d runs each\n", SLOTS, REPETITIONS);
	one = run_isolation("waveform");
	four = run_isolation("component");
	printf("four processes instead of one: %.2f us a slot more, %.2f us for each of 3 "
	       "hand-overs on the way\n",
	    four - one, (four - one) / 3);
	run_bare_edges();
	run_instances();
	return 0;
}
