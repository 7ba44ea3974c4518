/* SPDX-License-Identifier: BSD-3-Clause
 * What --json prints is JSON, one document of it; of `watch` one object on each line, with index
 * and time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

static const char text[] =
    "name = \"js\"; slot_ns = 1000000; clock = \"virtual\";\n"
    "instances: { source: { component = \"random_source\"; length = 10; seed = 9007199254740991; "
    "};\n"
    "sink: { component = \"null_sink\"; }; };\nlinks = ( \"source -> sink\" );\n";

static void is_json(const char *command)
{
	struct ran *ran = aloe_ok("%s", command);

	if (!ran->report)
		fail_msg("aloe %s: no JSON: %.300s", command, ran->out);
	if (json_integer_value(json_object_get(ran->report, "schema")) < 1)
		fail_msg("aloe %s: no schema: %.300s", command, ran->out);
	ran_free(ran);
}

static void each_command(void **state)
{
	static const char *const commands[] = {"list --json", "list components --json",
	    "list nodes --json", "status --json", "status js --json", "tap js --json",
	    "get js --json", "get js sink.items --json"};
	char command[512];

	(void)state;
	file_make(aloe_path("js.conf"), text, strlen(text));
	snprintf(
	    command, sizeof(command), "run '%s' --slots 10 --json --quiet", aloe_path("js.conf"));
	is_json(command);
	snprintf(command, sizeof(command), "plan '%s' --json", aloe_path("js.conf"));
	is_json(command);
	is_json("doctor --seconds 0 --json");
	ran_free(aloe_ok("up"));
	ran_free(aloe_ok("load '%s'", aloe_path("js.conf")));
	ran_free(aloe_ok("start js"));
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		is_json(commands[i]);
}

/* While it runs the index grows from line to line, and so does the time. */
static void watch_lines(void **state)
{
	struct ran *ran = aloe_ok("watch js source.seed --json --interval 50 --count 3");
	json_int_t before = -1;
	char time[64] = "";
	int lines = 0;

	(void)state;
	for (char *at = ran->out, *end; (end = strchr(at, '\n')); at = end + 1, lines++) {
		json_t *line = json_loadb(at, (size_t)(end - at), 0, NULL);
		json_int_t index;

		assert_true(json_is_object(line));
		index = json_integer_value(json_object_get(line, "index"));
		assert_true(index > before);
		before = index;
		assert_true(strcmp(json_string_value(json_object_get(line, "time")), time) > 0);
		snprintf(
		    time, sizeof(time), "%s", json_string_value(json_object_get(line, "time")));
		assert_string_equal(json_string_value(json_object_get(line, "waveform")), "js");
		assert_true(json_integer_value(json_object_get(json_object_get(line, "values"),
		                "source.seed")) == 9007199254740991);
		json_decref(line);
	}
	assert_int_equal(lines, 3);
	ran_free(ran);
}

/* What the state of a waveform does not allow is wrong use, like a word that there is not. */
static void states(void **state)
{
	(void)state;
	ran_free(aloe_ends(2, "start js"));
	ran_free(aloe_ok("pause js"));
	ran_free(aloe_ends(2, "pause js"));
	ran_free(aloe_ok("start js"));
	ran_free(aloe_ok("stop js"));
	ran_free(aloe_ends(2, "start js"));
	ran_free(aloe_ok("unload js"));
	ran_free(aloe_ok("down"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_command),
	    cmocka_unit_test(watch_lines),
	    cmocka_unit_test(states),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
