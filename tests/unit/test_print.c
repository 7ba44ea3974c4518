/* SPDX-License-Identifier: BSD-3-Clause
 * core/waveform/print: the text of a waveform is read back as the same waveform, for all waveforms
 * of the project and for what a text can hold; grafts stand where they are told to. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/waveform/print.h"

static int registry_get(void **state)
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
	diag_fini(&diag);
	return *state ? 0 : -1;
}

static int registry_give(void **state)
{
	registry_close(*state);
	return 0;
}

static struct waveform *parsed(
    void **state, const char *file, const char *text, const struct wf_overrides *overrides)
{
	struct waveform *waveform = NULL;
	struct diag diag;

	diag_init(&diag);
	if (waveform_parse(file, text, strlen(text), *state, overrides, &diag, &waveform) != 0)
		fail_msg("%s", diag.len ? diag.lines[0] : "no reason");
	diag_fini(&diag);
	return waveform;
}

static const struct wf_overrides plain = {.cwd = "/", .pipelined = -1};

static void values_same(const struct wf_instance *a, const struct wf_instance *b)
{
	for (size_t k = 0; k < a->type->n_params; k++) {
		const struct wf_value *one = &a->values[k], *two = &b->values[k];

		assert_memory_equal(&one->number, &two->number, sizeof(one->number));
		assert_int_equal(one->has_mode, two->has_mode);
		assert_memory_equal(&one->mode, &two->mode, sizeof(one->mode));
		assert_int_equal(one->n_reals, two->n_reals);
		if (one->n_reals)
			assert_memory_equal(
			    one->reals, two->reals, one->n_reals * sizeof(*one->reals));
		if (one->text)
			assert_string_equal(one->text, two->text);
	}
}

static void instances_same(const struct wf_instance *a, const struct wf_instance *b)
{
	assert_string_equal(a->name, b->name);
	assert_ptr_equal(a->type, b->type);
	assert_int_equal(a->pin, b->pin);
	assert_int_equal(a->isolation, b->isolation);
	assert_int_equal(a->period, b->period);
	assert_int_equal(a->phase, b->phase);
	assert_true(a->budget_us == b->budget_us);
	values_same(a, b);
}

static void waveforms_same(const struct waveform *a, const struct waveform *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->slot_ns, b->slot_ns);
	assert_int_equal(a->slot_samples, b->slot_samples);
	assert_true(a->rate_hz == b->rate_hz);
	assert_int_equal(a->clock, b->clock);
	assert_int_equal(a->late, b->late);
	assert_int_equal(a->scheduler, b->scheduler);
	assert_int_equal(a->pipelined, b->pipelined);
	assert_int_equal(a->n_lanes, b->n_lanes);
	assert_int_equal(a->n_instances, b->n_instances);
	for (size_t i = 0; i < a->n_instances; i++)
		instances_same(&a->instances[i], &b->instances[i]);
	assert_int_equal(a->n_links, b->n_links);
	for (size_t i = 0; i < a->n_links; i++) {
		assert_int_equal(a->links[i].from, b->links[i].from);
		assert_int_equal(a->links[i].from_port, b->links[i].from_port);
		assert_int_equal(a->links[i].to, b->links[i].to);
		assert_int_equal(a->links[i].to_port, b->links[i].to_port);
		assert_int_equal(a->links[i].delay, b->links[i].delay);
		assert_int_equal(a->links[i].items, b->links[i].items);
	}
}

static void goes_round(
    void **state, const char *file, const char *text, const struct wf_overrides *overrides)
{
	struct waveform *first = parsed(state, file, text, overrides), *second;
	char *printed = waveform_print(first, NULL), *again;

	assert_non_null(printed);
	second = parsed(state, "printed.conf", printed, &plain);
	waveforms_same(first, second);
	again = waveform_print(second, NULL);
	assert_string_equal(printed, again);
	free(printed);
	free(again);
	waveform_free(first);
	waveform_free(second);
}

static void every_waveform_of_the_project_goes_round(void **state)
{
	DIR *dir = opendir("waveforms");
	struct dirent *entry;
	unsigned n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');
		char path[512], *text, cwd[4096];
		size_t len;

		if (!dot || strcmp(dot, ".conf") != 0)
			continue;
		snprintf(path, sizeof(path), "waveforms/%s", entry->d_name);
		assert_non_null(getcwd(cwd, sizeof(cwd)));
		assert_int_equal(file_read(path, 1 << 20, &text, &len), 0);
		goes_round(state, path, text,
		    &(struct wf_overrides){.cwd = cwd, .pipelined = -1, .radio = NULL});
		free(text);
		n++;
	}
	closedir(dir);
	assert_true(n > 10);
}

#define HEAD "name = \"x\"; slot_ns = 1000000;\n"

static void numbers_texts_and_places_go_round(void **state)
{
	goes_round(state, "x.conf",
	    HEAD "clock = \"step\"; isolation = \"component\"; scheduler = \"rr\"; "
	         "pipelined = true; margin = 0.1;\n"
	         "overrun = \"stop\"; admit = \"always\"; lanes = [0, 0];\n"
	         "instances: {\n"
	         "a: { component = \"random_source\"; length = 3; seed = 4294967295; period = 3;"
	         " phase = 2; pin = 1; };\n"
	         "b: { component = \"file_sink\"; path = \"/tmp/a \\\"b\\\" \\\\ c\"; isolation = "
	         "\"none\"; budget_us = 0.1; };\n"
	         "};\nlinks = ( { path = \"a -> b\"; delay = 3; items = 7; } );\n",
	    &plain);
	goes_round(state, "x.conf",
	    HEAD "overrun = \"mode\"; on_overrun = (\"b.jitter=0.25\", \"b.mean_us=0.1\");\n"
	         "instances: {\n"
	         "a: { component = \"random_source\"; length = 3; };\n"
	         "b: { component = \"spin\"; };\n"
	         "c: { component = \"null_sink\"; };\n"
	         "};\nlinks = ( \"a -> b -> c\" );\n",
	    &plain);
	goes_round(state, "x.conf",
	    HEAD "instances: {\n"
	         "a: { component = \"random_source\"; length = 4; };\n"
	         "b: { component = \"bpsk_mod\"; output = \"cf32\"; };\n"
	         "c: { component = \"awgn\"; ebn0_db = 0.1; seed = 7; };\n"
	         "d: { component = \"fir\"; taps = [0.1, 1, -3e-9, 999999]; };\n"
	         "e: { component = \"null_sink\"; };\n"
	         "};\nlinks = ( \"a -> b -> c -> d -> e\" );\n",
	    &plain);
}

static void copies_are_written_one_by_one(void **state)
{
	goes_round(state, "x.conf",
	    HEAD "instances: { a: { component = \"random_source\"; length = 4; };\n"
	         "b: { component = \"file_sink\"; path = \"/tmp/{copy}\"; }; };\n"
	         "links = ( \"a -> b\" );\n",
	    &(struct wf_overrides){.cwd = "/", .pipelined = -1, .copies = 3});
}

static const char chain[] =
    HEAD "isolation = \"component\"; pipelined = true; lanes = [0, 1];\n"
         "instances: { a: { component = \"random_source\"; length = 4; pin = 1; };\n"
         "rec_a_out: { component = \"copy\"; }; d: { component = \"null_sink\"; };\n"
         "c: { component = \"file_sink\"; path = \"/tmp/c\"; }; };\n"
         "links = ( \"a -> rec_a_out -> c\", { path = \"a -> d\"; delay = 2; } );\n";

static void grafts_read_outputs(void **state)
{
	struct waveform *waveform = parsed(state, "x.conf", chain, &plain), *made;
	struct wf_graft graft = {.component = "null_sink", .params = ""};
	const struct wf_print print = {
	    .grafts = &graft, .n_grafts = 1, .anywhere = true, .sinks_in = "/there"};
	char *text;

	wf_graft_name(waveform, "rec", &graft);
	assert_string_not_equal(graft.name, "rec_a_out");
	text = waveform_print(waveform, &print);
	made = parsed(state, "y.conf", text, &plain);
	assert_int_equal(made->n_instances, 5);
	assert_int_equal(made->n_links, 4);
	assert_int_equal(made->links[3].from, 0);
	assert_string_equal(made->instances[made->links[3].to].name, graft.name);
	assert_string_equal(made->instances[3].values[0].text, "/there/c.path");
	assert_int_equal(made->instances[0].pin, -1);
	assert_int_equal(made->isolation, WF_ISOLATION_WAVEFORM);
	assert_false(made->pipelined);
	assert_int_equal(made->n_lanes, 0);
	free(text);
	waveform_free(made);
	waveform_free(waveform);
}

/* But for a sink whose file is to be in a folder of this machine. */
static void nodes_stay(void **state)
{
	static const char text[] =
	    HEAD "instances: { a: { component = \"random_source\"; length = 4; node = \"x\"; };\n"
	         "c: { component = \"file_sink\"; path = \"/tmp/c\"; node = \"x\"; }; };\n"
	         "links = ( \"a -> c\" );\n";
	struct waveform *waveform = parsed(state, "x.conf", text, &plain);

	for (int on_nodes = 0; on_nodes < 2; on_nodes++) {
		const struct wf_print print = {
		    .anywhere = true, .on_nodes = on_nodes, .sinks_in = "/there"};
		char *printed = waveform_print(waveform, &print);
		struct waveform *made = parsed(state, "y.conf", printed, &plain);

		if (on_nodes)
			assert_string_equal(made->instances[0].node, "x");
		else
			assert_null(made->instances[0].node);
		assert_null(made->instances[1].node);
		free(printed);
		waveform_free(made);
	}
	waveform_free(waveform);
}

