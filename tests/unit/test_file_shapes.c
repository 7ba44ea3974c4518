/* SPDX-License-Identifier: BSD-3-Clause
 * Files of waveforms, platforms and radios that have everything, and then with each of their
 * settings taken out, twice, misspelled, or of another type: the file is refused with a line that
 * has its place, or it is taken and what was made of it can be printed, shaped or planned for. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/map/plan.h"
#include "core/waveform/print.h"
#include "core/waveform/radio_file.h"
#include "core/waveform/shape.h"
#include "core/waveform/waveform.h"
#include "tests/common/types.h"

/* A setting that is changed stands between ` and `. */
static const char waveform_text[] =
    "`name = \"shapes\";` `slot_ns = 1000000;` `clock = \"virtual\";` `late = \"slip\";`\n"
    "`isolation = \"waveform\";` `scheduler = \"rr\";` `pipelined = true;` `margin = 0.1;`\n"
    "`overrun = \"mode\";` `admit = \"strict\";` `on_overrun = ( \"all.narrow=0.25\" );`\n"
    "`on_node_loss = \"restart\";` `lease_ms = 5000;` `side_by_side = 2;` `lanes = [0, 1];`\n"
    "`instances = {\n"
    "  source: { `component = \"source\";` `length = 5;` `seed = 3;` `loop = true;` };\n"
    "  mod:    { `component = \"mod\";` `output = \"ci16\";` `pin = 1;` `period = 4;`\n"
    "            `phase = 3;` `budget_us = 1.5;` `tap = 16;` };\n"
    "  copy:   { component = \"copy\"; `node = \"a\";` `isolation = \"component\";`\n"
    "            };\n"
    "  all:    { component = \"all\"; `narrow = -0.5;` `wide = 1;` `whole = 10;`\n"
    "            `truth = FALSE;` `mode = \"fast\";` `text = \"a\";` `taps = [1, 0.5];` };\n"
    "  sink:   { component = \"sink\"; `path = \"a/b\";` `beside = true;` };\n"
    "  mux:    { component = \"mux\"; };\n"
    "  far:    { component = \"sink\"; `replicas = 1;` path = \"c\"; };\n"
    "};`\n"
    "`links = ( \"source -> copy -> sink\", \"source -> mux.in0\", \"source -> mod -> far\",\n"
    "  { `path = \"mux.out -> mux.in1\";` `delay = 1;` `items = 10;` } );`\n";

static const char platform_text[] =
    "`name = \"run\";` `secure = true;` `margin = 0.1;` `assume_builds = true;`\n"
    "`nodes = {\n"
    " a: { `mmac_per_s = [1.0, 2.0];` `kinds = { `big = 1;` `little = 1;` };`\n"
    "  `address = \"10.0.0.1:7000\";` `manager = true;` `lanes = [2, 3];`\n"
    "  `housekeeping = [0];` `arch = \"armhf\";` `radios = [\"one\", \"two\"];`\n"
    "  `key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf8\";` `base_us = 211.7;`\n"
    "  `module_us = 24.97;` `noise_us = 1.5;` `handover_us = 2;` `memory_mb = 64;` };\n"
    " b: { mmac_per_s = 1.0; `cores = 1;` `address = \"[fd00::1]:7000\";`\n"
    "  `clock = \"network\";` `shared = true;` `lanes = [0];` `port = \"net0\";`\n"
    "  `eal = \"-l 1\";` `key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf9\";` };\n"
    "};`\n"
    "`links = ( { `nodes = [\"a\", \"b\"];` `mbit_per_s = 1.0;` `transport = \"udp\";`\n"
    "  `kind = \"full\";` `delay = 3;` `message_us = 2.5;` `byte_ns = 0.5;` } );`\n";

static const char radio_text[] =
    "`radio = ( { `type = \"x310\";` `transport = \"udp\";` `address = \"10.0.0.2\";`\n"
    " `channel = [0, 1];` `rate = 15.36e6;` `rx_frequency = [1e9, 2e9];` `rx_gain = 3.0;`\n"
    " `tx_frequency = 1e9;` `tx_gain = 1;` `clock_source = \"internal\";`\n"
    " `spp = 512;` `clock_rate = 184.32e6;` `tx_advance = 2560;` `patience_ms = 2.5;`\n"
    " `flow_control = true;` `initialised = true;` `sfp = 0;` } );`\n";

static const char *const others[] = {"0", "-1", "1e17", "3000000000000L", "\"text\"", "\"\"",
    "[1, 2, 1]", "[\"a\", \"a\"]", "(1, \"a\")", "{ a = 1; }", "true", "()", "[]"};
enum { OTHERS = sizeof(others) / sizeof(others[0]), CHANGES = OTHERS + 3 };

/* The text with the nth setting changed, without its marks; NULL: there is no such setting. Marks
 * are nested: the setting ends where all that have begun in it have ended. */
