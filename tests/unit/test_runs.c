/* SPDX-License-Identifier: BSD-3-Clause
 * core/report/runs: names of runs, the list with what cannot be read, two runs beside each other,
 * and removal, which takes nothing that no run has made. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/report/runs.h"

static const char text_a[] =
    "{\"schema\":1,\"waveform\":\"w\",\"clock\":\"timer\",\"run_s\":2.5,\"slot_ns\":1000000,"
    "\"slots\":{\"run\":2500,\"missed\":3,\"skipped\":1},\"messages\":{\"absent\":0},"
    "\"lanes\":[{\"lane\":0,\"load_mean\":0.25}],\"instances\":["
    "{\"name\":\"few\",\"mean_us\":2.0,\"build\":\"x\","
    " \"variables\":{\"blocks\":100,\"block_errors\":4}},"
    "{\"name\":\"most\",\"variables\":{\"blocks\":200,\"block_errors\":7}}]}";
static const char text_b[] =
    "{\"schema\":1,\"waveform\":\"w\",\"clock\":\"virtual\",\"run_s\":null,\"slot_ns\":1000000,"
    "\"slots\":{\"run\":2000,\"missed\":0},\"state\":\"ABNSTOP\","
    "\"lanes\":[{\"lane\":1,\"load_mean\":0.5}],\"instances\":["
    "{\"name\":\"few\",\"component\":\"c\",\"mean_us\":3.0,\"build\":\"y\"},{\"name\":\"new\"}]}";

static char state_dir[64];

static int entry_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int folder_make(void **state)
{
	(void)state;
	snprintf(state_dir, sizeof(state_dir), "/tmp/aloe-runs-XXXXXX");
	return mkdtemp(state_dir) ? 0 : -1;
}

static int folder_remove(void **state)
{
	(void)state;
	return nftw(state_dir, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *path_of(const char *run, const char *file)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/runs/%s%s%s", state_dir, run, file[0] ? "/" : "", file);
	return path;
}

static void run_put(const char *run, const char *report)
{
	assert_int_equal(dir_make(path_of(run, "")), 0);
	if (report)
		assert_int_equal(
		    file_write(path_of(run, "report.json"), report, strlen(report)), 0);
}

static json_t *json_of(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	return json;
}

static void test_names(void **state)
{
	static const char *const none[] = {"", "w", "w-20260102-030405x", "w-2026010-030405",
	    "20260102-030405", "-20260102-030405", "w-20260102-030405-", "w-20260102-030405-1000",
	    "w-20260102_030405"};
	struct run_name name;

	(void)state;
	assert_true(run_name_parse("w-1-20260102-030405", &name));
	assert_int_equal(name.waveform, 3);
	assert_string_equal(name.began, "2026-01-02 03:04:05");
	assert_int_equal(name.number, 1);
	assert_true(run_name_parse("w-20260102-030405-20270102-030406-12", &name));
	assert_int_equal(name.waveform, strlen("w-20260102-030405"));
	assert_string_equal(name.began, "2027-01-02 03:04:06");
	assert_int_equal(name.number, 12);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (run_name_parse(none[i], &name))
			fail_msg("\"%s\" is taken for a run", none[i]);
}

/* Of a folder with whatever may lie there: what is a run, in order, and what can be read. */
static void test_list(void **state)
{
	static const char *const names[] = {"w-20260103-000000", "d-20260102-000009",
	    "f-20260102-000008", "p-20260102-000007", "s-20260102-000006", "cut-20260102-000005",
	    "open-20260102-000004", "w-20260101-000000"};
	struct runs runs;
	char *text = NULL;
	size_t len = 0;
	FILE *out;

	(void)state;
	assert_int_equal(runs_scan(state_dir, &runs), 0);
	assert_int_equal(runs.n, 0);
	run_put("w-20260101-000000", text_a);
	run_put("w-20260103-000000", text_b);
	run_put("open-20260102-000004", NULL);
	run_put("cut-20260102-000005", "{\"schema\":1,\"waveform\":");
	run_put("s-20260102-000006", "{\"schema\":2}");
	run_put("p-20260102-000007", NULL);
	assert_int_equal(mkfifo(path_of("p-20260102-000007", "report.json"), 0600), 0);
	run_put("f-20260102-000008", "[1, 2");
	run_put("d-20260102-000009", NULL);
	assert_int_equal(mkdir(path_of("d-20260102-000009", "report.json"), 0700), 0);
	run_put("notes", "no run");
	run_put("w\033[2J-20260102-000001", text_a);
	assert_int_equal(symlink("notes", path_of("l-20260102-000002", "")), 0);
	assert_int_equal(file_write(path_of("file-20260102-000003", ""), "", 0), 0);

	assert_int_equal(runs_scan(state_dir, &runs), 0);
	assert_int_equal(runs.n, sizeof(names) / sizeof(names[0]));
	for (size_t i = 0; i < runs.n; i++)
		assert_string_equal(runs.rows[i].name, names[i]);
	assert_int_equal(runs_read(state_dir, &runs), 0);
	assert_int_equal(runs.n_broken, 5);
	assert_int_equal(runs.n_open, 1);
	assert_int_equal(runs.rows[6].state, RUN_OPEN);
	for (size_t i = 1; i < 6; i++) {
		assert_int_equal(runs.rows[i].state, RUN_BROKEN);
		assert_non_null(strstr(runs.rows[i].reason, "report.json"));
	}
	out = open_memstream(&text, &len);
	runs_print(&runs, out);
	fclose(out);
	assert_string_equal(text,
	    "run                   began                   length     slo"
	    "ts   missed     block errors      clock\n"
	    "w-20260103-000000     2026-01-03 00:00:00          ?      20"
	    "00        0        -              virtual, failed\n"
	    "open-20260102-000004  2026-01-02 00:00:04  no report: the ru"
	    "n goes on, or its node was killed\n"
	    "w-20260101-000000     2026-01-01 00:00:00     2.50 s      25"
	    "00        4        7 of 200       timer\n");
	assert_ptr_equal(runs_find(&runs, "last"), &runs.rows[0]);
	assert_ptr_equal(runs_find(&runs, "w-20260101-000000"), &runs.rows[7]);
	assert_null(runs_find(&runs, "notes"));
	free(text);
	runs_free(&runs);
}

