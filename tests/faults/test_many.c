/* SPDX-License-Identifier: BSD-3-Clause
 * A node with many hosts (MANY=N: about N of them; `make many`: 1 000): hosts that have nothing to
 * do leave the CPUs alone; `aloe list` answers after exec, the frontend or both were killed, while
 * the hosts stand and while they run, and every waveform is still there, with the same hosts;
 * nobody stays a zombie. The times are printed, and none of them is a reason to fail. */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "tests/faults/node.h"

enum { WAVE_HOSTS = 16, HOSTS = ALOE_SLOWER(48, 32), HOSTS_MAX = 4096, A_SECOND = 200 };

struct many {
	size_t waves, hosts;
	pid_t keeper, pids[HOSTS_MAX + 1];
};

/* ---- the hosts ------------------------------------------------------------------------ */

/* All but the first of them wait for it most of the time. */
static void wave_load(size_t number)
{
	char name[32], text[2048];
	int len = sprintf(text,
	    "name = \"many%zu\"; slot_ns = 1000000; isolation = \"component\";\ninstances: {\n"
	    "source: { component = \"counter_source\"; };\n",
	    number);

	for (int i = 0; i < WAVE_HOSTS - 2; i++)
		len += sprintf(text + len,
		    i > 0 ? "w%d: { component = \"copy\"; };\n"
		          : "w%d: { component = \"faulty\"; nap_us = 20000.0; };\n",
		    i);
	len += sprintf(text + len, "sink: { component = \"null_sink\"; };\n};\nlinks = ( \"source");
	for (int i = 0; i < WAVE_HOSTS - 2; i++)
		len += sprintf(text + len, " -> w%d", i);
	sprintf(text + len, " -> sink\" );\n");
	snprintf(name, sizeof(name), "many%zu.conf", number);
	file_make(aloe_path(name), text, strlen(text));
	ran_free(aloe_ok("load '%s' --clock virtual", aloe_path(name)));
}

static int many_up(void **state)
{
	const size_t waves = (number_of("MANY", HOSTS) + WAVE_HOSTS - 1) / WAVE_HOSTS;
	const uint64_t began = clock_ns();
	struct many *many = calloc(1, sizeof(*many));

	if (many == NULL || waves == 0 || waves * WAVE_HOSTS > HOSTS_MAX || node_up(state) != 0)
		return -1;
	many->keeper = process_one("aloe");
	many->waves = waves;
	many->hosts = waves * WAVE_HOSTS;
	for (size_t w = 0; w < waves; w++)
		wave_load(w);
	assert_int_equal(processes("aloe-host", many->pids, HOSTS_MAX + 1), many->hosts);
	print_message("%zu waveforms of %d hosts are loaded in %.2f s\n", waves, WAVE_HOSTS,
	    (double)(clock_ns() - began) / 1e9);
	*state = many;
	return 0;
}

static int many_down(void **state)
{
	free(*state);
	return node_down(state);
}

/* All of them, the same as before, in that state. */
static void all_are_there(const struct many *many, const struct ran *list, const char *state)
{
	const json_t *waveforms = json_object_get(list->report, "waveforms");
	pid_t pids[HOSTS_MAX + 1];

	assert_int_equal(json_array_size(waveforms), many->waves);
	for (size_t w = 0; w < many->waves; w++)
		assert_string_equal(
		    json_string_value(json_object_get(json_array_get(waveforms, w), "state")),
		    state);
	assert_int_equal(processes("aloe-host", pids, HOSTS_MAX + 1), many->hosts);
	assert_memory_equal(many->pids, pids, many->hosts * sizeof(pids[0]));
}

/* How often a process has given up a CPU to wait for something. */
static unsigned long long switches_of(pid_t pid)
{
	unsigned long long sum = 0, switches;
	const struct dirent *task;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	assert_non_null(tasks);
	while ((task = readdir(tasks)) != NULL) {
		char status[400], line[128];
		FILE *file;

		snprintf(status, sizeof(status), "%s/%s/status", path, task->d_name);
		file = task->d_name[0] != '.' ? fopen(status, "r") : NULL;
		while (file != NULL && fgets(line, sizeof(line), file) != NULL)
			if (sscanf(line, "voluntary_ctxt_switches: %llu", &switches) == 1)
				sum += switches;
		if (file != NULL)
			fclose(file);
	}
	closedir(tasks);
	return sum;
}

static unsigned long long hosts_switches(const struct many *many)
{
	unsigned long long sum = 0;

	for (size_t i = 0; i < many->hosts; i++)
		sum += switches_of(many->pids[i]);
	return sum;
}

/* ---- kills ------------------------------------------------------------------------ */

/* Whoever is to die: "exec", "frontend", "exec frontend". */
static void killed(const struct many *many, const char *victims, const char *state)
{
	static const char *const daemons[] = {"exec", "frontend"};
	pid_t old[2] = {0};
	struct ran *list;
	uint64_t began;
	char name[32];

	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "aloe-%s", daemons[i]);
		if (strstr(victims, daemons[i]) != NULL)
			old[i] = process_one(name);
	}
	began = clock_ns();
	for (int i = 0; i < 2; i++)
		if (old[i] > 0)
			kill(old[i], SIGKILL);
	list = aloe_ok("list --json");
	print_message("%s, %s killed: list answers after %.2f s\n", state, victims,
	    (double)(clock_ns() - began) / 1e9);
	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "aloe-%s", daemons[i]);
		if (old[i] > 0)
			process_other(name, old[i]);
	}
	all_are_there(many, list, state);
	ran_free(list);
}

static void each_is_killed(const struct many *many, const char *state)
{
	killed(many, "exec", state);
	killed(many, "frontend", state);
	killed(many, "exec frontend", state);
}

static void hosts_that_stand(void **state)
{
	const struct many *many = *state;
	const unsigned long long before = hosts_switches(many);

	clock_sleep_until(clock_ns() + 1000000000);
	assert_in_range(hosts_switches(many) - before, 0, many->hosts * A_SECOND);
	each_is_killed(many, "INIT");
}

static void hosts_that_run(void **state)
{
	const struct many *many = *state;

	for (size_t w = 0; w < many->waves; w++)
		ran_free(aloe_ok("start many%zu", w));
	each_is_killed(many, "RUN");
}

/* ---- zombies ------------------------------------------------------------------------ */

/* Their parents have died: the hosts of the first exec end as children of the keeper. */
static void nobody_stays_a_zombie(void **state)
{
	const struct many *many = *state;

	for (size_t w = 0; w < many->waves; w++)
		ran_free(aloe_ok("unload many%zu", w));
	processes_gone("aloe-host");
	zombies_gone(many->keeper);
	zombies_gone(process_one("aloe-frontend"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hosts_that_stand),
	    cmocka_unit_test(hosts_that_run),
	    cmocka_unit_test(nobody_stays_a_zombie),
	};

	return cmocka_run_group_tests(tests, many_up, many_down);
}
