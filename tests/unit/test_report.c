/* SPDX-License-Identifier: BSD-3-Clause
 * Reports as people and scripts read them, profiles and runs on disk, and figures out of
 * samples. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/measure/local.h"
#include "core/report/report.h"
#include "core/report/store.h"
#include "core/report/view.h"
#include "tools/execinfo/execinfo.h"

static const char whole[] =
    "{\"schema\":1,\"waveform\":\"w\",\"state\":\"STOP\",\"reason\":\"\",\"clock\":\"timer\","
    "\"late\":\"slip\",\"isolation\":\"waveform\",\"slot_ns\":10000000,\"slots_wanted\":1300,"
    "\"index\":1300,\"started\":true,\"ended\":true,\"drained\":true,\"slots\":{\"run\":1300,"
    "\"skipped\":0,\"missed\":0,\"slipped\":0},\"messages\":{\"absent\":0,\"late\":0,"
    "\"overwritten\":0,\"lost\":0},\"latency\":{\"slots\":2,\"us\":20000.0,"
    "\"measured_slots_min\":2,\"measured_slots_max\":2,\"measured_us\":{\"count\":1300,"
    "\"mean\":10100.5,\"p50\":10100,\"p99\":10200,\"max\":10300}},\"capacity_mmac\":500,"
    "\"lanes\":[{\"lane\":0,\"cpu\":3,\"realtime\":\"FIFO 50\",\"slots\":1300,"
    "\"load_mean\":0.125,\"load_p99\":0.25,\"late_us\":{\"p50\":1,\"p99\":2,\"max\":3},"
    "\"overhead_us\":{\"mean\":0.5}}],\"instances\":[{\"name\":\"src\","
    "\"component\":\"wav_source\",\"lane\":0,\"calls\":1300,\"mean_us\":3,\"p50_us\":2.5,"
    "\"p99_us\":8,\"max_us\":9,\"kmac\":1.5,\"share\":0.0003,\"overruns\":4,\"variables\":{},"
    "\"sink\":false,\"paths\":{\"path\":\"in.wav\"}},{\"name\":\"check\","
    "\"component\":\"bit_compare\",\"lane\":0,\"calls\":99,\"mean_us\":1,\"p50_us\":1,"
    "\"p99_us\":1,\"max_us\":1,\"sink\":true,\"paths\":{\"path\":\"/nowhere/out.wav\"},"
    "\"variables\":{\"blocks\":1000,\"block_errors\":10,\"bits\":4000,\"bit_errors\":1,"
    "\"short\":0}}],\"misses\":[],\"notes\":[],\"losses\":[\"no real-time priority\"]}";

static json_t *parse(const char *text)
{
	struct diag diag;
	json_t *report;

	diag_init(&diag);
	report = report_read("r.json", text, strlen(text), &diag);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	assert_non_null(report);
	return report;
}

static char *text_of(void (*print)(const json_t *report, FILE *out), const json_t *report)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	print(report, out);
	fclose(out);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("`%s` is not in:\n%s", part, text);
}

/* The live table in so many lines of so many characters. */
static char *table_of(json_t *report, unsigned rows, unsigned cols)
{
	json_t *reports = json_pack("[O]", report);
	struct report_view view;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	view_init(&view, VIEW_INSTANCES);
	assert_in_range(report_table(reports, &view, rows, cols, out), 1, rows);
	fclose(out);
	json_decref(reports);
	return text;
}

static void test_print(void **state)
{
	json_t *report = parse(whole);
	char *text = text_of(report_print, report);

	(void)state;
	has(text,
	    "w: ended, index 1300 of 1300, slot 10 ms, clock timer, late slip, isolation "
	    "waveform\n");
	has(text, "slots      1300 run, 0 skipped, 0 missed, 0 slipped\n");
	has(text, "messages   0 absent, 0 late, 0 overwritten, 0 lost\n");
	has(text,
	    "latency    stated 2 slots = 20000 us; measured 2 slots; source to sink 10100.5 us "
	    "mean");
	has(text,
	    "check: 1000 blocks, 10 block errors (BLER 0.01), 4000 bits, 1 bit error (BER "
	    "0.00025)\n");
	has(text, "CPU 3, FIFO 50: load 12.50 % mean, 25.00 % p99; begins 1.0 us after");
	has(text,
	    "calls      4 calls took longer than expected (no deadline missed), most often src: "
	    "4\n");
	assert_null(strstr(text, "budget"));
	assert_null(strstr(text, "not kept"));
	has(text, "written    check: /nowhere/out.wav\n");
	assert_null(strstr(text, "in.wav"));
	free(text);
	text = text_of(report_losses, report);
	assert_string_equal(text, "feature lost: no real-time priority\n");
	free(text);
	json_decref(report);
}