static void test_compare(void **state)
{
	json_t *a = json_of(text_a), *b = json_of(text_b);
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	runs_compare("A", a, "B", b, out);
	fclose(out);
	assert_string_equal(text,
	    "first:  A\nsecond: B\n"
	    "differs: clock is timer, and virtual\n"
	    "differs: state is , and ABNSTOP\n"
	    "differs: few is of another build of c\n"
	    "\n"
	    "                                                  first         second    change\n"
	    "length s                                          2.500              -\n"
	    "slots                                              2500           2000      -500\n"
	    "slots missed                                          3              0        -3\n"
	    "slots skipped                                         1              -\n"
	    "lane 0: load %                                    25.00              -\n"
	    "lane 1: load %                                        -          50.00\n"
	    "few: mean us                                      2.000          3.000   +50.0 %\n"
	    "few: block errors                                     4              -\n"
	    "most                                     only in the first run\n"
	    "new                                      only in the second run\n");
	free(text);
	json_decref(a);
	json_decref(b);
}

/* Instances of one name may be of two components; what looks the same is no change. */
static void test_compare_others(void **state)
{
	json_t *a = json_pack("{s:f, s:[{s:s, s:s, s:s}]}", "capacity_mmac", 1225.2, "instances",
	           "name", "check", "component", "bit_compare", "build", "1"),
	       *b = json_pack("{s:f, s:[{s:s, s:s, s:s}]}", "capacity_mmac", 1224.8, "instances",
	           "name", "check", "component", "utran_crc_check", "build", "2");
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	runs_compare("A", a, "B", b, out);
	fclose(out);
	assert_non_null(strstr(
	    text, "\ndiffers: check is of the component bit_compare, and of utran_crc_check\n"));
	assert_null(strstr(text, "build"));
	assert_non_null(strstr(text,
	    "\ncapacity MMAC/s                                    1225           1225    "
	    "     =\n"));
	free(text);
	json_object_set_new(a, "capacity_mmac", json_real(1224.6));
	json_object_set_new(b, "capacity_mmac", json_real(1224.4));
	out = open_memstream(&text, &len);
	runs_compare("A", a, "B", b, out);
	fclose(out);
	assert_non_null(strstr(text, "1225           1224        -1\n"));
	free(text);
	json_decref(a);
	json_decref(b);
}

