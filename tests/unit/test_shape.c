/* SPDX-License-Identifier: BSD-3-Clause
 * core/waveform/shape: sizes of messages from the components themselves, by way of aloe-host
 * --shape; and what is said when a component, a file or the host is not as it should be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/json/json.h"
#include "core/waveform/shape.h"
#include "core/waveform/waveform.h"

struct fixture {
	struct registry *registry;
	char host[4200];
	char folder[64]; /* for scripts that play the host */
};

static int fixture_open(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	char self[4096] = {0}, dir[4200];
	struct diag diag;

	if (!fixture || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		*strrchr(self, '/') = 0;
	snprintf(dir, sizeof(dir), "%s/lib/aloe", self);
	snprintf(fixture->host, sizeof(fixture->host), "%s/bin/aloe-host", self);
	strcpy(fixture->folder, "/tmp/aloe-shape-XXXXXX");
	diag_init(&diag);
	fixture->registry = registry_open(dir, &diag);
	diag_print(&diag, stderr);
	*state = fixture;
	return mkdtemp(fixture->folder) && fixture->registry && diag.errors == 0 ? 0 : -1;
}

static int fixture_close(void **state)
{
	struct fixture *fixture = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", fixture->folder);
	registry_close(fixture->registry);
	const int code = system(command);
	free(fixture);
	return code;
}

static struct waveform *parsed(const struct fixture *fixture, const char *file, const char *text)
{
	char cwd[4096];
	const struct wf_overrides overrides = {.cwd = getcwd(cwd, sizeof(cwd)), .pipelined = -1};
	struct waveform *waveform = NULL;
	struct diag diag;

	diag_init(&diag);
	if (waveform_parse(
	        file, text, strlen(text), fixture->registry, &overrides, &diag, &waveform) != 0)
		fail_msg("refused: %s", diag.len ? diag.lines[0] : "no reason");
	diag_fini(&diag);
	return waveform;
}

static struct waveform *parsed_file(const struct fixture *fixture, const char *path)
{
	char text[16384] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	return parsed(fixture, path, text);
}

static const struct wf_instance *instance_of(const struct waveform *waveform, const char *name)
{
	for (size_t i = 0; i < waveform->n_instances; i++)
		if (strcmp(waveform->instances[i].name, name) == 0)
			return &waveform->instances[i];
	fail_msg("no instance %s", name);
	return NULL;
}

static const char small[] = "name = \"small\"; slot_ns = 1000000;\ninstances: {\n"
                            "source: { component = \"random_source\"; length = 100; };\n"
                            "mod: { component = \"bpsk_mod\"; };\n"
                            "sink: { component = \"null_sink\"; };\n"
                            "};\nlinks = ( \"source -> mod -> sink\" );";

/* ---- sizes ------------------------------------------------------------------------ */

static void test_sizes_of_utran384(void **state)
{
	static const struct {
		const char *name;
		uint32_t in, out;
	} sizes[] = {{"bits", 240, 3840}, {"crc", 3840, 3856}, {"encoder", 3856, 11580},
	    {"match", 11580, 9120}, {"interleave1", 9120, 9120}, {"segment", 9120, 9120},
	    {"mux", 9120, 9120}, {"interleave2", 9120, 9120}, {"mod", 9120, 9120},
	    {"noise", 9120, 9120}, {"soft", 9120, 9120}, {"deinterleave2", 9120, 9120},
	    {"demux", 9120, 9120}, {"desegment", 9120, 9120}, {"deinterleave1", 9120, 9120},
	    {"dematch", 9120, 11580}, {"decoder", 11580, 3856}, {"check", 3856, 3840},
	    {"words", 3840, 240}};
	const struct fixture *fixture = *state;
	struct waveform *waveform = parsed_file(fixture, "waveforms/utran384.conf");
	struct diag diag;

	diag_init(&diag);
	assert_int_equal(waveform_shape(waveform, fixture->host, &diag), 0);
	assert_int_equal(diag.errors, 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(instance_of(waveform, sizes[i].name)->in[0].max, sizes[i].in);
		assert_int_equal(instance_of(waveform, sizes[i].name)->out[0].max, sizes[i].out);
	}
	assert_int_equal(instance_of(waveform, "source")->out[1].max, 1);
	assert_int_equal(instance_of(waveform, "sink")->in[1].max, 1);
	assert_int_equal(instance_of(waveform, "demux")->out[1].max, 0); /* not connected */
	waveform_free(waveform);
	diag_fini(&diag);
}

static void test_every_waveform_has_sizes(void **state)
{
	static const char *const files[] = {"waveforms/bpsk.conf", "waveforms/bpsk-rf.conf",
	    "waveforms/utran384-tx.conf", "waveforms/passthrough.conf"};
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct waveform *waveform = parsed_file(fixture, files[i]);
		struct diag diag;

		diag_init(&diag);
		if (waveform_shape(waveform, fixture->host, &diag) != 0)
			fail_msg("%s", diag.len ? diag.lines[0] : "no reason");
		for (size_t k = 0; k < waveform->n_links; k++) {
			const struct wf_link *link = &waveform->links[k];
			const uint32_t out =
			    waveform->instances[link->from].out[link->from_port].max;

			assert_true(out > 0);
			assert_int_equal(waveform->instances[link->to].in[link->to_port].max, out);
		}
		diag_fini(&diag);
		waveform_free(waveform);
	}
}

