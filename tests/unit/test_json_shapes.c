/* SPDX-License-Identifier: BSD-3-Clause
 * Files and answers in JSON that are kept for fuzzing, each with one of its values taken out or
 * replaced by one of each type: refused with a reason, or taken. */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/map/class.h"
#include "core/map/profile.h"
#include "core/plot/plot.h"
#include "core/recording/control.h"
#include "core/registry/desc.h"
#include "core/sigmf/sigmf.h"
#include "core/waveform/shape.h"
#include "core/waveform/waveform.h"
#include "tests/common/json_shapes.h"

/* How many of all changes of all files of a corpus were taken. */
static unsigned corpus_read(const char *pattern, int (*read)(const char *text, struct diag *diag))
{
	unsigned taken = 0, n_texts = 0;
	glob_t files;

	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		char what[SHAPE_CHANGE], *text = NULL;
		json_t *json;
		size_t len;

		assert_int_equal(file_read(files.gl_pathv[i], 1 << 20, &text, &len), 0);
		for (unsigned n = 0; (json = shape_changed(text, n, what)) != NULL; n++) {
			char *made = json_dumps(json, 0);
			struct diag diag;
			int rc;

			diag_init(&diag);
			rc = read(made, &diag);
			if ((rc == 0) != (diag.errors == 0))
				fail_msg("%s, %s: %d, and %zu errors", files.gl_pathv[i], what, rc,
				    diag.errors);
			taken += rc == 0;
			n_texts++;
			diag_fini(&diag);
			free(made);
			json_decref(json);
		}
		free(text);
	}
	globfree(&files);
	assert_true(n_texts > 0);
	return taken;
}

static int desc_read(const char *text, struct diag *diag)
{
	struct component_type *type = NULL;
	const int rc = desc_parse("a.desc", text, strlen(text), diag, &type);

	assert_true((rc == 0) == (type != NULL));
	component_type_free(type);
	return rc;
}

static void test_descriptors(void **state)
{
	(void)state;
	assert_true(corpus_read("tests/fuzz/corpus/desc/*.desc", desc_read) > 0);
	assert_true(corpus_read("tests/fuzz/corpus/desc/all", desc_read) > 0);
}

static int rates_read(const char *text, struct diag *diag)
{
	json_t *object = json_read("capacity.json", text, strlen(text), diag);
	struct class_rates rates = {0};
	const int rc =
	    object != NULL ? class_rates_read(object, "capacity.json", diag, &rates) : -EINVAL;

	json_decref(object);
	return rc;
}

static void test_capacities(void **state)
{
	(void)state;
	assert_true(corpus_read("tests/fuzz/corpus/capacity/*", rates_read) > 0);
}

static int profile_read(const char *text, struct diag *diag)
{
	struct profile profile = {0};
	const int rc = plan_profile_load("p.json", text, strlen(text), diag, &profile);

	plan_profile_fini(&profile);
	return rc;
}

static void test_profiles(void **state)
{
	(void)state;
	corpus_read("tests/fuzz/corpus/profile/*", profile_read);
}

static int figure_read(const char *text, struct diag *diag)
{
	json_t *object = json_read("figure.json", text, strlen(text), diag);
	struct plot plot;
	const int rc = object != NULL ? plot_read(object, "figure.json", diag, &plot) : -EINVAL;

	if (rc == 0)
		plot_fini(&plot);
	json_decref(object);
	return rc;
}

static void test_figures(void **state)
{
	(void)state;
	corpus_read("tests/fuzz/corpus/plot/*", figure_read);
}

static int recording_read(const char *text, struct diag *diag)
{
	struct sigmf_meta *meta = NULL;
	const int rc = sigmf_parse("r", text, strlen(text), diag, &meta);

	assert_true((rc == 0) == (meta != NULL));
	sigmf_free(meta);
	return rc;
}

static void test_recordings(void **state)
{
	(void)state;
	assert_true(corpus_read("tests/fuzz/corpus/sigmf/*", recording_read) > 0);
}

