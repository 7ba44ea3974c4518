/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_metrics.c - reports as /metrics has them: which format, every name of the table,
 * labels, histograms, what a report lacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemons/statsman/metrics.h"

static char *written(const char *reports, enum metrics_format format)
{
	json_error_t error;
	json_t *json = json_loads(reports, 0, &error);
	char *text = NULL;
	size_t len = 0;

	if (!json)
		fail_msg("%s", error.text);
	assert_int_equal(metrics_write(json, "here", format, &text, &len), 0);
	assert_int_equal(strlen(text), len);
	json_decref(json);
	return text;
}

static void has(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	while (at && at != text && at[-1] != '\n')
		at = strstr(at + 1, line);
	if (!at || at[strlen(line)] != '\n')
		fail_msg("`%s` is no line of:\n%s", line, text);
}

static void has_not(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("`%s` is in:\n%s", words, text);
}

static void test_what_a_client_accepts(void **state)
{
	static const char prometheus[] =
	    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
	    "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

	(void)state;
	assert_int_equal(metrics_accepted(NULL), METRICS_TEXT);
	assert_int_equal(metrics_accepted(""), METRICS_TEXT);
	assert_int_equal(metrics_accepted("*/*"), METRICS_TEXT);
	assert_int_equal(metrics_accepted("text/plain;version=0.0.4"), METRICS_TEXT);
	assert_int_equal(metrics_accepted(prometheus), METRICS_OPEN);
	assert_int_equal(metrics_accepted("Application/OpenMetrics-Text"), METRICS_OPEN);
	assert_int_equal(metrics_accepted("application/openmetrics-text;q=0"), METRICS_TEXT);
	assert_int_equal(
	    metrics_accepted("application/openmetrics-text;q=0.2, text/plain;q=0"), METRICS_OPEN);
	assert_string_equal(metrics_type(METRICS_TEXT), "text/plain; version=0.0.4; charset=utf-8");
	assert_string_equal(metrics_type(METRICS_OPEN),
	    "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

static bool ends_with(const char *text, const char *end)
{
	const size_t len = strlen(text);

	return len >= strlen(end) && strcmp(text + len - strlen(end), end) == 0;
}

/* Units, and what a type demands of its row. */
static void test_the_table(void **state)
{
	size_t n;
	const struct metrics_family *families = metrics_families(&n);

	(void)state;
	assert_true(n > 10);
	for (size_t i = 0; i < n; i++) {
		const struct metrics_family *family = &families[i];

		assert_int_equal(strncmp(family->name, "aloe_", 5), 0);
		assert_false(ends_with(family->name, "_total"));
		assert_false(ends_with(family->name, "_us"));
		assert_true(!family->unit || ends_with(family->name, family->unit));
		assert_true(ends_with(family->help, "."));
		assert_true((family->n_rows > 1) == (family->label != NULL));
		assert_true((family->kind == METRICS_HISTOGRAM) == (family->rows[0].mean != NULL));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(family->name, families[k].name);
	}
}

static const char two[] =
    "[{\"waveform\": \"w\", \"state\": \"RUN\", \"index\": 12, \"remaps\": 1,"
    "  \"slot_ns\": 20000000,"
    "  \"slots\": {\"run\": 12, \"drain\": 0, \"skipped\": 1, \"missed\": 2, \"slipped\": 3},"
    "  \"messages\": {\"absent\": 4, \"late\": 5, \"overwritten\": 6, \"lost\": 7},"
    "  \"latency\": {\"us\": 40000, \"histogram_ns\": [], \"measured_us\": {\"mean\": null}},"
    "  \"radio\": {\"caught_up\": 8, \"channels\": [{\"packets\": 90}, {\"packets\": 91}]},"
    "  \"lanes\": [{\"lane\": 0, \"node\": \"a\", \"cpu\": 3, \"slots\": 12, \"baton_resets\": 1,"
    "    \"load_mean\": 0.5, \"late_us\": {\"count\": 4, \"mean\": 2.5, \"p50\": 2, \"p99\": 9}},"
    "   {\"lane\": 1, \"node\": \"b\", \"cpu\": 3, \"slots\": 11, \"late_us\": null}],"
    "  \"instances\": [{\"name\": \"x\", \"component\": \"gain\", \"lane\": 1, \"calls\": 3,"
    "    \"mean_us\": 5, \"histogram_ns\": [[90, 1], [1000, 1], [2000000000, 1]]},"
    "   {\"name\": \"y\", \"component\": \"copy\", \"lane\": null, \"calls\": null},"
    "   {\"name\": \"judge\", \"component\": \"z\", \"lane\": 1, \"variables\":"
    "    {\"blocks\": 9, \"block_errors\": 2}},"
    "   {\"name\": \"file\", \"component\": \"wav_sink\", \"lane\": 1, \"variables\":"
    "    {\"blocks\": 7}}],"
    "  \"peers\": [{\"node\": \"a\", \"peer\": \"b\", \"sent\": 21, \"sent_bytes\": 2100,"
    "    \"received\": 20, \"received_bytes\": 1900, \"refused\": 1, \"foreign\": 0,"
    "    \"parts\": 18, \"repeated\": 2, \"known\": 0, \"early\": 0, \"late\": 0,"
    "    \"lost\": 3}, {\"node\": \"b\", \"peer\": \"a\", \"sent\": 22}]},"
    " {\"waveform\": \"q\\\"\\\\\\n\", \"state\": \"STOP\", \"index\": 0}]";

static void test_numbers(void **state)
{
	char *text = written(two, METRICS_OPEN);

	(void)state;
	has(text, "aloe_build_info{version=\"" ALOE_VERSION "\"} 1");
	has(text, "aloe_waveform_state{waveform=\"w\",aloe_waveform_state=\"RUN\"} 1");
	has(text, "aloe_waveform_state{waveform=\"w\",aloe_waveform_state=\"STOP\"} 0");
	has(text, "aloe_slots_total{waveform=\"w\",result=\"slipped\"} 3");
	has(text, "aloe_slot_seconds{waveform=\"w\"} 0.02");
	has(text, "aloe_messages_total{waveform=\"w\",result=\"lost\"} 7");
	has(text, "aloe_latency_seconds_sum{waveform=\"w\"} 0");
	has(text, "aloe_latency_planned_seconds{waveform=\"w\"} 0.04");
	has(text, "aloe_radio_slots_total{waveform=\"w\",result=\"caught_up\"} 8");
	has(text, "aloe_radio_packets_total{waveform=\"w\",channel=\"1\",result=\"packets\"} 91");
	has(text,
	    "aloe_lane_slots_total{waveform=\"w\",node=\"b\",lane=\"1\",cpu=\"3\",result="
	    "\"run\"} 11");
	has(text,
	    "aloe_lane_batons_total{waveform=\"w\",node=\"a\",lane=\"0\",cpu=\"3\",result="
	    "\"reset\"} 1");
	has(text,
	    "aloe_lane_late_seconds{waveform=\"w\",node=\"a\",lane=\"0\",cpu=\"3\",quantile="
	    "\"0.99\"} 9e-06");
	has(text,
	    "aloe_lane_late_seconds_sum{waveform=\"w\",node=\"a\",lane=\"0\",cpu=\"3\"} 1e-05");
	has(text,
	    "aloe_instance_calls_total{waveform=\"w\",node=\"b\",instance=\"x\",component="
	    "\"gain\"} 3");
	has(text,
	    "aloe_bridge_frames_total{waveform=\"w\",node=\"a\",peer=\"b\",result=\"sent\"} 21");
	has(text,
	    "aloe_bridge_frames_total{waveform=\"w\",node=\"b\",peer=\"a\",result=\"sent\"} 22");
	has(text,
	    "aloe_bridge_frames_total{waveform=\"w\",node=\"a\",peer=\"b\",result="
	    "\"refused\"} 1");
	has(text,
	    "aloe_bridge_bytes_total{waveform=\"w\",node=\"a\",peer=\"b\",result="
	    "\"received\"} 1900");
	has(text,
	    "aloe_bridge_parts_total{waveform=\"w\",node=\"a\",peer=\"b\",result="
	    "\"repeated\"} 2");
	has(text, "aloe_bridge_messages_lost_total{waveform=\"w\",node=\"a\",peer=\"b\"} 3");
	has_not(text, "aloe_bridge_messages_lost_total{waveform=\"w\",node=\"b\"");
	free(text);
}

/* A file has blocks that nobody judges. */
static void test_blocks(void **state)
{
#define BLOCKS                                                                                     \
	"aloe_instance_blocks_total{waveform=\"w\",node=\"b\",instance=\"judge\",component="       \
	"\"z\",result="
	char *text = written(two, METRICS_OPEN);

	(void)state;
	has(text, BLOCKS "\"judged\"} 9");
	has(text, BLOCKS "\"wrong\"} 2");
	has_not(text, "instance=\"file\",component=\"wav_sink\",result=");
	free(text);
}

static void test_histogram(void **state)
{
#define BUCKET                                                                                     \
	"aloe_instance_busy_seconds_bucket{waveform=\"w\",node=\"b\",instance=\"x\",component="    \
	"\"gain\",le="
#define DISTRIBUTION(of)                                                                           \
	"aloe_instance_busy_seconds" of                                                            \
	"{waveform=\"w\",node=\"b\",instance=\"x\",component=\"gain\"} "
	char *text = written(two, METRICS_OPEN);

	(void)state;
	has(text, BUCKET "\"1e-07\"} 1");
	has(text, BUCKET "\"5e-07\"} 1");
	has(text, BUCKET "\"1e-06\"} 2");
	has(text, BUCKET "\"1.0\"} 2");
	has(text, BUCKET "\"+Inf\"} 3");
	has(text, DISTRIBUTION("_count") "3");
	has(text, DISTRIBUTION("_sum") "1.5e-05");
	free(text);
}

static void test_what_is_not_there(void **state)
{
	char *text = written(two, METRICS_TEXT);

	(void)state;
	has_not(text, "null");
	has_not(text, "nan");
	has_not(text, "aloe_lane_late_seconds_count{waveform=\"w\",node=\"b\"");
	has_not(text, "instance=\"y\",component=\"copy\"} ");
	has_not(text, "result=\"flywheeled\"");
	has(text, "aloe_indices_total{waveform=\"q\\\"\\\\\\n\"} 0");
	free(text);
}

static void test_two_formats(void **state)
{
	char *old = written(two, METRICS_TEXT), *new = written(two, METRICS_OPEN);

	(void)state;
	has(old, "# TYPE aloe_slots_total counter");
	has(new, "# TYPE aloe_slots counter");
	has(old, "# TYPE aloe_waveform_state gauge");
	has(new, "# TYPE aloe_waveform_state stateset");
	has(old, "# TYPE aloe_build_info gauge");
	has(new, "# TYPE aloe_build info");
	has(new, "# UNIT aloe_slot_seconds seconds");
	has_not(old, "# UNIT");
	has_not(old, "# EOF");
	assert_true(ends_with(new, "\n# EOF\n"));
	free(old);
	free(new);
}

static void test_nothing_is_loaded(void **state)
{
	char *text = written("[]", METRICS_OPEN);

	(void)state;
	has(text, "aloe_build_info{version=\"" ALOE_VERSION "\"} 1");
	has_not(text, "waveform=");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_what_a_client_accepts),
	    cmocka_unit_test(test_the_table),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_blocks),
	    cmocka_unit_test(test_histogram),
	    cmocka_unit_test(test_what_is_not_there),
	    cmocka_unit_test(test_two_formats),
	    cmocka_unit_test(test_nothing_is_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
