/* SPDX-License-Identifier: BSD-3-Clause
 * core/sigmf: what is read of a .sigmf-meta, every reason for refusing one, alone and against the
 * length of its data file, and that what is printed is read again. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <aloe/component.h>
#include <cmocka.h>

#include "core/sigmf/sigmf.h"

#define GLOBAL "\"core:datatype\":\"cf32_le\",\"core:version\":\"1.2.5\""

/* The text of a recording with these members in its three parts. */
static char *text_make(const char *global, const char *captures, const char *annotations)
{
	char *text = NULL;

	assert_true(asprintf(&text, "{\"global\":{%s},\"captures\":[%s],\"annotations\":[%s]}",
	                global, captures, annotations) > 0);
	return text;
}

static struct sigmf_meta *meta_take(
    const char *global, const char *captures, const char *annotations)
{
	char *text = text_make(global, captures, annotations);
	struct sigmf_meta *meta = NULL;
	struct diag diag;

	diag_init(&diag);
	if (sigmf_parse("x.sigmf-meta", text, strlen(text), &diag, &meta) < 0) {
		diag_print(&diag, stderr);
		fail_msg("refused: %s", text);
	}
	assert_int_equal(diag.len, 0);
	diag_fini(&diag);
	free(text);
	return meta;
}

static void diag_has(struct diag *diag, const char *expected)
{
	assert_true(diag->errors > 0);
	for (size_t i = 0; i < diag->len; i++)
		if (strstr(diag->lines[i], expected))
			return diag_fini(diag);
	diag_print(diag, stderr);
	fail_msg("no line has: %s", expected);
}

static void text_refused(char *text, const char *expected)
{
	struct sigmf_meta *meta = NULL;
	struct diag diag;

	diag_init(&diag);
	assert_int_equal(sigmf_parse("x.sigmf-meta", text, strlen(text), &diag, &meta), -EINVAL);
	assert_null(meta);
	diag_has(&diag, expected);
	free(text);
}

static void test_formats(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SIGMF_DATATYPES; i++) {
		const struct sigmf_format *format = &sigmf_formats[i];
		enum sigmf_datatype back;
		char global[120];
		struct sigmf_meta *meta;

		snprintf(global, sizeof(global),
		    "\"core:version\":\"1.0.0\",\"core:datatype\":\"%s\"", format->name);
		meta = meta_take(global, "", "");
		assert_int_equal(meta->global.datatype, i);
		sigmf_free(meta);
		assert_int_equal(aloe_item_bytes(format->item_type), format->item_bytes);
		assert_int_equal(sigmf_datatype_for(format->item_type, &back), 0);
		assert_true(back == i || i == SIGMF_CI8);
	}
}

static void test_segments(void **state)
{
	struct sigmf_meta *meta =
	    meta_take(GLOBAL ",\"core:offset\":10,\"core:sample_rate\":7.68e6,\"unknown:key\":[1]",
	        "{\"core:sample_start\":10,\"core:global_index\":1000,\"aloe:slot\":4},"
	        "{\"core:sample_start\":110,\"core:global_index\":1500,\"core:header_bytes\":3},"
	        "{\"core:sample_start\":120,\"core:datetime\":\"2026-11-26T15:28:56.123456789Z\"}",
	        "{\"core:sample_start\":110,\"core:sample_count\":0,\"core:label\":\"absent\","
	        "\"aloe:slot\":5,\"aloe:slots\":2}");
	const struct sigmf_capture *c = meta->captures;

	(void)state;
	assert_true(meta->global.sample_rate_hz == 7.68e6);
	assert_int_equal(meta->n_captures, 3);
	assert_int_equal(c[0].index, 1000);
	assert_int_equal(c[1].index, 1500); /* 400 samples are lost */
	assert_int_equal(c[2].index, 1510); /* follows */
	assert_int_equal(c[0].at, 0);
	assert_int_equal(c[1].at, 803);
	assert_int_equal(c[2].at, 883);
	assert_int_equal(c[0].slot, 4);
	assert_true(c[1].slot == SIGMF_NONE && isnan(c[1].frequency_hz));
	assert_int_equal(meta->annotations[0].slots, 2);
	sigmf_free(meta);
}

/* A whole number is never a double on its way: 2^53 + 1 has none. */
static void test_large_numbers(void **state)
{
	struct sigmf_meta *meta = meta_take(
	    GLOBAL, "{\"core:sample_start\":0,\"core:global_index\":9007199254740993}", "");
	size_t len;
	char *text = sigmf_print(meta, &len);

	(void)state;
	assert_int_equal(meta->captures[0].index, 9007199254740993);
	assert_non_null(strstr(text, "9007199254740993"));
	free(text);
	sigmf_free(meta);
	text_refused(text_make(GLOBAL, "{\"core:sample_start\":9223372036854775808}", ""), "");
}

