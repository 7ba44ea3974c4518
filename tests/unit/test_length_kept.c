/* SPDX-License-Identifier: BSD-3-Clause
 * core/report/store.h: which lengths of an instance are kept, from run to run, and that nothing of
 * them is lost. */
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/json/json.h"
#include "core/measure/local.h"
#include "core/report/store.h"

struct kept {
	char dir[128], so[160];
	struct class_rates here;
	struct component_build build;
	struct component_type type;
	struct wf_instance instance;
	struct waveform waveform;
};

static int remove_one(const char *path, const struct stat *stat, int flag, struct FTW *walk)
{
	(void)stat;
	(void)flag;
	(void)walk;
	return remove(path);
}

static int kept_open(void **state)
{
	struct kept *kept = calloc(1, sizeof(*kept));
	const char *tmp = getenv("TMPDIR");

	if (!kept)
		return -1;
	snprintf(kept->dir, sizeof(kept->dir), "%s/test-length-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(kept->dir) || local_calibrate(kept->dir) < 0) {
		free(kept);
		return -1;
	}
	local_rates(kept->dir, &kept->here);
	snprintf(kept->so, sizeof(kept->so), "%s/mod.so", kept->dir);
	kept->type =
	    (struct component_type){.name = (char *)"mod", .path = kept->so, .build = &kept->build};
	kept->instance = (struct wf_instance){.name = (char *)"src", .type = &kept->type};
	kept->waveform =
	    (struct waveform){.name = (char *)"w", .instances = &kept->instance, .n_instances = 1};
	*state = kept;
	return file_write(kept->so, "one", 3);
}

