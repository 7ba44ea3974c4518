/* SPDX-License-Identifier: BSD-3-Clause
 * N copies of a waveform in one: names, links, texts and seeds of each; files that two would write;
 * whole copies on lanes; one shape asked for where they do not differ; what the program says of
 * them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/image/image.h"
#include "core/map/plan.h"
#include "core/waveform/shape.h"
#include "core/waveform/waveform.h"
#include "daemons/swman/program.h"

enum { N = 4, LINKS = 3 };

static const char text[] =
    "name = \"x\"; slot_ns = 1000000;\n"
    "instances: {\n"
    " source: { component = \"random_source\"; seed = 5; length = 8; };\n"
    " mod: { component = \"bpsk_mod\"; };\n"
    " fir: { component = \"fir\"; taps = [1.0, 2.0]; };\n"
    " sink: { component = \"file_sink\"; path = \"out-{copy}-{copy}.cf32\"; };\n"
    "};\n"
    "links = ( \"source -> mod -> fir -> sink\" );\n";

static int fixture_open(void **state)
{
	char self[4096] = {0}, dir[5000];
	struct diag diag;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		*strrchr(self, '/') = 0;
	snprintf(dir, sizeof(dir), "%s/lib/aloe", self);
	diag_init(&diag);
	*state = registry_open(dir, &diag);
	return *state && diag.errors == 0 ? 0 : -1;
}

static int fixture_close(void **state)
{
	registry_close(*state);
	return 0;
}

static struct waveform *parsed(void **state, uint32_t copies, const char *set)
{
	const struct wf_overrides overrides = {.sets = &set,
	    .n_sets = set != NULL,
	    .cwd = "/there",
	    .pipelined = -1,
	    .copies = copies};
	struct waveform *waveform = NULL;
	struct diag diag;

	diag_init(&diag);
	if (waveform_parse("x.conf", text, strlen(text), *state, &overrides, &diag, &waveform) != 0)
		fail_msg("refused: %s", diag.len ? diag.lines[0] : "no reason");
	diag_fini(&diag);
	return waveform;
}

static void refused(void **state, uint32_t copies, const char *set, const char *line)
{
	const struct wf_overrides overrides = {.sets = &set,
	    .n_sets = set != NULL,
	    .cwd = "/there",
	    .pipelined = -1,
	    .copies = copies};
	struct waveform *waveform = NULL;
	struct diag diag;

	diag_init(&diag);
	assert_int_equal(
	    waveform_parse("x.conf", text, strlen(text), *state, &overrides, &diag, &waveform),
	    -EINVAL);
	assert_int_equal(diag.len, 1);
	assert_string_equal(diag.lines[0], line);
	diag_fini(&diag);
}

static const struct wf_value *value(const struct wf_instance *instance, const char *param)
{
	for (size_t k = 0; k < instance->type->n_params; k++)
		if (strcmp(instance->type->params[k].name, param) == 0)
			return &instance->values[k];
	fail_msg("no parameter %s", param);
	return NULL;
}

static void test_none(void **state)
{
	struct waveform *wf = parsed(state, 0, NULL);

	assert_int_equal(wf->n_instances, N);
	assert_int_equal(waveform_originals(wf), N);
	assert_string_equal(wf->instances[0].name, "source");
	assert_null(wf->instances[0].original);
	assert_string_equal(value(&wf->instances[3], "path")->text, "/there/out-1-1.cf32");
	waveform_free(wf);
}

static void test_made(void **state)
{
	static const char *const names[N] = {"source", "mod", "fir", "sink"};
	struct waveform *wf = parsed(state, 20, "fir.taps=3,4");
	char name[64];

	assert_int_equal(wf->copies, 20);
	assert_int_equal(wf->n_instances, 20 * N);
	assert_int_equal(wf->n_links, 20 * LINKS);
	assert_int_equal(waveform_originals(wf), N);
	assert_int_equal(waveform_original_links(wf), LINKS);
	for (uint32_t c = 0; c < 20; c++) {
		const struct wf_instance *mine = &wf->instances[c * N];

		for (int i = 0; i < N; i++) {
			snprintf(name, sizeof(name), "%s_%u", names[i], c + 1);
			assert_string_equal(mine[i].name, name);
			assert_string_equal(mine[i].original, names[i]);
		}
		for (int k = 0; k < LINKS; k++) {
			const struct wf_link *link = &wf->links[(int)c * LINKS + k];

			assert_int_equal(link->from, (int)c * N + k);
			assert_int_equal(link->to, (int)c * N + k + 1);
			assert_int_equal(mine[k].out[0].link, (int)c * LINKS + k);
			assert_int_equal(mine[k + 1].in[0].link, (int)c * LINKS + k);
		}
		assert_true(value(&mine[0], "seed")->number == 5 + c);
		assert_true(value(&mine[2], "taps")->reals[0] == 3 &&
		    value(&mine[2], "taps")->n_reals == 2);
		snprintf(name, sizeof(name), "/there/out-%u-%u.cf32", c + 1, c + 1);
		assert_string_equal(value(&mine[3], "path")->text, name);
	}
	waveform_free(wf);
}

static void test_files(void **state)
{
	char folder[] = "/tmp/aloe-copies-XXXXXX", set[64], line[512];

	waveform_free(parsed(state, 100, "sink.path=/dev/null"));
	refused(state, 3, "sink.path=/there/out",
	    "x.conf:6: sink_1.path and sink_2.path use the same file /there/out; each needs a file "
	    "of its own ({copy} in a path is the number of the copy)");
	assert_non_null(mkdtemp(folder));
	snprintf(set, sizeof(set), "sink.path=%s/out", folder);
	snprintf(line, sizeof(line),
	    "x.conf:6: sink_1.path and sink_2.path use the same file %s/out; each needs a file of "
	    "its own ({copy} in a path is the number of the copy)",
	    folder);
	refused(state, 2, set, line); /* there or not */
	rmdir(folder);
}