static void test_cycle_takes_items(void **state)
{
	const struct fixture *fixture = *state;
	struct waveform *waveform = parsed(fixture, "x.conf",
	    "name = \"x\"; slot_ns = 1000000; instances: { a: { component = \"gain\"; }; b: { "
	    "component = \"gain\"; }; };links = ( \"a -> b\", { path = \"b -> a\"; delay = 1; "
	    "items = 77; } );");
	struct diag diag;

	diag_init(&diag);
	assert_int_equal(waveform_shape(waveform, fixture->host, &diag), 0);
	assert_true(
	    waveform->instances[0].in[0].max == 77 && waveform->instances[1].out[0].max == 77);
	waveform_free(waveform);
	diag_fini(&diag);
}

/* How often the question names a component. */
static unsigned kinds_asked(const struct waveform *waveform)
{
	char *request = waveform_shape_json(waveform);
	unsigned n = 0;

	for (const char *at = request; (at = strstr(at, "{\"component\":")); at++)
		n++;
	free(request);
	return n;
}

/* What instances have in common is asked once. What differs is their own: one parameter, what is
 * sent to them, or whether anybody reads them. */
static void test_what_differs_is_not_shared(void **state)
{
	const struct fixture *fixture = *state;
	struct waveform *waveform = parsed(fixture, "x.conf",
	    "name = \"x\"; slot_ns = 1000000; instances: {\n"
	    "s0: { component = \"random_source\"; length = 100; };\n"
	    "s1: { component = \"random_source\"; length = 102; };\n"
	    "s2: { component = \"random_source\"; length = 100; };\n"
	    "m0: { component = \"bpsk_mod\"; output = \"cf32\"; };\n"
	    "m1: { component = \"bpsk_mod\"; output = \"cf32\"; };\n"
	    "m2: { component = \"bpsk_mod\"; output = \"cf32\"; };\n"
	    "r0: { component = \"resample_rational\"; interpolation = 3; decimation = 2; };\n"
	    "r1: { component = \"resample_rational\"; interpolation = 3; decimation = 2; };\n"
	    "r2: { component = \"resample_rational\"; interpolation = 5; decimation = 2; };\n"
	    "n0: { component = \"null_sink\"; }; n1: { component = \"null_sink\"; };\n"
	    "n2: { component = \"null_sink\"; }; n3: { component = \"null_sink\"; };\n"
	    "}; links = ( \"s0 -> m0 -> r0 -> n0\", \"s1 -> m1 -> r1 -> n1\",\n"
	    "\"s2 -> m2 -> r2 -> n2\", \"s2 -> n3\" );");
	struct diag diag;

	diag_init(&diag);
	assert_int_equal(kinds_asked(waveform), 7); /* n3 reads bits */
	if (waveform_shape(waveform, fixture->host, &diag) != 0)
		fail_msg("%s", diag.len ? diag.lines[0] : "no reason");
	assert_int_equal(instance_of(waveform, "s1")->out[0].max, 102);
	assert_int_equal(instance_of(waveform, "m1")->out[0].max, 102);
	assert_int_equal(instance_of(waveform, "m2")->out[0].max, 100);
	assert_int_equal(instance_of(waveform, "r0")->out[0].max, 150);
	assert_int_equal(instance_of(waveform, "r1")->out[0].max, 153);
	assert_int_equal(instance_of(waveform, "r2")->out[0].max, 250);
	assert_int_equal(instance_of(waveform, "n2")->in[0].max, 250);
	waveform_free(waveform);
	diag_fini(&diag);
}