static int kept_close(void **state)
{
	struct kept *kept = *state;

	nftw(kept->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(kept);
	return 0;
}

/* A run of 1300 slots whose instance had messages of so many bytes. */
static json_t *run_of(struct kept *kept, int missed, int bytes, double p50_us)
{
	json_t *report =
	    json_pack("{s:s, s:s, s:{s:i, s:i, s:i}, s:[{s:s, s:i, s:f, s:f, s:s, s:i}]}",
	        "waveform", "w", "clock", "timer", "slots", "run", 1300, "missed", missed,
	        "skipped", 0, "instances", "name", "src", "calls", 1300, "p50_us", p50_us, "p99_us",
	        100.0, "build", component_build(&kept->type), "bytes", bytes);

	assert_non_null(report);
	return report;
}

/* `said`: a part of the error; NULL: there is none. */
static int report_keep(struct kept *kept, const json_t *report, const char *said)
{
	struct diag diag;
	int rc;

	diag_init(&diag);
	rc = store_profile_write(kept->dir, report, &kept->here, &diag);
	assert_int_equal(diag.len, said ? 1 : 0);
	if (said)
		assert_non_null(strstr(diag.lines[0], said));
	diag_fini(&diag);
	return rc;
}

static void run_keep(struct kept *kept, int missed, int bytes, double p50_us)
{
	json_t *report = run_of(kept, missed, bytes, p50_us);

	assert_int_equal(report_keep(kept, report, NULL), 0);
	json_decref(report);
}

/* The lengths that are kept, the newest first, each with its p50 in us. */
static void lengths_are(struct kept *kept, const char *want)
{
	const struct profile_entry *entry;
	struct profile profile;
	struct diag diag;
	char text[128] = "";
	size_t len = 0;

	diag_init(&diag);
	assert_int_equal(store_profile_read(kept->dir, &kept->waveform, &diag, &profile), 0);
	entry = plan_profile_find(&profile, "src");
	for (size_t p = 0; entry && p < entry->n_points; p++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%llu:%.0f ",
		    (unsigned long long)entry->points[p].bytes,
		    entry->points[p].kmac_p50 * 1000 / kept->here.mmac_per_s);
	assert_string_equal(text, want);
	plan_profile_fini(&profile);
	diag_fini(&diag);
}

static void test_beside(void **state)
{
	run_keep(*state, 0, 100, 3);
	lengths_are(*state, "100:3 ");
	run_keep(*state, 0, 400, 6);
	lengths_are(*state, "400:6 100:3 ");
	run_keep(*state, 0, 100, 4); /* again */
	lengths_are(*state, "100:4 400:6 ");
	for (int bytes = 1; bytes <= 6; bytes++)
		run_keep(*state, 0, bytes, 5);
	lengths_are(*state, "6:5 5:5 4:5 3:5 ");
	run_keep(*state, 0, 0, 5); /* nobody knows */
	lengths_are(*state, "0:5 ");
	run_keep(*state, 0, 100, 3);
	lengths_are(*state, "100:3 ");
}

/* A run that missed slots does not take the place of one of the same length that missed none, and
 * what it has of another length does not stay beside a run that missed none. */
static void test_missed(void **state)
{
	run_keep(*state, 0, 100, 3);
	run_keep(*state, 13, 100, 30);
	lengths_are(*state, "100:3 ");
	run_keep(*state, 13, 400, 60);
	lengths_are(*state, "400:60 100:3 ");
	run_keep(*state, 0, 200, 5);
	lengths_are(*state, "200:5 100:3 ");
	run_keep(*state, 1, 100, 30);
	lengths_are(*state, "200:5 100:3 ");
	run_keep(*state, 1, 0, 30); /* nobody knows that it is another length */
	lengths_are(*state, "200:5 100:3 ");
	run_keep(*state, 2, 400, 60);
	run_keep(*state, 3, 400, 70);
	lengths_are(*state, "400:70 200:5 100:3 ");
	run_keep(*state, 1, 800, 90);
	lengths_are(*state, "800:90 200:5 100:3 ");
	run_keep(*state, 0, 400, 6);
	lengths_are(*state, "400:6 200:5 100:3 ");
}

/* The file says of a run before that its length is not known. */
static void test_missed_unknown(void **state)
{
	run_keep(*state, 0, 0, 3);
	run_keep(*state, 1, 100, 30);
	lengths_are(*state, "0:3 ");
	run_keep(*state, 0, 100, 4);
	lengths_are(*state, "100:4 ");
}

static void test_build(void **state)
{
	struct kept *kept = *state;

	run_keep(kept, 0, 100, 3);
	assert_int_equal(file_write(kept->so, "two", 3), 0); /* edited and built again */
	run_keep(kept, 0, 400, 6);
	lengths_are(kept, "400:6 ");
}

/* ---- what cannot be read ---------------------------------------------------------------- */

static void *nothing(size_t size)
{
	(void)size;
	return NULL;
}

/* A profile that is there may hold costs: without them nothing is written over it. */
static void test_unreadable(void **state)
{
	struct kept *kept = *state;
	json_t *report = run_of(kept, 0, 2000, 9);
	char path[256];

	snprintf(path, sizeof(path), "%s/profiles/w/%016llx-timer.json", kept->dir,
	    (unsigned long long)class_rates_fingerprint(&kept->here));
	run_keep(kept, 0, 1000, 2);
	json_set_alloc_funcs(nothing, free);
	assert_int_equal(
	    report_keep(kept, report, "left as it is: Cannot allocate memory"), -ENOMEM);
	json_set_alloc_funcs(malloc, free);
	lengths_are(kept, "1000:2 ");

	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(report_keep(kept, report, "left as it is: this is a directory"), -EISDIR);
	assert_int_equal(rmdir(path), 0);

	assert_int_equal(file_write(path, "{", 1), 0); /* no profile: written anew */
	assert_int_equal(report_keep(kept, report, NULL), 0);
	lengths_are(kept, "2000:9 ");
	json_decref(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_beside, kept_open, kept_close),
	    cmocka_unit_test_setup_teardown(test_missed, kept_open, kept_close),
	    cmocka_unit_test_setup_teardown(test_missed_unknown, kept_open, kept_close),
	    cmocka_unit_test_setup_teardown(test_build, kept_open, kept_close),
	    cmocka_unit_test_setup_teardown(test_unreadable, kept_open, kept_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