static char *changed(const char *text, unsigned setting, unsigned change)
{
	char *made = malloc(strlen(text) * 2 + 64), *to = made, name[64];
	const char *begin = text, *end;
	unsigned open = 1;

	assert_non_null(made);
	/* which mark opens: one that a name and " = " follow */
	for (unsigned n = 0;; begin++) {
		int len = 0;

		if (*begin == 0) {
			free(made);
			return NULL;
		}
		if (*begin != '`' || sscanf(begin + 1, "%60[a-z_0-9]%*[ ]=%n", name, &len) != 1 ||
		    len == 0)
			continue;
		if (n++ == setting)
			break;
	}
	for (end = begin + 1; open > 0; end++) {
		int len = 0;

		if (*end == '`')
			open +=
			    sscanf(end + 1, "%*60[a-z_0-9]%*[ ]=%n", &len) == 0 && len > 0 ? 1 : -1;
	}
	for (const char *c = text; *c != 0; c++) {
		if (c == begin && change < CHANGES - 1) {
			if (change < OTHERS)
				to += sprintf(to, "%s = %s;", name, others[change]);
			else if (change == OTHERS)
				to += sprintf(to, "x%s = 1;", name);
			c = end - 1;
		} else if (c == begin) { /* twice */
			for (const char *d = begin; d < end; d++)
				if (*d != '`')
					*to++ = *d;
		} else if (*c != '`') {
			*to++ = *c;
		}
	}
	*to = 0;
	return made;
}

static void lines_have_places(const struct diag *diag, const char *file, const char *text)
{
	assert_true(diag->errors > 0);
	for (size_t i = 0; i < diag->len; i++)
		if (strncmp(diag->lines[i], file, strlen(file)) != 0 || strlen(diag->lines[i]) < 20)
			fail_msg("`%s` has no place, of:\n%s", diag->lines[i], text);
}

struct tally {
	unsigned taken, refused;
};

static void all_read(
    const char *text, bool (*read)(void *of, const char *text), void *of, struct tally *tally)
{
	bool taken;

	for (unsigned setting = 0;; setting++)
		for (unsigned change = 0; change < CHANGES; change++) {
			char *made = changed(text, setting, change);

			if (made == NULL)
				return;
			taken = read(of, made);
			tally->taken += taken;
			tally->refused += !taken;
			free(made);
		}
}

static char *unmarked(const char *text)
{
	char *made = strdup(text), *to = made;

	assert_non_null(made);
	for (const char *c = text; *c != 0; c++)
		if (*c != '`')
			*to++ = *c;
	*to = 0;
	return made;
}

/* ---- waveforms --------------------------------------------------------------------------- */

static bool waveform_read_one(void *of, const char *text)
{
	const struct wf_overrides overrides = {.cwd = "/there", .pipelined = -1};
	struct waveform *waveform = NULL;
	struct diag diag;
	char *printed, *asked;
	bool taken;

	diag_init(&diag);
	taken = waveform_parse("w.conf", text, strlen(text), of, &overrides, &diag, &waveform) == 0;
	assert_true(taken == (waveform != NULL));
	if (taken) {
		assert_int_equal(diag.errors, 0);
		printed = waveform_print(waveform, NULL);
		asked = waveform_shape_json(waveform);
		assert_true(printed != NULL && asked != NULL);
		free(printed);
		free(asked);
	} else {
		lines_have_places(&diag, "w.conf", text);
	}
	waveform_free(waveform);
	diag_fini(&diag);
	return taken;
}

static void test_waveforms(void **state)
{
	struct registry *registry = test_registry_open();
	char *plain = unmarked(waveform_text);
	struct tally tally = {0, 0};

	(void)state;
	assert_non_null(registry);
	assert_true(waveform_read_one(registry, plain));
	all_read(waveform_text, waveform_read_one, registry, &tally);
	assert_true(tally.taken > 10 && tally.refused > 10);
	free(plain);
	registry_close(registry);
}

/* ---- platforms --------------------------------------------------------------------------- */

static bool platform_read_one(void *of, const char *text)
{
	struct platform_model *model = NULL;
	struct diag diag;
	bool taken;

	(void)of;
	diag_init(&diag);
	taken = platform_parse("p.conf", text, strlen(text), &diag, &model) == 0;
	assert_true(taken == (model != NULL));
	if (!taken)
		lines_have_places(&diag, "p.conf", text);
	platform_free(model);
	diag_fini(&diag);
	return taken;
}

static void test_platforms(void **state)
{
	char *plain = unmarked(platform_text);
	struct tally tally = {0, 0};

	(void)state;
	assert_true(platform_read_one(NULL, plain));
	all_read(platform_text, platform_read_one, NULL, &tally);
	assert_true(tally.taken > 10 && tally.refused > 10);
	free(plain);
}

/* ---- radios ------------------------------------------------------------------------------ */

static bool radio_read_one(void *of, const char *text)
{
	const struct radio_use use = {"shapes", 15.36e6, 10000, false};
	struct wf_radios *radios = NULL;
	struct diag diag;
	bool taken;

	(void)of;
	diag_init(&diag);
	taken = wf_radios_parse("r.conf", text, "/there", &use, &diag, &radios) == 0;
	assert_true(taken || radios == NULL);
	if (!taken)
		lines_have_places(&diag, "r.conf", text);
	wf_radios_free(radios);
	diag_fini(&diag);
	return taken;
}

static void test_radios(void **state)
{
	static const char *const types[] = {"x310", "file", "soapy", "nix"};
	struct tally tally = {0, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		char *text = strdup(radio_text), *at = strstr(text, "x310"), *whole = NULL;

		assert_true(at != NULL);
		assert_true(asprintf(&whole, "%.*s%s%s", (int)(at - text), text, types[i],
		                at + strlen("x310")) > 0);
		all_read(whole, radio_read_one, NULL, &tally);
		free(whole);
		free(text);
	}
	assert_true(tally.taken > 10 && tally.refused > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_waveforms),
	    cmocka_unit_test(test_platforms),
	    cmocka_unit_test(test_radios),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
