/* SPDX-License-Identifier: BSD-3-Clause
 * core/waveform, core/registry, core/map, core/graph: whatever allocation fails, on the way from a
 * file to a plan and its pictures, what was asked for is refused, nothing is left half made, and
 * the next one works. (tests/common/scarce.h) */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/graph/graph.h"
#include "core/json/json.h"
#include "core/map/explain.h"
#include "core/map/profile.h"
#include "core/map/whatif.h"
#include "core/waveform/print.h"
#include "core/waveform/radio_file.h"
#include "core/waveform/shape.h"
#include "daemons/swman/program.h"
#include "tests/common/scarce.h"
#include "tests/common/types.h"

/* All that a file can say which takes memory. */
static const char text[] =
    "name = \"scarce\"; slot_ns = 1000000; overrun = \"mode\"; lanes = [0, 1];\n"
    "clock = \"virtual\"; on_overrun = ( \"all.narrow=0.25\" );\n"
    "instances: {\n"
    "  source: { component = \"source\"; length = 5; };\n"
    "  mux:    { component = \"mux\"; };\n"
    "  pair:   { component = \"pair\"; };\n"
    "  copy:   { component = \"copy\"; node = \"a\"; };\n"
    "  sink:   { component = \"sink\"; path = \"a/{copy}\"; };\n"
    "  all:    { component = \"all\"; narrow = -0.5; wide = 1; whole = 10; text = \"a\\\\b\";\n"
    "            taps = [1, 0.5, -1e-3]; };\n"
    "};\n"
    "links = ( \"source -> mux.in0\",\n"
    "  { path = \"mux.out -> mux.in1\"; delay = 1; items = 10; },\n"
    "  \"source -> copy -> sink\", \"source -> pair.sent\", \"mux -> pair.received\" );\n";

struct made {
	struct registry *registry;
	struct waveform *waveform;
	struct plan *plan;
	struct diag diag;
	const char *why; /* component, instance or file, as the test wants */
};

static int parsed(struct made *made, struct waveform **ret)
{
	static const char *const sets[] = {
	    "source.length=7", "all.taps=[1,0.5]", "slot_ns=2000000"};
	const struct wf_overrides overrides = {.sets = sets,
	    .n_sets = 3,
	    .cwd = "/there",
	    .pipelined = -1,
	    .copies = 2,
	    .record = "/there/record",
	    .replay = "/there/replay"};

	*ret = NULL;
	return waveform_parse(
	    "scarce.conf", text, strlen(text), made->registry, &overrides, &made->diag, ret);
}

/* What is refused says why: a line, or that there was no memory for one. */
static void said(struct made *made, int status)
{
	if (status != 0 && status != -ENOMEM)
		assert_true(made->diag.errors > 0 || made->diag.lost);
	if (status == 0)
		assert_int_equal(made->diag.errors, 0);
	diag_fini(&made->diag);
	diag_init(&made->diag);
}

static int once_parsed(void *of)
{
	struct waveform *waveform;
	const int status = parsed(of, &waveform);

	assert_true((status == 0) == (waveform != NULL));
	waveform_free(waveform);
	said(of, status);
	return status;
}

static int once_opened(void *of)
{
	struct registry *registry = test_registry_open();
	int status = registry == NULL || registry_len(registry) != test_entries_len;

	(void)of;
	registry_close(registry);
	return status;
}

static int once_printed(void *of)
{
	struct made *made = of;
	const struct wf_graft graft = {
	    .instance = 0, .name = "seen", .component = "sink", .params = "path = \"seen.bin\";"};
	const struct wf_print print = {.grafts = &graft,
	    .n_grafts = 1,
	    .sinks_in = "/out",
	    .clock = "virtual",
	    .anywhere = true};
	char *plain = waveform_print(made->waveform, NULL),
	     *other = waveform_print(made->waveform, &print);
	const int status = plain != NULL && other != NULL ? 0 : -ENOMEM;

	free(plain);
	free(other);
	return status;
}

static const int cpus[] = {0, 1};
static const struct platform_model platform = {cpus, 2, 100};

static int once_planned(void *of)
{
	struct made *made = of;
	struct plan *plan = NULL;
	const int status = plan_make(made->waveform, &platform, NULL, &made->diag, &plan);

	assert_true((status == 0) == (plan != NULL));
	plan_free(plan);
	if (status != -ENOMEM)
		said(made, status);
	return status;
}

static int once_spread(void *of)
{
	struct made *made = of;
	struct waveform *waveform;
	int status = parsed(made, &waveform);

	if (status == 0)
		status = plan_spread(waveform, &platform, NULL, &made->diag);
	waveform_free(waveform);
	said(made, status);
	return status;
}