/* What a report lacks is no reason to crash: an empty one, and one whose members have other
 * types. */
static void test_print_odd(void **state)
{
	static const char *const odd[] = {
	    "{\"schema\":1}",
	    "{\"schema\":1,\"instances\":7,\"lanes\":{},\"slots\":[],\"misses\":\"x\",\"losses\":3,"
	    "\"latency\":null}",
	    "{\"schema\":1,\"instances\":[1,null,{}],\"lanes\":[\"x\"],\"misses\":[null],"
	    "\"losses\":[1]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		json_t *report = parse(odd[i]);
		void (*const prints[])(const json_t *report, FILE *out) = {report_print,
		    report_losses, report_progress, report_profile, report_profile_csv,
		    report_list};
		for (size_t p = 0; p < sizeof(prints) / sizeof(prints[0]); p++) {
			char *text = text_of(prints[p], report);
			assert_non_null(text);
			free(text);
		}
		assert_true(report_clean(report));
		assert_false(report_ended(report));
		json_decref(report);
	}
}

/* Numbers out of memory that was overwritten are not shown as if they were some. */
static void test_damaged(void **state)
{
	json_t *report = parse(
	    "{\"schema\":1,\"waveform\":\"w\",\"state\":\"ABNSTOP\",\"reason\":\"r\",\"damaged\":"
	    "\"the record of its run\",\"index\":null,\"slots_wanted\":9,\"slot_ns\":1000000}");
	json_t *list =
	    json_loads("[{\"name\":\"a\",\"state\":\"ABNSTOP\",\"index\":null}]", 0, NULL);
	char *text = text_of(report_print, report), *line = text_of(report_progress, report);

	(void)state;
	has(text, "(ABNSTOP), index damaged of 9");
	has(text, "damaged    the record of its run: no number of this report can be relied on\n");
	has(line, "ABNSTOP, index damaged of 9");
	free(line);
	line = text_of(report_list, list);
	has(line, "ABNSTOP       damaged  \n");
	free(line);
	free(text);
	json_decref(report);
	json_decref(list);
}

/* One of each has no plural. */
static void test_counts_of_one(void **state)
{
	json_t *report =
	    parse("{\"schema\":1,\"waveform\":\"w\",\"radio\":{\"packets\":1,\"overruns\":1,"
	          "\"underruns\":1,\"restarts\":1,\"caught_up\":1,\"flywheeled\":1,"
	          "\"channels\":[{\"packets\":1,\"overruns\":2,\"restarts\":1,\"underruns\":1}]},"
	          "\"lanes\":[{\"lane\":0,\"cpu\":2,\"slots\":1}],"
	          "\"instances\":[{\"name\":\"c\",\"variables\":{\"blocks\":1,\"block_errors\":1,"
	          "\"bits\":1,\"bit_errors\":1},\"worst\":{\"copy\":3,\"block_errors\":1}}]}");
	char *text = text_of(report_print, report);

	(void)state;
	has(text,
	    "radio      channel 0: 1 packet in, 0 lost, 0 reordered, 0 behind the slot, 2 "
	    "overruns, 1 time set up again; 0 out, 0 late, 1 underrun, 0 out of order, 0 without "
	    "room\n"
	    "           1 slot caught up, 1 flywheeled, 0 with samples missing\n");
	has(text,
	    "blocks     c: 1 block, 1 block error (BLER 1), 1 bit, 1 bit error (BER 1); the worst "
	    "copy is 3 with 1 block error\n");
	free(text);
	text = text_of(report_profile, report);
	has(text, "lane 0 (CPU 2): 1 slot, load");
	free(text);
	text = text_of(report_progress, report);
	has(text, "; radio 0 lost, 0 late, 1 underrun\n");
	free(text);
	json_decref(report);
}