/* Lists, texts and paths that differ, or agree. */
static void test_kinds_of_parameters(void **state)
{
	const struct fixture *fixture = *state;
	struct waveform *waveform = parsed(fixture, "x.conf",
	    "name = \"x\"; slot_ns = 1000000; instances: {\n"
	    "s: { component = \"random_source\"; length = 8; };\n"
	    "m: { component = \"bpsk_mod\"; output = \"cf32\"; };\n"
	    "f0: { component = \"fir\"; taps = [1.0, 0.5]; };\n"
	    "f1: { component = \"fir\"; taps = [1.0]; };\n"
	    "f2: { component = \"fir\"; taps = [1.0, 0.5]; };\n"
	    "f3: { component = \"fir\"; taps = [1.0, 0.25]; };\n"
	    "k0: { component = \"file_sink\"; path = \"/dev/null\"; };\n"
	    "k1: { component = \"file_sink\"; path = \"/dev/zero\"; };\n"
	    "k2: { component = \"file_sink\"; path = \"/dev/null\"; };\n"
	    "k3: { component = \"file_sink\"; path = \"/dev/null\"; buffer_ms = 300; };\n"
	    "}; links = ( \"s -> m\", \"m -> f0 -> k0\", \"m -> f1 -> k1\", \"m -> f2 -> k2\",\n"
	    "\"m -> f3 -> k3\" );");

	assert_int_equal(kinds_asked(waveform), 2 + 3 + 3);
	waveform_free(waveform);
}

/* ---- what is said ------------------------------------------------------------------------ */

/* What waveform_shape says of `text`, asking `host`; expects `error`. */
static void says(
    const struct fixture *fixture, const char *text, const char *host, int error, const char *lines)
{
	struct waveform *waveform = parsed(fixture, "x.conf", text);
	char said[4096] = "";
	struct diag diag;
	size_t at = 0;

	diag_init(&diag);
	assert_int_equal(waveform_shape_within(waveform, host, 500, &diag), error);
	for (size_t i = 0; i < diag.len && at < sizeof(said); i++)
		at += (size_t)snprintf(said + at, sizeof(said) - at, "%s\n", diag.lines[i]);
	assert_string_equal(said, lines);
	waveform_free(waveform);
	diag_fini(&diag);
}

static void test_components_errors(void **state)
{
	const struct fixture *fixture = *state;

	says(fixture,
	    "name = \"x\"; slot_ns = 1000000; instances: {\n"
	    "file: { component = \"file_source\"; path = \"/nonexistent/a\"; length = 10; type = "
	    "\"cf32\"; };\n"
	    "bits: { component = \"random_source\"; length = 3855; };\n"
	    "mod: { component = \"bpsk_mod\"; };\n"
	    "noise: { component = \"awgn\"; ebn0_db = 3; };\n"
	    "sink: { component = \"null_sink\"; }; none: { component = \"null_sink\"; };\n"
	    "}; links = ( \"file -> noise -> sink\", \"bits -> mod -> none\" );",
	    fixture->host, -EINVAL,
	    "x.conf:2: instance \"file\": /nonexistent/a: No such file or directory\n"
	    "x.conf:5: instance \"noise\": ebn0_db needs bits_per_item, the information bits per "
	    "item (code rate included)\n");
}