static int once_explained(void *of)
{
	struct made *made = of;
	const struct plan_options options = {.q = 0.5, .admit = true};
	struct plan_whatif whatif;
	struct plan_why *why = NULL;
	char *print = NULL, *json = NULL;
	int status = plan_whatif(made->waveform, &platform, NULL, &options, made->plan, &whatif);

	if (status == 0)
		status = plan_why(made->waveform, &platform, NULL, &options, made->plan,
		    made->waveform->instances[0].name, &why);
	if (status == 0) {
		print = plan_explain_print(made->waveform, made->plan, &whatif, why);
		json = plan_explain_json(made->waveform, made->plan, &whatif, why);
		status = print != NULL && json != NULL ? 0 : -ENOMEM;
	}
	plan_why_free(why);
	free(print);
	free(json);
	return status;
}

static int once_drawn(void *of)
{
	struct made *made = of;
	struct graph *graph = NULL;
	FILE *out = fopen("/dev/null", "we");
	int status = graph_of_plan(made->waveform, made->plan, &graph);

	assert_non_null(out);
	assert_true((status == 0) == (graph != NULL));
	if (status == 0) {
		graph_dot(graph, out);
		status = graph_text(graph, true, out);
		graph_free(graph);
	}
	fclose(out);
	return status;
}

static int once_program(void *of)
{
	struct made *made = of;
	void *program = NULL;
	size_t len;
	const int status =
	    program_build(made->waveform, made->plan, 0, 0, &made->diag, &program, &len);

	free(program);
	if (status != -ENOMEM)
		said(made, status);
	return status;
}

static int begin(void **state)
{
	struct made *made = calloc(1, sizeof(*made));

	*state = made;
	if (made == NULL)
		return -1;
	diag_init(&made->diag);
	made->registry = test_registry_open();
	if (made->registry == NULL || parsed(made, &made->waveform) != 0) {
		diag_print(&made->diag, stderr);
		return -1;
	}
	return 0;
}

static int end(void **state)
{
	struct made *made = *state;

	plan_free(made->plan);
	waveform_free(made->waveform);
	registry_close(made->registry);
	diag_fini(&made->diag);
	free(made);
	return 0;
}

static void swept(void **state, int (*once)(void *of))
{
	assert_true(scarce_sweep(SCARCE_MEMORY, ENOMEM, once, *state) > 0);
}

static void test_parse(void **state)
{
	swept(state, once_parsed);
}

static void test_registry(void **state)
{
	swept(state, once_opened);
}

static void test_print(void **state)
{
	swept(state, once_printed);
}

static void test_spread(void **state)
{
	swept(state, once_spread);
}

/* Sizes that a host would have said: every port has 8 items. */
static void sized(struct waveform *waveform)
{
	for (size_t i = 0; i < waveform->n_instances; i++) {
		struct wf_instance *it = &waveform->instances[i];

		for (uint32_t p = 0; p < it->n_in; p++)
			it->in[p].max = it->in[p].link >= 0 ? 8 : 0;
		for (uint32_t p = 0; p < it->n_out; p++)
			it->out[p].max = it->out[p].link >= 0 ? 8 : 0;
	}
}

static void test_plan(void **state)
{
	struct made *made = *state;

	sized(made->waveform);
	assert_int_equal(waveform_spread(made->waveform), 0);
	swept(state, once_planned);
	assert_int_equal(plan_make(made->waveform, &platform, NULL, &made->diag, &made->plan), 0);
}

static void test_explain(void **state)
{
	swept(state, once_explained);
}

static void test_graph(void **state)
{
	swept(state, once_drawn);
}

static void test_program(void **state)
{
	swept(state, once_program);
}

/* ---- shapes, with components of the build -------------------------------------------- */

/* The host's side is asked in this process. */
static int once_shaped(void *of)
{
	struct waveform *waveform = of;
	char *request = waveform_shape_json(waveform), *answer = NULL;
	struct diag diag;
	int status = -ENOMEM;

	diag_init(&diag);
	if (request != NULL)
		answer = waveform_shape_answer(request, NULL, NULL);
	if (answer != NULL)
		status = waveform_shape_apply(waveform, answer, &diag);
	if (status == -EINVAL)
		assert_true(diag.errors > 0 || diag.lost);
	diag_fini(&diag);
	free(request);
	free(answer);
	return status;
}

