/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/aloe.h"

#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"

enum { COMMAND = 8192, TAKEN_S = 120, TAKEN_MS = 500 };

static const char taken[] = "taken by the lane of another ALOE node (pid ";

bool aloe_part(const char *part)
{
	const char *wanted = getenv("TEST_PART");

	return wanted == NULL || strcmp(wanted, part) == 0;
}

/* ---- folders ------------------------------------------------------------------------ */

/* The working folder stands in the environment, so that nothing need stand in a variable. */
static const char folder_key[] = "ALOE_TEST_FOLDER";

static const char *kept(const char *folder, const char *name)
{
	char key[64], path[PATH_MAX];

	assert_true(snprintf(path, sizeof(path), "%s/%s", folder, name) < PATH_MAX);
	assert_true(snprintf(key, sizeof(key), "ALOE_TEST_%zx_%s", strlen(folder), name) <
	    (int)sizeof(key));
	setenv(key, path, 1);
	return getenv(key);
}

const char *aloe_path(const char *name)
{
	return kept(getenv(folder_key), name);
}

const char *aloe_program(const char *name)
{
	char path[PATH_MAX];
	const ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(len > 0);
	path[len] = 0;
	for (int up = 0; up < 3; up++) /* BUILD/tests/SUITE/PROGRAM */
		*strrchr(path, '/') = 0;
	strcat(path, "/bin");
	return kept(path, name);
}

/* What tests/run.sh has measured of this machine, for the nodes that keep their runs here. */
static int capacity_copy(const char *state)
{
	const char *from = getenv("ALOE_TEST_CAPACITY");
	char command[2 * PATH_MAX + 64];

	if (!from)
		return 0;
	snprintf(command, sizeof(command), "mkdir -p '%s/aloe' && cp -R '%s' '%s/aloe/capacity'",
	    state, from, state);
	return system(command) == 0 ? 0 : -1;
}