/* Why a radio does not stream has a line of its own, which the live table has room for. */
static void test_radio_trouble(void **state)
{
	json_t *report =
	    parse("{\"schema\":1,\"waveform\":\"w\",\"radio\":{\"failed\":3,\"channels\":["
	          "{\"packets\":1},{\"failed\":3,\"trouble\":\"10.0.0.2 port 49153, "
	          "channel 2: no data packets\"}]},\"lanes\":[],\"instances\":[{\"name\":\"c\"},"
	          "{\"name\":\"d\"},{\"name\":\"e\"},{\"name\":\"f\"}]}");
	static const char line[] =
	    "does not stream: 10.0.0.2 port 49153, channel 2: no data packets (3 attempts "
	    "failed)\n";
	char *text = text_of(report_print, report);

	(void)state;
	has(text, line);
	free(text);
	text = text_of(report_progress, report);
	has(text, line);
	free(text);
	text = table_of(report, 8, 0);
	has(text, line);
	free(text);
	json_decref(report);
}

/* A line for each waveform; a radio says what went wrong with it, in words. */
static void test_list(void **state)
{
	json_t *list = json_loads(
	    "[{\"name\":\"a\",\"state\":\"RUN\",\"index\":7,\"lanes\":[{\"cpu\":0},{\"cpu\":1}],"
	    "\"radio\":{\"packets\":9,\"lost\":3,\"no_room\":1,\"flywheeled\":1,"
	    "\"overruns\":2}},{\"name\":\"b\",\"state\":"
	    "\"INIT\",\"index\":0,\"lanes\":[{\"cpu\":1}],\"radio\":{\"packets\":9}}]",
	    0, NULL);
	char *text = text_of(report_list, list);

	(void)state;
	assert_non_null(strstr(text,
	    " 7  0,1  radio: 3 lost, 2 overruns, 1 dropped for lack of "
	    "room, 1 flywheeled slot\n"));
	assert_non_null(strstr(text, " 0  1  radio: nothing lost or late\n"));
	free(text);
	json_decref(list);
}

static void test_schema(void **state)
{
	static const char other[] = "{\"schema\":2}";
	struct diag diag;

	(void)state;
	diag_init(&diag);
	assert_null(report_read("r.json", other, strlen(other), &diag));
	assert_int_equal(diag.errors, 1);
	has(diag.lines[0], "schema 2");
	assert_null(report_read("r.json", "nonsense", 8, &diag));
	assert_int_equal(diag.errors, 2);
	diag_fini(&diag);
}

static void test_verdicts(void **state)
{
	static const struct {
		const char *object, *key;
	} dirt[] = {{"slots", "skipped"}, {"slots", "missed"}, {"slots", "slipped"},
	    {"messages", "absent"}, {"messages", "late"}, {"messages", "overwritten"},
	    {"messages", "lost"}};
	json_t *report = parse(whole);

	(void)state;
	assert_true(report_clean(report));
	for (size_t i = 0; i < sizeof(dirt) / sizeof(dirt[0]); i++) {
		json_t *object = json_object_get(report, dirt[i].object);
		json_object_set_new(object, dirt[i].key, json_integer(1));
		assert_false(report_clean(report));
		json_object_set_new(object, dirt[i].key, json_integer(0));
	}
	assert_true(report_ended(report));
	assert_false(report_failed(report));
	json_object_set_new(report, "drained", json_false());
	assert_false(report_ended(report));
	json_object_set_new(report, "state", json_string("ABNSTOP"));
	assert_true(report_ended(report));
	assert_true(report_failed(report));
	json_decref(report);
}

/* What somebody has written over is shown: in the final report and in the live table, which has a
 * line less for the rest. */
static void test_batons(void **state)
{
	json_t *report = parse(whole), *lane = json_object_get(report, "lanes");
	char *text = text_of(report_print, report);

	(void)state;
	assert_null(strstr(text, "baton"));
	free(text);
	lane = json_array_get(lane, 0);
	json_object_set_new(lane, "baton_resets", json_integer(2));
	json_object_set_new(lane, "baton_rescues", json_integer(1));
	text = text_of(report_print, report);
	has(text,
	    "\nbatons     lane 0 (CPU 3): baton reset 2 times (overwritten), rescued 1 time (no "
	    "exec)\n");
	free(text);
	text = table_of(report, 6, 80);
	has(text, "variables  (man aloe-words)\n");
	has(text,
	    "\n  lane 0 (CPU 3): baton reset 2 times (overwritten), rescued 1 time (no exec)\n");
	free(text);
	json_decref(report);
}