static void test_limits(void **state)
{
	waveform_free(parsed(state, 16384, NULL));
	refused(state, 16385, NULL,
	    "--copies: 16385 copies of 4 instances and 3 links are too many; at most 65536 "
	    "instances and 262144 links are allowed");
	refused(state, UINT32_MAX, NULL,
	    "--copies: 4294967295 copies of 4 instances and 3 links are too many; at most 65536 "
	    "instances and 262144 links are allowed");
}

/* The question to the host is that of one copy, unless a text makes them differ. */
static void test_shape(void **state)
{
	struct waveform *alike = parsed(state, 50, "sink.path=/dev/null"),
	                *apart = parsed(state, 50, NULL);
	struct waveform *one = parsed(state, 1, "sink.path=/dev/null");
	char *of_alike = waveform_shape_json(alike), *of_apart = waveform_shape_json(apart);
	char *of_one = waveform_shape_json(one),
	     *answer = waveform_shape_answer(of_alike, NULL, NULL);
	struct diag diag;

	diag_init(&diag);
	assert_true(strlen(of_alike) < strlen(of_one) + 100);
	assert_true(strlen(of_apart) > 10 * strlen(of_one));
	assert_int_equal(waveform_shape_apply(alike, answer, &diag), 0);
	for (size_t i = 0; i < alike->n_instances; i++) {
		assert_int_equal(alike->instances[i].in[0].max, i % N == 0 ? 0 : 8);
		assert_int_equal(alike->instances[i].out[0].max, i % N == 3 ? 0 : 8);
	}
	diag_fini(&diag);
	free(of_alike);
	free(of_apart);
	free(of_one);
	free(answer);
	waveform_free(alike);
	waveform_free(apart);
	waveform_free(one);
}

static struct plan *planned(struct waveform *wf, size_t n_lanes)
{
	static const int cpus[] = {0, 1, 2, 3};
	static int lanes[] = {0, 1, 2, 3};
	const struct platform_model platform = {cpus, 4, 0};
	struct plan *plan = NULL;
	struct diag diag;

	free(wf->lanes);
	wf->lanes = malloc(sizeof(lanes));
	memcpy(wf->lanes, lanes, sizeof(lanes));
	wf->n_lanes = n_lanes;
	diag_init(&diag);
	assert_int_equal(plan_make(wf, &platform, NULL, &diag, &plan), 0);
	diag_fini(&diag);
	return plan;
}