/* Of instances that are wrong in the same way each is named, in the order of the file. */
static void test_alike_and_wrong(void **state)
{
	const struct fixture *fixture = *state;

	says(fixture,
	    "name = \"x\"; slot_ns = 1000000; instances: {\n"
	    "f0: { component = \"file_source\"; path = \"/nonexistent/a\"; length = 10; type = "
	    "\"cf32\"; };\n"
	    "bits: { component = \"random_source\"; length = 3855; };\n"
	    "f1: { component = \"file_source\"; path = \"/nonexistent/a\"; length = 10; type = "
	    "\"cf32\"; };\n"
	    "none: { component = \"null_sink\"; }; n0: { component = \"null_sink\"; };\n"
	    "f2: { component = \"file_source\"; path = \"/nonexistent/b\"; length = 10; type = "
	    "\"cf32\"; };\n"
	    "n1: { component = \"null_sink\"; }; n2: { component = \"null_sink\"; };\n"
	    "}; links = ( \"f0 -> n0\", \"f1 -> n1\", \"f2 -> n2\", \"bits -> none\" );",
	    fixture->host, -EINVAL,
	    "x.conf:2: instance \"f0\": /nonexistent/a: No such file or directory\n"
	    "x.conf:4: instance \"f1\": /nonexistent/a: No such file or directory\n"
	    "x.conf:6: instance \"f2\": /nonexistent/b: No such file or directory\n");
}

static void test_items_too_few(void **state)
{
	const struct fixture *fixture = *state;

	says(fixture,
	    "name = \"x\"; slot_ns = 1000000; instances: {\n"
	    "source: { component = \"random_source\"; length = 100; };\n"
	    "sink: { component = \"null_sink\"; };\n"
	    "}; links = ( { path = \"source -> sink\"; items = 99; } );",
	    fixture->host, -EINVAL,
	    "x.conf:2: instance \"source\": makes up to 100 items for \"sink\", but the link has "
	    "items = 99\n");
}

/* A script that plays the host. Returns its path. */
static char *script(const struct fixture *fixture, const char *body)
{
	static const char begin[] = "#!/bin/sh\n";
	char *path;
	FILE *file;

	assert_true(asprintf(&path, "%s/host", fixture->folder) > 0);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fprintf(file, "%s%s\n", begin, body) > 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0700), 0);
	return path;
}

static void test_a_dying_host_names_the_component(void **state)
{
	const struct fixture *fixture = *state;
	char *host =
	    script(fixture, "echo '# open of source'; echo '# shape of mod'; kill -SEGV $$");

	says(fixture, small, host, -EPROTO,
	    "x.conf:4: instance \"mod\": its component bpsk_mod crashed (Segmentation fault), in "
	    "shape\n");
	free(host);
	host = script(fixture, "echo '# open of source'; exit 3");
	says(fixture, small, host, -EPROTO,
	    "x.conf:3: instance \"source\": its component random_source ended the host (exit code "
	    "3), in open\n");
	free(host);
	host = script(fixture, "echo '# check of sink'; exit 0");
	says(fixture, small, host, -EPROTO,
	    "x.conf:5: instance \"sink\": its component null_sink ended the host without an "
	    "answer, in check\n");
	free(host);
	host = script(fixture, "echo '# check of sink'; exec sleep 1000");
	says(fixture, small, host, -EPROTO,
	    "x.conf:5: instance \"sink\": its component null_sink gave no answer for 0.5 s, in "
	    "check\n");
	free(host);
}

static void test_a_host_that_says_nothing(void **state)
{
	const struct fixture *fixture = *state;
	char *host = script(fixture, "exit 0"), line[200];

	snprintf(line, sizeof(line),
	    "%s: ended the host without an answer when asked for the sizes of messages\n", host);
	says(fixture, small, host, -EPROTO, line);
	free(host);
	says(fixture, small, "/nonexistent/aloe-host", -EINVAL,
	    "/nonexistent/aloe-host: cannot be started: No such file or directory\n");
}