static void test_duration(void **state)
{
	static const struct {
		double seconds;
		const char *text;
	} cases[] = {{0, "0 s"}, {1e-6, "1 us"}, {333e-6, "333 us"}, {0.01, "10 ms"}, {1, "1.00 s"},
	    {13.019, "13.02 s"}};
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		report_duration(cases[i].seconds, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

/* ---- on disk ------------------------------------------------------------------------ */

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void folder_new(char *ret, size_t size)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(ret, size, "%s/test-report-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(ret));
}

static void folder_free(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void test_files(void **state)
{
	char dir[128], path[256], *text;
	size_t len;

	(void)state;
	folder_new(dir, sizeof(dir));
	snprintf(path, sizeof(path), "%s/a/b/c", dir);
	assert_int_equal(dir_make(path), 0);
	assert_int_equal(dir_make(path), 0);
	snprintf(path, sizeof(path), "%s/a/file", dir);
	assert_int_equal(file_read(path, 10, &text, &len), -ENOENT);
	assert_int_equal(file_write(path, "one", 3), 0);
	assert_int_equal(file_write(path, "four", 4), 0);
	assert_int_equal(file_read(path, 4, &text, &len), 0);
	assert_int_equal(len, 4);
	assert_string_equal(text, "four");
	free(text);
	assert_int_equal(file_read(path, 3, &text, &len), -EFBIG);
	assert_int_equal(file_read(dir, 100, &text, &len), -EISDIR);
	assert_int_equal(file_read("/dev/null", 100, &text, &len), -ESPIPE);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	/* nobody writes: does not wait */
	assert_int_equal(file_read(path, 100, &text, &len), -ESPIPE);
	assert_non_null(strstr(file_reason(-ESPIPE), "regular file"));
	assert_non_null(strstr(file_reason(-EISDIR), "directory"));
	assert_string_equal(file_reason(-ENOENT), strerror(ENOENT));
	assert_int_equal(dir_make(path), -ENOTDIR);
	/* a file without a size */
	assert_int_equal(file_read("/proc/self/status", 1 << 20, &text, &len), 0);
	assert_true(len > 100 && strlen(text) == len);
	free(text);
	assert_int_equal(path_print(path, 4, "%s", "abc"), 0);
	assert_int_equal(path_print(path, 4, "%s", "abcd"), -ENAMETOOLONG);
	folder_free(dir);
}

/* As a user who may write the file, and not beside it. */
static int writable_elsewhere(const char *dir, const char *path)
{
	const bool root = geteuid() == 0;
	int rc;

	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(chmod(dir, 0555), 0);
	assert_true(!root || seteuid(65534) == 0);
	assert_int_equal(access(path, F_OK), 0);
	rc = file_writable(path);
	assert_true(!root || seteuid(0) == 0);
	assert_int_equal(chmod(dir, 0755), 0);
	return rc;
}

static void test_writable(void **state)
{
	char dir[128], path[256], *text;
	size_t len;

	(void)state;
	folder_new(dir, sizeof(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	assert_int_equal(file_writable(path), 0);
	assert_int_equal(access(path, F_OK), -1); /* it stays as it was */
	assert_int_equal(file_write(path, "one", 3), 0);
	assert_int_equal(file_writable(path), 0);
	assert_int_equal(file_read(path, 4, &text, &len), 0);
	assert_string_equal(text, "one");
	free(text);
	assert_int_equal(writable_elsewhere(dir, path), -EACCES);
	strcat(path, "/file");
	assert_int_equal(file_writable(path), -ENOTDIR);
	folder_free(dir);
}

/* Rates of a kind of machine that there is not. */
static struct class_rates rates_of(const char *cpu, double mmac_per_s, double trellis_ns)
{
	struct class_rates rates = {.simd = "plain", .version = "1", .mmac_per_s = mmac_per_s};

	snprintf(rates.cpu, sizeof(rates.cpu), "%s", cpu);
	for (int which = 0; which < CALIBRATE_CLASSES; which++)
		rates.ns[which] = which == CALIBRATE_SCALAR ? 1e3 / mmac_per_s : 1;
	rates.ns[CALIBRATE_TRELLIS] = trellis_ns;
	return rates;
}

/* An instance that is all trellis, one that nothing is known of, and how their costs are told. */
static struct waveform profile_waveform(
    struct wf_instance instances[2], struct component_type types[2])
{
	types[0] = (struct component_type){.name = (char *)"decoder", .mix = (char *)"trellis 1"};
	types[1] = (struct component_type){.name = (char *)"any"};
	instances[0] = (struct wf_instance){.name = (char *)"src", .type = &types[0]};
	instances[1] = (struct wf_instance){.name = (char *)"other", .type = &types[1]};
	return (struct waveform){.name = (char *)"w", .instances = instances, .n_instances = 2};
}

static void origin_is(const struct profile *profile, const char *text)
{
	char origin[512];

	plan_profile_origin(profile, origin, sizeof(origin));
	assert_string_equal(origin, text);
}

static double cost_read(const char *dir, const struct waveform *waveform, const char *origin)
{
	struct profile profile;
	struct diag diag;
	double kmac = 0;

	diag_init(&diag);
	assert_int_equal(store_profile_read(dir, waveform, &diag, &profile), 0);
	origin_is(&profile, origin);
	if (profile.len) {
		kmac = plan_profile_find(&profile, "src")->points[0].kmac_p50;
		assert_null(plan_profile_find(&profile, "check")); /* 99 calls were timed */
	}
	plan_profile_fini(&profile);
	diag_fini(&diag);
	return kmac;
}

static void costs_write(const char *dir, const json_t *report, const struct class_rates *rates)
{
	struct diag diag;

	diag_init(&diag);
	assert_int_equal(store_profile_write(dir, report, rates, &diag), 0);
	assert_int_equal(diag.len, 0);
	diag_fini(&diag);
}

/* Measured elsewhere: converted by classes. Measured here: as it is, however old. */
static void test_profile(void **state)
{
	const struct class_rates slow = rates_of("slow", 500, 30);
	struct component_type types[2];
	struct wf_instance instances[2];
	const struct waveform waveform = profile_waveform(instances, types);
	json_t *report = parse(whole);
	struct class_rates here;
	struct profile profile;
	struct diag diag;
	char dir[128], path[256];

	(void)state;
	json_object_update_new(json_array_get(json_object_get(report, "instances"), 1),
	    json_pack("{s:i, s:i}", "calls", 5000, "timed", 99));
	folder_new(dir, sizeof(dir));
	diag_init(&diag);
	assert_true(cost_read(dir, &waveform, "none") == 0);
	costs_write(dir, report, &slow);
	assert_float_equal(
	    cost_read(dir, &waveform,
	        "measured on slow, plain, not converted: this machine is not calibrated"),
	    2.5 * 500 / 1000, 1e-9); /* nothing is known of this machine: us x MMAC/s / 1000 */
	assert_int_equal(local_calibrate(dir), 0);
	local_rates(dir, &here);
	assert_float_equal(
	    cost_read(dir, &waveform, "measured on slow, plain, converted by classes of work"),
	    (here.ns[CALIBRATE_CALL] + 2499. / 30 * here.ns[CALIBRATE_TRELLIS]) * here.mmac_per_s /
	        1e6,
	    1e-9);
	costs_write(dir, report, &here);
	costs_write(dir, report, &slow); /* newer, but not of here */
	assert_float_equal(cost_read(dir, &waveform, "measured on this kind of machine"),
	    2.5 * here.mmac_per_s / 1000, 1e-9);
	snprintf(path, sizeof(path), "%s/profiles/w/%016llx-timer.json", dir,
	    (unsigned long long)class_rates_fingerprint(&here));
	assert_int_equal(file_write(path, "{", 1), 0);
	assert_int_equal(store_profile_read(dir, &waveform, &diag, &profile), -EINVAL);
	assert_int_equal(diag.errors, 1);
	diag_fini(&diag);
	json_decref(report);
	folder_free(dir);
}

/* The report, with the slots that it missed, the clock, and the build of `src`. */
static json_t *run_of(const char *clock, int missed, const char *build)
{
	json_t *report = parse(whole);

	json_object_set_new(report, "clock", json_string(clock));
	json_object_set_new(json_object_get(report, "slots"), "missed", json_integer(missed));
	json_object_set_new(
	    json_array_get(json_object_get(report, "instances"), 0), "build", json_string(build));
	return report;
}

static void keep(const char *dir, const char *clock, int missed, const char *build, double p50_us)
{
	json_t *report = run_of(clock, missed, build);
	struct class_rates here;

	json_object_set_new(
	    json_array_get(json_object_get(report, "instances"), 0), "p50_us", json_real(p50_us));
	json_object_set_new(
	    json_array_get(json_object_get(report, "instances"), 0), "p99_us", json_real(100));
	local_rates(dir, &here);
	costs_write(dir, report, &here);
	json_decref(report);
}

static double rates_here(const char *dir)
{
	struct class_rates here;

	local_rates(dir, &here);
	return here.mmac_per_s;
}

/* The p50 that a plan would count with, us; 0: none, and `note` is told if it is not NULL. */
static double kept(const char *dir, const struct waveform *waveform, const char *note)
{
	const struct profile_entry *entry;
	struct class_rates here;
	struct profile profile;
	struct diag diag;
	double us;

	diag_init(&diag);
	local_rates(dir, &here);
	assert_int_equal(store_profile_read(dir, waveform, &diag, &profile), 0);
	entry = plan_profile_find(&profile, "src");
	us = entry ? entry->points[0].kmac_p50 * 1000 / here.mmac_per_s : 0;
	assert_int_equal(diag.len, note ? 1 : 0);
	if (note)
		assert_string_equal(diag.lines[0], note);
	plan_profile_fini(&profile);
	diag_fini(&diag);
	return us;
}

/* A profile speaks for one build, on one clock, and not for a run that was overloaded. */
static void test_profile_of_a_build(void **state)
{
	struct component_build builds[2] = {{{0}, 0, 0, {0, 0}}, {{0}, 0, 0, {0, 0}}};
	struct component_type types[2];
	struct wf_instance instances[2];
	struct waveform waveform = profile_waveform(instances, types);
	char dir[128], so[160], first[SHA256_TEXT];

	(void)state;
	folder_new(dir, sizeof(dir));
	assert_int_equal(local_calibrate(dir), 0);
	snprintf(so, sizeof(so), "%s/decoder.so", dir);
	types[0].path = so;
	types[0].build = &builds[0];
	assert_int_equal(file_write(so, "one", 3), 0);
	snprintf(first, sizeof(first), "%s", component_build(&types[0]));
	assert_int_equal(strlen(first), 64);

	keep(dir, "timer", 0, first, 3);
	assert_float_equal(kept(dir, &waveform, NULL), 3, 1e-6);
	assert_int_equal(file_write(so, "two", 3), 0); /* edited and built again */
	assert_true(kept(dir, &waveform, "costs: this build has no measurement yet of src") == 0);
	keep(dir, "timer", 0, component_build(&types[0]), 4);
	assert_float_equal(kept(dir, &waveform, NULL), 4, 1e-6);
	keep(dir, "timer", 0, "", 5); /* of a report that does not say */
	assert_true(kept(dir, &waveform, "costs: this build has no measurement yet of src") == 0);

	keep(dir, "timer", 0, component_build(&types[0]), 6);
	keep(dir, "virtual", 0, component_build(&types[0]), 7);
	assert_float_equal(kept(dir, &waveform, NULL), 6, 1e-6);
	waveform.clock = WF_CLOCK_VIRTUAL;
	assert_float_equal(kept(dir, &waveform, NULL), 7, 1e-6);
	waveform.clock = WF_CLOCK_STEP;
	assert_true(kept(dir, &waveform, NULL) == 0);

	waveform.clock = WF_CLOCK_TIMER;
	/* of 1300 slots, more than one in a hundred */
	keep(dir, "timer", 14, component_build(&types[0]), 8);
	assert_float_equal(kept(dir, &waveform, NULL), 6, 1e-6);
	keep(dir, "timer", 13, component_build(&types[0]), 9); /* what missed nothing is better */
	assert_float_equal(kept(dir, &waveform, NULL), 6, 1e-6);
	assert_int_equal(file_write(so, "three", 5), 0);
	keep(dir, "timer", 13, component_build(&types[0]), 10); /* but of another build */
	assert_float_equal(kept(dir, &waveform, NULL), 10, 1e-6);
	assert_float_equal(cost_read(dir, &waveform,
	                       "measured on this kind of machine, in a run that missed 13 slots"),
	    0.01 * rates_here(dir), 1e-6 * rates_here(dir));
	folder_free(dir);
}

/* A budget is what the user has set; a time that a plan counts with is an expectation. */
static void test_budgets(void **state)
{
	json_t *report = run_of("timer", 20, ""),
	       *src = json_array_get(json_object_get(report, "instances"), 0);
	char *text;

	(void)state;
	text = text_of(report_print, report);
	has(text,
	    "calls      4 calls took longer than expected (20 slots missed or skipped), most often "
	    "src: 4\n");
	has(text,
	    "costs      not stored: the run missed or skipped 20 of 1300 slots, so its times do "
	    "not predict the next run\n");
	free(text);
	json_object_set_new(src, "budget_given", json_true());
	json_object_set_new(json_object_get(report, "slots"), "missed", json_integer(0));
	text = text_of(report_print, report);
	has(text, "budgets    exceeded 4 times (no deadline missed), most often by src: 4 times\n");
	assert_null(strstr(text, "expected"));
	free(text);
	json_decref(report);
}

static void date_back(const char *dir, time_t seconds)
{
	struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
	char path[4096];

	snprintf(path, sizeof(path), "%s/report.json", dir);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_runs(void **state)
{
	json_t *report = parse(whole), *again;
	char dir[128], runs[4][512], found[512], path[600], *text;
	size_t len;

	(void)state;
	folder_new(dir, sizeof(dir));
	assert_int_equal(store_run_last(dir, NULL, found, sizeof(found)), -ENOENT);
	assert_int_equal(store_run_new(dir, "w", 1000000, runs[0], sizeof(runs[0])), 0);
	/* the same second */
	assert_int_equal(store_run_new(dir, "w", 1000000, runs[1], sizeof(runs[1])), 0);
	assert_int_equal(store_run_new(dir, "w-2", 1000000, runs[2], sizeof(runs[2])), 0);
	assert_int_equal(store_run_new(dir, "w", 2000000, runs[3], sizeof(runs[3])), 0);
	assert_string_not_equal(runs[0], runs[1]);
	has(runs[1], "-2");
	/* none has a report yet */
	assert_int_equal(store_run_last(dir, NULL, found, sizeof(found)), -ENOENT);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(store_run_write(runs[i], report), 0);
		date_back(runs[i], 100 + i);
	}
	assert_int_equal(store_run_last(dir, NULL, found, sizeof(found)), 0);
	assert_string_equal(found, runs[2]);
	assert_int_equal(store_run_last(dir, "w", found, sizeof(found)), 0);
	assert_string_equal(found, runs[1]);
	assert_int_equal(store_run_last(dir, "other", found, sizeof(found)), -ENOENT);
	snprintf(path, sizeof(path), "%s/report.json", runs[1]);
	assert_int_equal(file_read(path, 1 << 20, &text, &len), 0);
	again = parse(text);
	assert_true(json_equal(again, report));
	json_decref(again);
	free(text);
	snprintf(path, sizeof(path), "%s/report.txt", runs[1]);
	assert_int_equal(file_read(path, 1 << 20, &text, &len), 0);
	has(text, "feature lost: no real-time priority\n");
	free(text);
	json_decref(report);
	folder_free(dir);
}

/* Writes what is kept again with one text of it changed. */
static void kept_change(const char *dir, const char *key, const char *value)
{
	struct class_rates kind;
	char path[256], *text;
	json_t *json;
	size_t len;

	local_kind(&kind);
	snprintf(path, sizeof(path), "%s/capacity/%016llx.json", dir,
	    (unsigned long long)class_rates_fingerprint(&kind));
	assert_int_equal(file_read(path, 1 << 20, &text, &len), 0);
	json = json_loadb(text, len, 0, NULL);
	assert_non_null(json);
	json_object_set_new(json, key, json_string(value));
	free(text);
	text = json_dumps(json, 0);
	assert_int_equal(file_write(path, text, strlen(text)), 0);
	json_decref(json);
	free(text);
}

/* The rates are measured once for a kind of machine, kept, and given to every plan from then on;
 * those of another CPU, governor, level or version are not its own. */
static void test_local(void **state)
{
	static const char *const keys[] = {"cpu", "governor", "simd", "version"};
	struct local_platform platform;
	struct class_rates rates;
	double kept;
	char dir[128];

	(void)state;
	folder_new(dir, sizeof(dir));
	local_platform(dir, &platform);
	assert_true(platform.model.n_lanes >= 1);
	assert_true(platform.model.mmac_per_s == 0 && !class_rates_known(&platform.rates));
	assert_int_equal(local_calibrate(dir), 0);
	local_platform(dir, &platform);
	kept = platform.model.mmac_per_s;
	assert_true(kept > 1 && kept < 1e6);
	for (int which = 0; which < CALIBRATE_CLASSES; which++)
		assert_true(platform.rates.ns[which] > 0 && platform.rates.ns[which] < 1e6);
	assert_int_equal(local_calibrate(dir), 0);
	local_platform(dir, &platform);
	assert_true(platform.model.mmac_per_s == kept);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		assert_int_equal(local_lane_keep(dir, 123, 4567), 0);
		local_platform(dir, &platform);
		assert_true(local_lane_known(dir) && platform.node.base_ns == 123 &&
		    platform.node.handover_ns == 4567 && platform.model.mmac_per_s > 0);
		kept_change(dir, keys[i], "another");
		local_rates(dir, &rates);
		assert_false(class_rates_known(&rates));
		assert_false(local_lane_known(dir)); /* they go with the rates */
		assert_int_equal(local_lane_keep(dir, 123, 4567), -ENOENT);
		assert_int_equal(local_calibrate(dir), 0);
		local_rates(dir, &rates);
		assert_true(class_rates_known(&rates));
	}
	setenv("ALOE_SIMD", "plain", 1);
	local_rates(dir, &rates); /* another level is another machine */
	assert_true(!class_rates_known(&rates) || strcmp(platform.rates.simd, "plain") == 0);
	unsetenv("ALOE_SIMD");
	folder_free(dir);
}

/* ---- samples ------------------------------------------------------------------------ */

static void fill_event(struct image_event *event, uint32_t i)
{
	event->start_ns = i;
	event->instance = 1;
	event->ns = i < 500 ? 5000 : ((i * 7) % 1000 + 1) * 1000;
}

/* 1000 samples of instance 1, 1 .. 1000 us, after 500 older ones of 5 us; instance 0 has none. */
static void test_samples(void **state)
{
	struct profile_source source = {.wanted = 1000, .report = parse(whole), .n_events = 1500};
	json_t *instance;

	(void)state;
	source.events = calloc(source.n_events, sizeof(*source.events));
	for (uint32_t i = 0; i < 1500; i++)
		fill_event(&source.events[i], i);
	assert_int_equal(samples_apply(&source), CLI_OK);
	instance = json_array_get(json_object_get(source.report, "instances"), 1);
	assert_float_equal(report_number(instance, "calls"), 1000, 0);
	assert_float_equal(report_number(instance, "mean_us"), 500.5, 1e-9);
	assert_float_equal(report_number(instance, "p50_us"), 500, 1e-9);
	assert_float_equal(report_number(instance, "p99_us"), 990, 1e-9);
	assert_float_equal(report_number(instance, "p999_us"), 999, 1e-9);
	assert_float_equal(report_number(instance, "max_us"), 1000, 1e-9);
	assert_float_equal(report_number(instance, "kmac"), 500.5 * 500 / 1000, 1e-9);
	assert_float_equal(report_number(instance, "share"), 0.05005, 1e-9);
	instance = json_array_get(json_object_get(source.report, "instances"), 0);
	assert_float_equal(report_number(instance, "calls"), 0, 0);
	free(source.events);
	json_decref(source.report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_print),
	    cmocka_unit_test(test_print_odd),
	    cmocka_unit_test(test_radio_trouble),
	    cmocka_unit_test(test_list),
	    cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_schema),
	    cmocka_unit_test(test_verdicts),
	    cmocka_unit_test(test_batons),
	    cmocka_unit_test(test_counts_of_one),
	    cmocka_unit_test(test_duration),
	    cmocka_unit_test(test_files),
	    cmocka_unit_test(test_writable),
	    cmocka_unit_test(test_profile),
	    cmocka_unit_test(test_profile_of_a_build),
	    cmocka_unit_test(test_budgets),
	    cmocka_unit_test(test_runs),
	    cmocka_unit_test(test_local),
	    cmocka_unit_test(test_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