/* Each line of a log of its own, as the first one and as one behind a head. */
static void test_controls(void **state)
{
	static const char head[] =
	    "{\"recording\": 1, \"waveform\": \"w\", \"text_sha256\": \"x\", \"slots\": 9,"
	    " \"components\": {\"a\": \"b\"}, \"files\": {\"/a\": \"b\"}, \"outputs\": [\"a.out\"],"
	    " \"lapses\": {\"a\": \"\", \"r\": \"a\"}, \"digests\": [\"a.out\"], \"from\": 2}";
	static const char *const lines[] = {"{\"set\": {\"a.b\": \"2\"}, \"index\": 7}",
	    "{\"state\": \"RUN\", \"index\": 3}", "{\"remap\": true, \"index\": 30}",
	    "{\"taken\": 200}",
	    "{\"missed\": 0, \"end\": 5, \"recorded\": {\"a\": \"c\"}, \"sinks\": {\"b\": \"d\"}}"};
	char what[SHAPE_CHANGE];
	unsigned refused = 0;
	json_t *json;

	(void)state;
	for (size_t i = 0; i <= sizeof(lines) / sizeof(lines[0]); i++)
		for (unsigned n = 0;
		     (json = shape_changed(i == 0 ? head : lines[i - 1], n, what)) != NULL; n++) {
			char *made = json_dumps(json, JSON_COMPACT), *whole = NULL;
			struct recording_control control;
			struct diag diag;
			int rc;

			assert_true(asprintf(&whole, "%s%s%s\n", i > 0 ? head : "",
			                i > 0 ? "\n" : "", made) > 0);
			diag_init(&diag);
			rc = control_parse("control.jsonl", whole, strlen(whole), &diag, &control);
			if ((rc == 0) != (diag.errors == 0))
				fail_msg(
				    "line %zu, %s: %d, and %zu errors", i, what, rc, diag.errors);
			refused += rc != 0;
			control_fini(&control);
			diag_fini(&diag);
			free(whole);
			free(made);
			json_decref(json);
		}
	assert_true(refused > 0);
}

/* ---- questions to a host ----------------------------------------------------------------- */

static char *question(struct registry **ret_registry)
{
	static const char real[] = "name = \"real\"; slot_ns = 1000000;\n"
	                           "instances: {\n"
	                           "  source: { component = \"random_source\"; length = 8; };\n"
	                           "  mod:    { component = \"bpsk_mod\"; output = \"cf32\"; };\n"
	                           "  taps:   { component = \"fir\"; taps = [1.0, 0.5]; };\n"
	                           "  sink:   { component = \"file_sink\"; path = \"out\"; };\n"
	                           "};\nlinks = ( \"source -> mod -> taps -> sink\" );\n";
	const struct wf_overrides overrides = {.cwd = "/there", .pipelined = -1};
	char path[4096] = {0}, dirs[4200], *text;
	struct waveform *waveform = NULL;
	struct diag diag;

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	for (int up = 0; up < 3; up++) /* BUILD/tests/ROOM/NAME */
		*strrchr(path, '/') = 0;
	snprintf(dirs, sizeof(dirs), "%s/lib/aloe", path);
	diag_init(&diag);
	*ret_registry = registry_open(dirs, &diag);
	assert_non_null(*ret_registry);
	assert_int_equal(waveform_parse("real.conf", real, strlen(real), *ret_registry, &overrides,
	                     &diag, &waveform),
	    0);
	text = waveform_shape_json(waveform);
	waveform_free(waveform);
	diag_fini(&diag);
	return text;
}

static void test_questions(void **state)
{
	struct registry *registry = NULL;
	char *text = question(&registry), what[SHAPE_CHANGE];
	json_t *json;

	(void)state;
	for (unsigned n = 0; (json = shape_changed(text, n, what)) != NULL; n++) {
		char *made = json_dumps(json, 0), *answer = waveform_shape_answer(made, NULL, NULL);
		json_t *said = answer != NULL ? json_loads(answer, 0, NULL) : NULL;

		if (!json_is_object(said))
			fail_msg("%s: the answer is no object: %s", what, answer);
		json_decref(said);
		free(answer);
		free(made);
		json_decref(json);
	}
	free(text);
	registry_close(registry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_descriptors),
	    cmocka_unit_test(test_capacities),
	    cmocka_unit_test(test_profiles),
	    cmocka_unit_test(test_figures),
	    cmocka_unit_test(test_recordings),
	    cmocka_unit_test(test_controls),
	    cmocka_unit_test(test_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