static void test_bad_answers(void **state)
{
	static const struct {
		const char *answer, *line;
	} answers[] = {
	    {"{",
	        "answer of aloe-host --shape:1: not JSON: string or '}' expected near end of file"},
	    {"[]", "answer of aloe-host --shape: one JSON object { ... } is needed"},
	    {"{\"schema\":9}",
	        "answer of aloe-host --shape: found schema 9; schema 3 is needed: aloe-host is of "
	        "another version"},
	    {"{\"schema\":3}",
	        "answer of aloe-host --shape: notes: found nothing; a list is needed"},
	    {"{\"schema\":3,\"notes\":[],\"errors\":[[7,\"x\"]],\"max\":[]}",
	        "answer of aloe-host --shape: a line of notes or errors is not understood"},
	    {"{\"schema\":3,\"notes\":[],\"errors\":[],\"max\":[]}",
	        "answer of aloe-host --shape: sizes: found nothing; a list is needed"},
	    {"{\"schema\":3,\"notes\":[],\"errors\":[],\"sizes\":[],\"max\":[]}",
	        "answer of aloe-host --shape: max: found 0 instances; 3 are needed"},
	    {"{\"schema\":3,\"notes\":[],\"errors\":[],\"sizes\":[{\"in\":[],\"out\":[]},{},{}],"
	     "\"max\":[0,1,2]}",
	        "answer of aloe-host --shape: out: found 0 ports; 1 are needed"},
	    {"{\"schema\":3,\"notes\":[],\"errors\":[],\"sizes\":[{\"in\":[],\"out\":[-5]},{},{}],"
	     "\"max\":[0,1,2]}",
	        "answer of aloe-host --shape: out[0]: -5 items"},
	    {"{\"schema\":3,\"notes\":[],\"errors\":[],\"sizes\":[{\"in\":[],\"out\":[5]},{},{}],"
	     "\"max\":[0,1,2]}",
	        "answer of aloe-host --shape: tail: found nothing; a whole number 0 .. 0 is "
	        "needed"},
	    {"{\"schema\":3,\"notes\":[],\"errors\":[],"
	     "\"sizes\":[{\"in\":[],\"out\":[5],\"tail\":1},{},{}],\"max\":[0,1,2]}",
	        "answer of aloe-host --shape: tail: found 1; a whole number 0 .. 0 is needed"},
	    {"{\"schema\":3,\"notes\":[],\"errors\":[],"
	     "\"sizes\":[{\"in\":[],\"out\":[5],\"tail\":0}],"
	     "\"max\":[0,1,0]}",
	        "answer of aloe-host --shape: max[1]: no such sizes"},
	    {"{\"schema\":3,\"notes\":[],\"errors\":[],"
	     "\"sizes\":[{\"in\":[],\"out\":[5],\"tail\":0}],"
	     "\"max\":[0,0,0]}",
	        "answer of aloe-host --shape: in: found 0 ports; 1 are needed"},
	};
	struct waveform *waveform = parsed(*state, "x.conf", small);

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct diag diag;

		diag_init(&diag);
		assert_int_equal(waveform_shape_apply(waveform, answers[i].answer, &diag), -EINVAL);
		assert_int_equal(diag.len, 1);
		assert_string_equal(diag.lines[0], answers[i].line);
		diag_fini(&diag);
	}
	waveform_free(waveform);
}

static void test_notes_are_told(void **state)
{
	struct waveform *waveform = parsed(*state, "x.conf", small);
	struct diag diag;

	diag_init(&diag);
	assert_int_equal(
	    waveform_shape_apply(waveform,
	        "{\"schema\":3,\"notes\":[[1,\"is "
	        "fast\"]],\"errors\":[],\"sizes\":[{\"in\":[6],\"out\":[],\"tail\":0},"
	        "{\"in\":[],\"out\":[5],\"tail\":0},{\"in\":[5],\"out\":[6],\"tail\":0}],"
	        "\"max\":[1,2,0]}",
	        &diag),
	    0);
	assert_int_equal(diag.errors, 0);
	assert_string_equal(diag.lines[0], "mod: is fast");
	assert_int_equal(waveform->instances[1].out[0].max, 6);
	diag_fini(&diag);
	waveform_free(waveform);
}