/* Whole copies, as evenly as they go, and each runs from end to end. */
static void test_lanes(void **state)
{
	static const uint32_t tries[][2] = {
	    {2, 2}, {3, 2}, {7, 2}, {20, 2}, {9, 4}, {3, 4}, {400, 3}};

	for (size_t t = 0; t < sizeof(tries) / sizeof(tries[0]); t++) {
		const uint32_t copies = tries[t][0], lanes = tries[t][1];
		struct waveform *wf = parsed(state, copies, "sink.path=/dev/null");
		struct plan *plan = planned(wf, lanes);
		uint32_t on[4] = {0};

		for (size_t i = 0; i < plan->n_instances; i++) {
			assert_int_equal(plan->instances[i].lane, plan->instances[i / N * N].lane);
			assert_int_equal(plan->instances[i].lag, 0);
			if (i % N != 0)
				assert_int_equal(
				    plan->instances[i].order, plan->instances[i - 1].order + 1);
			else
				on[plan->instances[i].lane]++;
		}
		assert_int_equal(plan->latency_slots, 1);
		for (uint32_t l = 0; l < lanes; l++)
			assert_true(on[l] <= (copies + lanes - 1) / lanes);
		plan_free(plan);
		waveform_free(wf);
	}
}

/* On a lane all copies have the place of the first; on two lanes there are two. */
static void check_buffers(const struct image_view *view)
{
	const uint32_t per_copy = (uint32_t)(view->head->buffers.count / 30);

	assert_int_equal(per_copy, LINKS);
	for (uint32_t i = 0; i < view->head->buffers.count; i++)
		for (uint32_t k = 0; k < i; k++) {
			const struct image_buffer *a = &view->buffers[i], *b = &view->buffers[k];
			const bool one_lane = view->instances[a->instance].segment ==
			    view->instances[b->instance].segment;

			assert_int_equal(
			    a->data == b->data, one_lane && i % per_copy == k % per_copy);
			assert_true(a->messages != b->messages);
		}
}

/* Where the last reader of a buffer runs; UINT32_MAX if one runs in another step or segment. */
static uint32_t last_use(const struct waveform *wf, const struct plan *plan, uint32_t buffer)
{
	const struct plan_buffer *b = &plan->buffers[buffer];
	uint32_t last = 0;

	for (size_t l = 0; l < wf->n_links; l++) {
		const struct wf_link *link = &wf->links[l];
		const struct plan_instance *to = &plan->instances[link->to];

		if ((uint32_t)link->from != b->instance || (uint32_t)link->from_port != b->port)
			continue;
		if (plan->links[l].distance > 0 || link->delay > 0 ||
		    to->segment != plan->instances[b->instance].segment)
			return UINT32_MAX;
		last = to->order > last ? to->order : last;
	}
	return last;
}

/* Two buffers have one place only if one is read for the last time before the other is written.
 * Returns how many places. */
static uint32_t check_places(
    const struct waveform *wf, const struct plan *plan, const struct image_buffer *rows)
{
	uint32_t places = 0;

	for (uint32_t i = 0; i < plan->n_buffers; i++) {
		const struct plan_instance *mine = &plan->instances[plan->buffers[i].instance];

		places += rows[i].shares == 0;
		for (uint32_t k = 0; k < i; k++) {
			const struct plan_instance *theirs =
			    &plan->instances[plan->buffers[k].instance];

			if (rows[i].data != rows[k].data)
				continue;
			assert_int_equal(mine->segment, theirs->segment);
			assert_true(last_use(wf, plan, i) < theirs->order ||
			    last_use(wf, plan, k) < mine->order);
			assert_int_equal(rows[i].type, rows[k].type);
			assert_int_equal(rows[i].max, rows[k].max);
		}
	}
	return places;
}

/* A chain of any length works in two places; what somebody still reads later keeps its own. */
static void test_places(void **state)
{
	static const char chain[] =
	    "name = \"x\"; slot_ns = 1000000;\n"
	    "instances: { s: { component = \"random_source\"; length = 8; };\n"
	    " a: { component = \"copy\"; }; b: { component = \"copy\"; }; c: { component = "
	    "\"copy\"; };\n"
	    " d: { component = \"copy\"; }; e: { component = \"copy\"; }; k: { component = "
	    "\"bit_compare\"; }; };\n"
	    "links = ( \"s -> a -> b -> c -> d -> e -> k.received\", { path = \"a -> k.sent\"; } "
	    ");\n";
	const struct wf_overrides overrides = {.cwd = "/there", .pipelined = -1, .copies = 1};
	struct waveform *wf = NULL;
	const struct image_buffer *rows;
	struct plan *plan;
	struct diag diag;
	void *program;
	size_t len;

	diag_init(&diag);
	assert_int_equal(
	    waveform_parse("x.conf", chain, strlen(chain), *state, &overrides, &diag, &wf), 0);
	plan = planned(wf, 1);
	assert_int_equal(program_build(wf, plan, 0, 0, &diag, &program, &len), 0);
	rows = (const void *)((const uint8_t *)program +
	    ((const struct image_head *)program)->buffers.offset);
	assert_int_equal(plan->n_buffers, 6);
	assert_int_equal(check_places(wf, plan, rows), 3);
	free(program);
	plan_free(plan);
	waveform_free(wf);
	diag_fini(&diag);
}