static bool lives(const char *dir)
{
	return strcmp(dir, "/here") == 0;
}

static void age(const char *run)
{
	const struct timespec times[2] = {{.tv_sec = 100}, {.tv_sec = 100}};

	assert_int_equal(utimensat(AT_FDCWD, path_of(run, ""), times, 0), 0);
}

static void test_going(void **state)
{
	struct run_row row = {.name = "w-20260101-000000", .state = RUN_OPEN};

	(void)state;
	run_put(row.name, NULL);
	assert_true(run_is_going(state_dir, &row, lives)); /* just begun */
	age(row.name);
	assert_false(run_is_going(state_dir, &row, lives));
	assert_int_equal(file_write(path_of(row.name, "node"), "/gone", 5), 0);
	age(row.name);
	assert_false(run_is_going(state_dir, &row, lives));
	assert_int_equal(file_write(path_of(row.name, "node"), "/here", 5), 0);
	age(row.name);
	assert_true(run_is_going(state_dir, &row, lives));
	row.state = RUN_OVER;
	assert_false(run_is_going(state_dir, &row, lives));
}

static void test_remove(void **state)
{
	char outside[300];

	(void)state;
	run_put("notes", NULL);
	snprintf(outside, sizeof(outside), "%s", path_of("notes", "mine"));
	assert_int_equal(file_write(outside, "x", 1), 0);
	run_put("a-20260101-000000", text_a);
	assert_int_equal(mkdir(path_of("a-20260101-000000", "build-12"), 0700), 0);
	assert_int_equal(file_write(path_of("a-20260101-000000", "build-12/x.so"), "x", 1), 0);
	assert_int_equal(symlink(outside, path_of("a-20260101-000000", "plan.txt")), 0);
	assert_int_equal(run_remove(state_dir, "a-20260101-000000"), 0);
	assert_int_equal(access(path_of("a-20260101-000000", ""), F_OK), -1);
	assert_int_equal(access(outside, F_OK), 0);

	run_put("b-20260101-000000", text_a);
	assert_int_equal(mkdir(path_of("b-20260101-000000", "mine"), 0700), 0);
	assert_int_equal(run_remove(state_dir, "b-20260101-000000"), -ENOTEMPTY);
	assert_int_equal(access(path_of("b-20260101-000000", "report.json"), F_OK), 0);

	assert_int_equal(symlink("notes", path_of("c-20260101-000000", "")), 0);
	assert_true(run_remove(state_dir, "c-20260101-000000") < 0);
	assert_int_equal(access(outside, F_OK), 0);
	assert_int_equal(run_remove(state_dir, "d-20260101-000000"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	    cmocka_unit_test_setup_teardown(test_list, folder_make, folder_remove),
	    cmocka_unit_test(test_compare),
	    cmocka_unit_test(test_compare_others),
	    cmocka_unit_test_setup_teardown(test_going, folder_make, folder_remove),
	    cmocka_unit_test_setup_teardown(test_remove, folder_make, folder_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