/* ---- the host's side ------------------------------------------------------------------------ */

/* The first error in the answer to `request`, which it frees. */
static void serves_error(char *request, int instance, const char *text)
{
	char *answer = waveform_shape_answer(request, NULL, NULL);
	struct diag diag;

	diag_init(&diag);
	assert_non_null(answer);
	json_t *root = json_read("answer", answer, strlen(answer), &diag);
	assert_non_null(root);
	const json_t *line = json_array_get(json_object_get(root, "errors"), 0);
	assert_int_equal(json_integer_value(json_array_get(line, 0)), instance);
	assert_string_equal(json_string_value(json_array_get(line, 1)), text);
	json_decref(root);
	free(answer);
	free(request);
}

static void count_calls(void *context, const char *call, const char *instance)
{
	char *calls = context;

	snprintf(calls + strlen(calls), 256 - strlen(calls), "%s %s;", call, instance);
}

/* A component that cannot be opened is said of each instance that it has. */
static void test_missing_for_two(void **state)
{
	struct waveform *waveform = parsed(*state, "x.conf",
	    "name = \"x\"; slot_ns = 1000000; instances: {\n"
	    "a: { component = \"random_source\"; length = 8; };\n"
	    "b: { component = \"random_source\"; length = 8; };\n"
	    "sa: { component = \"null_sink\"; }; sb: { component = \"null_sink\"; };\n"
	    "}; links = ( \"a -> sa\", \"b -> sb\" );");
	char *request = waveform_shape_json(waveform), calls[256] = "", *answer;

	*strstr(request, "random_source.so") = 'R';
	answer = waveform_shape_answer(request, count_calls, calls);
	assert_string_equal(calls, "open a;open sa;");
	assert_non_null(strstr(answer, "[0,\""));
	assert_non_null(strstr(answer, "[1,\""));
	assert_null(strstr(answer, "[2,\""));
	free(answer);
	free(request);
	waveform_free(waveform);
}

/* The request of `small`, with one thing exchanged. */
static char *request_with(const struct fixture *fixture, const char *old, const char *new)
{
	struct waveform *waveform = parsed(fixture, "x.conf", small);
	char *request = waveform_shape_json(waveform), *changed;
	const char *at = strstr(request, old);

	assert_non_null(at);
	assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - request), request, new,
	                at + strlen(old)) > 0);
	free(request);
	waveform_free(waveform);
	return changed;
}

static void test_bad_requests(void **state)
{
	const struct fixture *fixture = *state;

	serves_error(strdup("no"), -1, "request:1: not JSON: '[' or '{' expected near 'no'");
	serves_error(strdup("{}"), -1,
	    "request: schema: found nothing; a whole number 0 .. 2147483647 is needed");
	serves_error(request_with(fixture, "\"schema\":3", "\"schema\":1"), -1,
	    "request: found schema 1; schema 3 is needed");
	serves_error(request_with(fixture, "[0,1]", "[0,9]"), -1,
	    "request: links: no such instance or port");
	serves_error(request_with(fixture, "[0,1]", "[0,1,1]"), -1,
	    "request: links: no such instance or port");
	serves_error(request_with(fixture, "[0,1]", "[0]"), -1,
	    "request: links: two to five numbers are needed");
	serves_error(request_with(fixture, "[0,1]", "[0,1,0,0,1,0]"), -1,
	    "request: links: two to five numbers are needed");
	serves_error(request_with(fixture, "[0,1]", "[0,\"1\"]"), -1,
	    "request: links: whole numbers are needed");
	serves_error(request_with(fixture, "\"of\":[0,1,2]", "\"of\":[0,3,2]"), -1,
	    "request: instances[1]: a name and the number of a kind are needed");
	serves_error(request_with(fixture, "\"of\":[0,1,2]", "\"of\":[0,1]"), -1,
	    "request: instances[2]: a name and the number of a kind are needed");
	serves_error(
	    request_with(fixture, "[0,1]", "[1,1]"), -1, "request: links: a cycle without items");
}