static void test_shape(void **state)
{
	static const char real[] =
	    "name = \"real\"; slot_ns = 1000000;\n"
	    "instances: {\n"
	    "  source: { component = \"random_source\"; length = 8; };\n"
	    "  mod:    { component = \"bpsk_mod\"; output = \"cf32\"; };\n"
	    "  taps:   { component = \"fir\"; taps = [1.0, 0.5]; };\n"
	    "  sink:   { component = \"file_sink\"; path = \"/tmp/out\"; };\n"
	    "};\nlinks = ( \"source -> mod -> taps -> sink\" );\n";
	const struct wf_overrides overrides = {.cwd = "/there", .pipelined = -1};
	char path[4096] = {0}, dirs[4200];
	struct waveform *waveform = NULL;
	struct registry *registry;
	struct diag diag;

	(void)state;
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	for (int up = 0; up < 3; up++) /* BUILD/tests/ROOM/NAME */
		*strrchr(path, '/') = 0;
	snprintf(dirs, sizeof(dirs), "%s/lib/aloe", path);
	diag_init(&diag);
	registry = registry_open(dirs, &diag);
	assert_non_null(registry);
	assert_int_equal(
	    waveform_parse("real.conf", real, strlen(real), registry, &overrides, &diag, &waveform),
	    0);
	assert_true(scarce_sweep(SCARCE_MEMORY, ENOMEM, once_shaped, waveform) > 0);
	waveform_free(waveform);
	registry_close(registry);
	diag_fini(&diag);
}

/* ---- files of platforms, radios and profiles ----------------------------------------- */

static const char platform_text[] =
    "name = \"run\"; secure = true; margin = 0.1;\n"
    "nodes: {\n"
    " a: { mmac_per_s = [1.0, 2.0]; kinds: { big = 1; little = 1; };\n"
    "  address = \"10.0.0.1:7000\"; manager = true; lanes = [2, 3]; housekeeping = [0];\n"
    "  arch = \"armhf\"; key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf8\";\n"
    "  radios = [\"one\", \"two\"]; };\n"
    " b: { mmac_per_s = 1.0; address = \"[fd00::1]:7000\"; clock = \"network\";\n"
    "  key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf9\"; };\n"
    "};\n"
    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 1.0; transport = \"udp\"; } );\n";

static int once_platform(void *of)
{
	struct platform_model *model = NULL;
	struct diag diag;
	int status;

	(void)of;
	diag_init(&diag);
	status = platform_parse("run.conf", platform_text, strlen(platform_text), &diag, &model);
	assert_true((status == 0) == (model != NULL));
	assert_true(status == 0 || status == -ENOMEM || diag.errors > 0 || diag.lost);
	if (status != 0 && diag.len > 0 && !scarce_over())
		diag_print(&diag, stderr);
	platform_free(model);
	diag_fini(&diag);
	return status;
}

static const char radio_text[] =
    "radio = ( { type = \"x310\"; transport = \"udp\"; address = \"10.0.0.2\";\n"
    " channel = [0, 1]; rate = 10e6; rx_frequency = [1e9, 2e9]; rx_gain = 3.0; },\n"
    " { type = \"x310\"; transport = \"udp\"; address = \"10.0.0.3\"; rate = 10e6; } );\n";

static int once_radios(void *of)
{
	const struct radio_use use = {"scarce", 10e6, 10000, false};
	struct wf_radios *radios = NULL;
	struct diag diag;
	int status;

	(void)of;
	diag_init(&diag);
	status = wf_radios_parse("radio.conf", radio_text, "/there", &use, &diag, &radios);
	assert_true((status == 0) == (radios != NULL));
	assert_true(status == 0 || status == -ENOMEM || diag.errors > 0 || diag.lost);
	wf_radios_free(radios);
	diag_fini(&diag);
	return status;
}

static int once_profile(void *of)
{
	static const struct length_point points[2] = {
	    {.kmac_p50 = 1.0 / 3, .kmac_p99 = 1e9}, {.bytes = 8, .kmac_p50 = 1, .kmac_p99 = 2}};
	struct profile profile = {0}, again = {0};
	char *saved = NULL;
	struct diag diag;
	int status;

	(void)of;
	diag_init(&diag);
	status = plan_profile_set(&profile, "b", &points[0]);
	if (status == 0)
		status = plan_profile_set(&profile, "a", &points[1]);
	if (status == 0) {
		saved = plan_profile_save(&profile);
		status = saved != NULL ? 0 : -ENOMEM;
	}
	if (status == 0)
		status = plan_profile_load("p.json", saved, strlen(saved), &diag, &again);
	free(saved);
	plan_profile_fini(&again);
	plan_profile_fini(&profile);
	diag_fini(&diag);
	return status;
}

static void test_platform(void **state)
{
	swept(state, once_platform);
}

static void test_radios(void **state)
{
	swept(state, once_radios);
}

static void test_profile(void **state)
{
	swept(state, once_profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parse),
	    cmocka_unit_test(test_registry),
	    cmocka_unit_test(test_print),
	    cmocka_unit_test(test_spread),
	    cmocka_unit_test(test_plan), /* the plan that the next three have */
	    cmocka_unit_test(test_explain),
	    cmocka_unit_test(test_graph),
	    cmocka_unit_test(test_program),
	    cmocka_unit_test(test_shape),
	    cmocka_unit_test(test_platform),
	    cmocka_unit_test(test_radios),
	    cmocka_unit_test(test_profile),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests(tests, begin, end);
}