int aloe_init(void **state)
{
	const char *base = getenv("TMPDIR");
	char folder[PATH_MAX];

	(void)state;
	snprintf(folder, sizeof(folder), "%s/aloe-test.XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(folder))
		return -1;
	setenv(folder_key, folder, 1);
	mkdir(aloe_path("run"), 0700);
	setenv("XDG_RUNTIME_DIR", aloe_path("run"), 1);
	setenv("XDG_STATE_HOME", aloe_path("state"), 1);
	return capacity_copy(aloe_path("state"));
}

int aloe_fini(void **state)
{
	const bool left = rmdir(aloe_path("run")) != 0;
	char command[PATH_MAX + 16];

	(void)state;
	if (left)
		print_error("runs have left something behind:\n");
	snprintf(command, sizeof(command), "%s '%s'", left ? "find" : "true", aloe_path("run"));
	if (system(command) != 0)
		return -1;
	snprintf(command, sizeof(command), "rm -rf '%s'", getenv(folder_key));
	return system(command) != 0 || left ? -1 : 0;
}

/* ---- files ------------------------------------------------------------------------ */

void *file_take(const char *path, size_t *ret_len)
{
	FILE *file = fopen(path, "rb");
	char *data;
	long len;

	if (!file)
		fail_msg("%s cannot be read", path);
	fseek(file, 0, SEEK_END);
	len = ftell(file);
	rewind(file);
	data = malloc((size_t)len + 1);
	assert_non_null(data);
	assert_int_equal(fread(data, 1, (size_t)len, file), len);
	data[len] = 0;
	fclose(file);
	if (ret_len)
		*ret_len = (size_t)len;
	return data;
}

void file_make(const char *path, const void *data, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

void files_equal(const char *a, const char *b)
{
	size_t a_len, b_len, at = 0;
	uint8_t *a_data = file_take(a, &a_len), *b_data = file_take(b, &b_len);

	while (at < a_len && at < b_len && a_data[at] == b_data[at])
		at++;
	if (a_len != b_len || at != a_len)
		fail_msg(
		    "%s (%zu bytes) and %s (%zu bytes) differ at byte %zu", a, a_len, b, b_len, at);
	free(a_data);
	free(b_data);
}

void file_sha256(const char *path, char ret_hex[65])
{
	char command[PATH_MAX + 32];
	FILE *pipe;

	snprintf(command, sizeof(command), "sha256sum '%s'", path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%64s", ret_hex), 1);
	assert_int_equal(pclose(pipe), 0);
	assert_int_equal(strlen(ret_hex), 64);
}

const char *conf_derive(const char *from, const char *name, const char *const edits[][2])
{
	char *text = file_take(from, NULL);
	const char *path = aloe_path(name);

	for (int i = 0; edits[i][0]; i++) {
		const size_t size = strlen(text) + strlen(edits[i][1]) + 1;
		char *at = strstr(text, edits[i][0]), *next = malloc(size);

		if (!at || strstr(at + 1, edits[i][0]))
			fail_msg(
			    "%s: `%s` is %s", from, edits[i][0], at ? "there twice" : "not there");
		assert_non_null(next);
		snprintf(next, size, "%.*s%s%s", (int)(at - text), text, edits[i][1],
		    at + strlen(edits[i][0]));
		free(text);
		text = next;
	}
	file_make(path, text, strlen(text));
	free(text);
	return path;
}

/* ---- runs ------------------------------------------------------------------------ */

/* Rows of tests/run.sh that stand side by side have a lane each, for runs that name none. */
static const char *lane_of_row(const char *arguments)
{
	const char *lane = getenv("ALOE_TEST_LANE");

	const bool takes = !strncmp(arguments, "run ", 4) || !strncmp(arguments, "load ", 5);

	return lane && takes && !strstr(arguments, "--lanes") ? lane : NULL;
}

void aloe_off_lane(void)
{
	const char *lane = getenv("ALOE_TEST_LANE");
	cpu_set_t set;

	if (lane == NULL || sched_getaffinity(0, sizeof(set), &set) != 0)
		return;
	CPU_CLR((size_t)atoi(lane), &set);
	if (CPU_COUNT(&set) > 0)
		sched_setaffinity(0, sizeof(set), &set);
}

static struct ran *run_once(const char *arguments)
{
	char command[COMMAND + 3 * PATH_MAX];
	struct ran *ran = calloc(1, sizeof(*ran));
	const char *lane = lane_of_row(arguments);
	int status;

	assert_non_null(ran);
	snprintf(command, sizeof(command), "'%s' %s%s%s >'%s' 2>'%s' </dev/null",
	    aloe_program("aloe"), arguments, lane ? " --lanes " : "", lane ? lane : "",
	    aloe_path("out"), aloe_path("err"));
	status = system(command);
	assert_true(status != -1);
	ran->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	ran->out = file_take(aloe_path("out"), NULL);
	ran->err = file_take(aloe_path("err"), NULL);
	if (ran->out[0] == '{' || ran->out[0] == '[')
		ran->report = json_loads(ran->out, JSON_REJECT_DUPLICATES, NULL);
	return ran;
}

static void taken_fail(const struct ran *ran, const char *arguments)
{
	const char *at = strstr(ran->err, taken);
	const int pid = at ? atoi(at + strlen(taken)) : 0;
	char path[64], command[512] = "";
	size_t len;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	file = pid > 0 ? fopen(path, "r") : NULL;
	len = file ? fread(command, 1, sizeof(command) - 1, file) : 0;
	for (size_t i = 0; i + 1 < len; i++)
		command[i] = command[i] ? command[i] : ' ';
	if (file)
		fclose(file);
	fail_msg("aloe %s: waited %d s for a CPU; pid %d holds it (`%s`)\n%s", arguments, TAKEN_S,
	    pid, len ? command : "no such process in this container", ran->err);
}

/* Real-time lanes have their CPU for themselves; the test of somebody else may have it just now. */
static struct ran *run(const char *arguments)
{
	const uint64_t until = clock_ns() + (uint64_t)TAKEN_S * 1000000000;
	struct ran *ran = run_once(arguments);

	while (ran->status == 2 && strstr(ran->err, "taken by the lane of another")) {
		if (clock_ns() > until)
			taken_fail(ran, arguments);
		ran_free(ran);
		poll(NULL, 0, TAKEN_MS);
		ran = run_once(arguments);
	}
	return ran;
}

struct ran *aloe(const char *format, ...)
{
	char arguments[COMMAND];
	va_list args;

	va_start(args, format);
	assert_true(vsnprintf(arguments, sizeof(arguments), format, args) < COMMAND);
	va_end(args);
	return run(arguments);
}

struct ran *aloe_once(const char *format, ...)
{
	char arguments[COMMAND];
	va_list args;

	va_start(args, format);
	assert_true(vsnprintf(arguments, sizeof(arguments), format, args) < COMMAND);
	va_end(args);
	return run_once(arguments);
}

struct ran *aloe_ends(int status, const char *format, ...)
{
	char arguments[COMMAND];
	struct ran *ran;
	va_list args;

	va_start(args, format);
	assert_true(vsnprintf(arguments, sizeof(arguments), format, args) < COMMAND);
	va_end(args);
	ran = run(arguments);
	if (ran->status != status)
		fail_msg("aloe %s: exit %d, not %d\n%.500s%.400s", arguments, ran->status, status,
		    ran->err, ran->out);
	return ran;
}

void ran_free(struct ran *ran)
{
	json_decref(ran->report);
	free(ran->out);
	free(ran->err);
	free(ran);
}

char *aloe_help(const char *component)
{
	struct ran *ran = aloe_ok("help %s", component);
	char *text = strdup(ran->out), *to = text;

	assert_non_null(text);
	for (const char *from = text; *from; from++)
		if (*from != '\n' && *from != ' ')
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = 0;
	ran_free(ran);
	return text;
}

/* ---- reports ------------------------------------------------------------------------ */

static const json_t *at_path(const struct ran *ran, const char *path)
{
	const json_t *value = ran->report;
	char text[256], *rest = text;

	snprintf(text, sizeof(text), "%s", path);
	for (const char *key; value && (key = strsep(&rest, "."));)
		value = json_is_array(value) ? json_array_get(value, (size_t)strtoul(key, NULL, 10))
		                             : json_object_get(value, key);
	if (!value)
		fail_msg("no %s in:\n%s\n%s", path, ran->out, ran->err);
	return value;
}

bool ran_is_null(const struct ran *ran, const char *path)
{
	return json_is_null(at_path(ran, path));
}

double ran_number(const struct ran *ran, const char *path)
{
	const json_t *value = at_path(ran, path);

	if (!json_is_number(value))
		fail_msg("%s is no number", path);
	return json_number_value(value);
}

const char *ran_text(const struct ran *ran, const char *path)
{
	const json_t *value = at_path(ran, path);

	if (!json_is_string(value))
		fail_msg("%s is no text", path);
	return json_string_value(value);
}

double ran_variable(const struct ran *ran, const char *name)
{
	const json_t *instances = at_path(ran, "instances"), *instance;
	const char *dot = strchr(name, '.');
	size_t i;

	assert_non_null(dot);
	json_array_foreach(instances, i, instance)
	{
		const char *have = json_string_value(json_object_get(instance, "name"));
		const json_t *value =
		    json_object_get(json_object_get(instance, "variables"), dot + 1);

		if (have && strlen(have) == (size_t)(dot - name) &&
		    !strncmp(have, name, strlen(have)) && value)
			return json_number_value(value);
	}
	fail_msg("no variable %s in:\n%s", name, ran->out);
	return 0;
}

bool ran_clean(const struct ran *ran)
{
	static const char *const counts[] = {"slots.skipped", "slots.missed", "slots.slipped",
	    "messages.absent", "messages.late", "messages.lost", "messages.overwritten"};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const double n = ran_number(ran, counts[i]);

		if (n == 0)
			continue;
		print_message("not clean: %s is %.0f\n%s", counts[i], n, ran->err);
		return false;
	}
	return true;
}

int ran_lines(const char *text)
{
	int lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}