static void test_missing_component(void **state)
{
	const struct fixture *fixture = *state;
	const struct component_type *type = registry_find(fixture->registry, "random_source");
	char text[5000];

	snprintf(text, sizeof(text), "%.*s/no_source.so: No such file or directory",
	    (int)(strrchr(type->path, '/') - type->path), type->path);
	serves_error(request_with(fixture, "/random_source.so", "/no_source.so"), 0, text);
}

static void test_another_component_than_described(void **state)
{
	const struct fixture *fixture = *state;
	const struct component_type *type = registry_find(fixture->registry, "bpsk_mod");
	char digest[20], text[5000];

	snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)type->digest);
	snprintf(text, sizeof(text), "%s and its .desc file differ; build both again", type->path);
	serves_error(request_with(fixture, digest, "0000000000000000"), 1, text);
	serves_error(request_with(fixture, digest, ""), 1, text);
}

static void test_progress_comes_before_each_call(void **state)
{
	struct waveform *waveform = parsed(*state, "x.conf", small);
	char *request = waveform_shape_json(waveform), calls[256] = "";
	char *answer = waveform_shape_answer(request, count_calls, calls);

	assert_non_null(answer);
	assert_string_equal(calls, "open source;open mod;open sink;check mod;shape source;");
	free(answer);
	free(request);
	waveform_free(waveform);
}

/* Asked once for what is loaded: the second time there is no host any more. With other parameters
 * it is asked again. */
static void test_kept_answer(void **state)
{
	static const char nobody[] = "/nonexistent/aloe-host";
	const struct fixture *fixture = *state;
	struct waveform *first = parsed(fixture, "kept.conf", small),
	                *again = parsed(fixture, "kept.conf", small);
	struct waveform *other = parsed_file(fixture, "waveforms/bpsk.conf");
	struct shape_kept kept = {NULL, NULL};
	struct diag diag;

	diag_init(&diag);
	assert_int_equal(waveform_shape_again(first, nobody, &kept, &diag), -EINVAL);
	assert_null(kept.answer);
	assert_int_equal(waveform_shape_again(first, fixture->host, &kept, &diag), 0);
	assert_int_equal(waveform_shape_again(again, nobody, &kept, &diag), 0);
	for (size_t i = 0; i < first->n_instances; i++)
		for (uint32_t p = 0; p < first->instances[i].n_out; p++)
			assert_int_equal(
			    again->instances[i].out[p].max, first->instances[i].out[p].max);
	assert_int_equal(waveform_shape_again(other, nobody, &kept, &diag), -EINVAL);
	assert_int_equal(waveform_shape_again(other, fixture->host, &kept, &diag), 0);
	shape_kept_fini(&kept);
	diag_fini(&diag);
	waveform_free(other);
	waveform_free(again);
	waveform_free(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sizes_of_utran384),
	    cmocka_unit_test(test_every_waveform_has_sizes),
	    cmocka_unit_test(test_cycle_takes_items),
	    cmocka_unit_test(test_what_differs_is_not_shared),
	    cmocka_unit_test(test_kinds_of_parameters),
	    cmocka_unit_test(test_components_errors),
	    cmocka_unit_test(test_alike_and_wrong),
	    cmocka_unit_test(test_items_too_few),
	    cmocka_unit_test(test_a_dying_host_names_the_component),
	    cmocka_unit_test(test_a_host_that_says_nothing),
	    cmocka_unit_test(test_bad_answers),
	    cmocka_unit_test(test_notes_are_told),
	    cmocka_unit_test(test_bad_requests),
	    cmocka_unit_test(test_missing_for_two),
	    cmocka_unit_test(test_missing_component),
	    cmocka_unit_test(test_another_component_than_described),
	    cmocka_unit_test(test_progress_comes_before_each_call),
	    cmocka_unit_test(test_kept_answer),
	};

	return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