static void test_global_refused(void **state)
{
#define VERSION "\"core:version\":\"1.2.5\","
	static const struct {
		const char *global, *why;
	} cases[] = {
	    {"\"core:version\":\"1.2.5\"", "core:datatype: found nothing"},
	    {VERSION "\"core:datatype\":\"cf32\"", "states no byte order; \"cf32_le\" is needed"},
	    {VERSION "\"core:datatype\":\"ri16_be\"", "has the high byte first"},
	    {VERSION "\"core:datatype\":\"cf64_le\"", "\"cf64_le\" is not read"},
	    {VERSION "\"core:datatype\":\"ci16_le2\"", "\"ci16_le2\" is not read"},
	    {VERSION "\"core:datatype\":3", "a text is needed"},
	    {"\"core:datatype\":\"ru8\"", "core:version: found nothing"},
	    {"\"core:datatype\":\"ru8\",\"core:version\":\"1.2\"", "X.Y.Z is needed"},
	    {"\"core:datatype\":\"ru8\",\"core:version\":\"2.0.0\"", "knows SigMF 1"},
	    {GLOBAL ",\"core:sample_rate\":0", "outside (0, 1e12]"},
	    {GLOBAL ",\"core:sample_rate\":\"1e6\"", "a number or null is needed"},
	    {GLOBAL ",\"core:sha512\":\"12\"", "128 of them"},
	    {GLOBAL ",\"core:num_channels\":-1", "core:num_channels: found -1"},
	    {GLOBAL ",\"core:offset\":1.5", "a whole number"},
	    {GLOBAL ",\"core:dataset\":\"../x\"", "the name of a file in the same folder"},
	    {GLOBAL ",\"aloe:log\":\"..\"", "the name of a file in the same folder"},
	    {GLOBAL ",\"core:extensions\":{}", "a list is needed"},
	    {GLOBAL ",\"core:extensions\":[1]", "{name, version, optional}"},
	    {GLOBAL ",\"core:extensions\":[{\"name\":\"other\",\"version\":\"1.0.0\","
	            "\"optional\":false}]",
	        "needs the extension \"other\""},
	    {GLOBAL ",\"core:extensions\":[{\"name\":\"aloe\",\"version\":\"2.0.0\","
	            "\"optional\":true}]",
	        "knows extension aloe 1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		text_refused(text_make(cases[i].global, "", ""), cases[i].why);
}

static void test_lists_refused(void **state)
{
	static const struct {
		const char *captures, *annotations, *why;
	} cases[] = {
	    {"{}", "", "captures[0]: core:sample_start: found nothing"},
	    {"1", "", "captures[0]"},
	    {"{\"core:sample_start\":1}", "", "is before core:offset, 5"},
	    {"{\"core:sample_start\":9},{\"core:sample_start\":8}", "",
	        "segments must be in order"},
	    {"{\"core:sample_start\":5,\"core:global_index\":50},"
	     "{\"core:sample_start\":10,\"core:global_index\":54}",
	        "", "54 is before the end of the last segment, 55"},
	    {"{\"core:sample_start\":9223372036854775807}", "", "beyond 2^63"},
	    {"{\"core:sample_start\":5,\"core:datetime\":\"2026-11-26T15:28:56+01:00\"}", "",
	        "UTC as"},
	    {"{\"core:sample_start\":5,\"core:datetime\":\"yesterday\"}", "", "UTC as"},
	    {"", "{}", "annotations[0]: core:sample_start: found nothing"},
	    {"", "{\"core:sample_start\":4}", "annotations must be in order"},
	    {"", "{\"core:sample_start\":9},{\"core:sample_start\":8}",
	        "annotations must be in order"},
	    {"", "{\"core:sample_start\":9,\"core:freq_lower_edge\":1}", "only one of the two"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		text_refused(
		    text_make(GLOBAL ",\"core:offset\":5", cases[i].captures, cases[i].annotations),
		    cases[i].why);
}

static void test_whole_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
	    {"", "not JSON"},
	    {"[]", "one JSON object"},
	    {"{}", "global: an object is needed"},
	    {"{\"global\":{" GLOBAL "},\"annotations\":[]}", "captures: found nothing"},
	    {"{\"global\":{" GLOBAL "},\"captures\":[]}", "annotations: found nothing"},
	    {"{\"global\":{" GLOBAL "},\"captures\":[],\"annotations\":[],\"more\":1}",
	        "\"more\" is no part of a recording"},
	    {"{\"global\":{" GLOBAL ",\"a\":1,\"a\":2},\"captures\":[],\"annotations\":[]}",
	        "not JSON"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		text_refused(strdup(cases[i].text), cases[i].why);
}

static void length_refused(const struct sigmf_meta *meta, uint64_t bytes, const char *why)
{
	struct diag diag;
	uint64_t samples = 7;

	diag_init(&diag);
	assert_int_equal(sigmf_check(meta, "x", bytes, &diag, &samples), -EINVAL);
	assert_int_equal(samples, 7);
	diag_has(&diag, why);
}

static void length_taken(const struct sigmf_meta *meta, uint64_t bytes, uint64_t expected)
{
	struct diag diag;
	uint64_t samples = 0;

	diag_init(&diag);
	assert_int_equal(sigmf_check(meta, "x", bytes, &diag, &samples), 0);
	assert_int_equal(samples, expected);
	diag_fini(&diag);
}

static void test_data_length(void **state)
{
	struct sigmf_meta *meta = meta_take(GLOBAL ",\"core:offset\":100,\"core:trailing_bytes\":4",
	    "{\"core:sample_start\":100,\"core:header_bytes\":44},{\"core:sample_start\":110}",
	    "{\"core:sample_start\":105,\"core:sample_count\":15}");

	(void)state;
	length_taken(meta, 48 + 20 * 8, 20);
	length_refused(meta, 48, "no sample");
	length_refused(meta, 48 + 20 * 8 + 1, "whole number of cf32_le samples");
	length_refused(meta, 48 + 9 * 8, "captures[1] begins at sample 110");
	length_refused(meta, 48 + 19 * 8, "annotations[0] goes on to sample 120");
	sigmf_free(meta);
	meta = meta_take(GLOBAL ",\"aloe:samples\":5", "", "");
	length_taken(meta, 40, 5);
	length_refused(meta, 32, "the recording states 5; the file is cut off");
	length_refused(meta, 48, "the recording states 5");
	sigmf_free(meta);
	meta = meta_take(GLOBAL ",\"core:num_channels\":2", "", "");
	length_refused(meta, 48, "core:num_channels: found 2");
	sigmf_free(meta);
	meta = meta_take(GLOBAL ",\"core:metadata_only\":true", "", "");
	length_refused(meta, 48, "no samples");
	sigmf_free(meta);
}

/* ---- what is printed ----------------------------------------------------------------------- */

static void test_print_and_parse(void **state)
{
	struct sigmf_capture captures[2] = {sigmf_no_capture, sigmf_no_capture};
	struct sigmf_annotation annotation = sigmf_no_annotation;
	struct sigmf_meta made = {.global = sigmf_no_global,
	    .captures = captures,
	    .n_captures = 2,
	    .annotations = &annotation,
	    .n_annotations = 1};
	struct sigmf_meta *read = NULL;
	char time[SIGMF_DATETIME];
	struct diag diag;
	size_t len;
	char *text;

	(void)state;
	made.global.datatype = SIGMF_CI8;
	made.global.sample_rate_hz = 100e6;
	made.global.waveform = "bpsk \"x\" \xc3\xa4";
	made.global.slot_ns = 1000000;
	sigmf_datetime(1795707536000000005ull, time);
	captures[0].datetime = time;
	captures[1].sample_start = 100;
	captures[1].global_index = 300;
	captures[1].frequency_hz = 2.4e9 + 0.5;
	annotation.label = "absent";
	text = sigmf_print(&made, &len);
	assert_non_null(text);
	assert_int_equal(strlen(text), len);
	assert_non_null(strstr(text, "\"core:sample_rate\": 100000000,"));
	diag_init(&diag);
	assert_int_equal(sigmf_parse("again", text, len, &diag, &read), 0);
	assert_int_equal(read->global.datatype, SIGMF_CI8);
	assert_string_equal(read->global.waveform, made.global.waveform);
	assert_string_equal(read->captures[0].datetime, "2026-11-26T15:38:56.000000005Z");
	assert_int_equal(read->captures[1].index, 300);
	assert_true(read->captures[1].frequency_hz == 2.4e9 + 0.5);
	assert_string_equal(read->annotations[0].label, "absent");
	assert_true(read->global.samples == SIGMF_NONE && read->global.sha512 == NULL);
	sigmf_free(read);
	free(text);
	made.global.hw = "\xff";
	assert_null(sigmf_print(&made, &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_formats),
	    cmocka_unit_test(test_segments),
	    cmocka_unit_test(test_large_numbers),
	    cmocka_unit_test(test_global_refused),
	    cmocka_unit_test(test_lists_refused),
	    cmocka_unit_test(test_whole_refused),
	    cmocka_unit_test(test_data_length),
	    cmocka_unit_test(test_print_and_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