/* What is used beyond its own step is nobody else's. */
static void test_apart(void **state)
{
	struct waveform *wf = parsed(state, 10, "sink.path=/dev/null");
	struct image_head *head;
	const struct image_buffer *rows;
	struct plan *plan;
	struct diag diag;
	void *program;
	size_t len;

	for (size_t i = 0; i < wf->n_instances; i++)
		wf->instances[i].pin = i % N == 3; /* the sinks, on the other lane */
	for (size_t l = 1; l < wf->n_links; l += LINKS)
		wf->links[l].delay = 1; /* into the filters */
	plan = planned(wf, 2);
	diag_init(&diag);
	assert_int_equal(program_build(wf, plan, 0, 0, &diag, &program, &len), 0);
	head = program;
	rows = (const void *)((const uint8_t *)program + head->buffers.offset);
	for (uint32_t i = 0; i < head->buffers.count; i++)
		/* into a filter, one step later; into a sink, on another lane */
		if (i % LINKS != 0)
			assert_int_equal(rows[i].shares, 0);
	assert_true(check_places(wf, plan, rows) < head->buffers.count);
	free(program);
	plan_free(plan);
	for (size_t i = 0; i < wf->n_instances; i++)
		wf->instances[i].pin = -1;
	plan = planned(wf, 1);
	assert_int_equal(program_build(wf, plan, 0, 0, &diag, &program, &len), 0);
	head = program;
	rows = (const void *)((const uint8_t *)program + head->buffers.offset);
	for (uint32_t i = 0; i < head->buffers.count; i++)
		assert_int_equal(rows[i].shares, i < LINKS || i % LINKS == 1 ? 0 : i % LINKS + 1);
	free(program);
	plan_free(plan);
	diag_fini(&diag);
	waveform_free(wf);
}

static void test_program(void **state)
{
	struct waveform *wf = parsed(state, 30, "sink.path=/dev/null");
	struct plan *plan = planned(wf, 2);
	const struct image_head *head;
	const struct image_instance *rows;
	const struct image_param *params;
	struct image_view view;
	struct diag diag;
	void *program;
	size_t len;
	struct image_files files;

	diag_init(&diag);
	assert_int_equal(program_build(wf, plan, 0, 0, &diag, &program, &len), 0);
	assert_int_equal(image_create(program, len, &files), 0);
	assert_int_equal(image_open(&files, false, &view), 0);
	head = view.head;
	rows = view.instances;
	params = view.params;
	assert_int_equal(head->copies, 30);
	assert_int_equal(head->instances.count, 30 * N);
	assert_int_equal(head->reals.count, 2); /* of all the filters */
	for (uint32_t i = 0; i < 30 * N; i++) {
		char name[64];

		assert_int_equal(rows[i].original, rows[i % N].original);
		snprintf(
		    name, sizeof(name), "%s_%u", image_text(&view, rows[i].original), i / N + 1);
		assert_string_equal(image_text(&view, rows[i].name), name);
		assert_int_equal(rows[i].component, rows[i % N].component);
		assert_int_equal(params[rows[i].params].name, params[rows[i % N].params].name);
		assert_int_equal(rows[i].sink, i % N == 3 ? i / N * N + 1 : 0);
	}
	check_buffers(&view);
	assert_true(image_reals(&view, &params[rows[29 * N + 2].params])[1] == 2);
	image_close(&view);
	image_files_close(&files);
	free(program);
	diag_fini(&diag);
	plan_free(plan);
	waveform_free(wf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_none),
	    cmocka_unit_test(test_made),
	    cmocka_unit_test(test_files),
	    cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_shape),
	    cmocka_unit_test(test_lanes),
	    cmocka_unit_test(test_program),
	    cmocka_unit_test(test_apart),
	    cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