static void grafts_replace_outputs(void **state)
{
	const bool left_out[] = {true, false, false, false};
	struct waveform *waveform = parsed(state, "x.conf", chain, &plain), *made;
	struct wf_graft graft = {
	    .component = "counter_source", .params = "length = 4;", .replaces = true};
	const struct wf_print print = {.grafts = &graft, .n_grafts = 1, .left_out = left_out};
	char *text;

	wf_graft_name(waveform, "play", &graft);
	text = waveform_print(waveform, &print);
	text[strcspn(text, "\n")] = '\n';
	assert_null(strstr(text, "a: {"));
	assert_non_null(strstr(text, "\"play_a_out.out -> rec_a_out.in\""));
	assert_non_null(strstr(text, "\"play_a_out.out -> d.in\"; delay = 2;"));
	free(text);
	text = waveform_print(waveform, &(struct wf_print){.clock = "virtual"});
	made = parsed(state, "y.conf", text, &plain);
	assert_int_equal(made->clock, WF_CLOCK_VIRTUAL);
	free(text);
	waveform_free(made);
	waveform_free(waveform);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_waveform_of_the_project_goes_round),
	    cmocka_unit_test(numbers_texts_and_places_go_round),
	    cmocka_unit_test(copies_are_written_one_by_one),
	    cmocka_unit_test(grafts_read_outputs),
	    cmocka_unit_test(nodes_stay),
	    cmocka_unit_test(grafts_replace_outputs),
	};

	return cmocka_run_group_tests(tests, registry_get, registry_give);
}
