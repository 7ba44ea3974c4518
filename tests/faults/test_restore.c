/* SPDX-License-Identifier: BSD-3-Clause
 * A component writes over all of the memory that it can write, and exec is killed before or after:
 * the waveform is stopped with the reason and can be unloaded, exec comes back once, and the other
 * waveform loses no index. No number that is shown comes from the rubble. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "tests/faults/node.h"

enum { AT = 20 };

static const char victim[] = "name = \"victim\"; slot_ns = 10000000;\n"
                             "instances: {\n"
                             "  source: { component = \"counter\"; };\n"
                             "  bad: { component = \"scribble\"; at = 20; };\n"
                             "  sink: { component = \"file_sink\"; path = \"%s\"; };\n"
                             "};\nlinks = ( \"source -> bad -> sink\" );\n";

/* exec is not to see it before it is killed: it is stopped from before the index in question until
 * some slots after it. */
static void killed_after(const char *options)
{
	const pid_t exec = process_one("aloe-exec");

	wave_begin("victim", options);
	kill(exec, SIGSTOP);
	clock_sleep_until(clock_ns() + (AT + 15) * (uint64_t)STEADY_SLOT_NS);
	kill(exec, SIGKILL);
	process_other("aloe-exec", exec);
}

static void killed_before(const char *options)
{
	const pid_t exec = process_one("aloe-exec");

	wave_begin("victim", options);
	kill(exec, SIGKILL);
	process_other("aloe-exec", exec);
}

/* In the moment in which it stops the waveform: a host of it is dead already. */
static void killed_meanwhile(const char *options)
{
	const pid_t exec = process_one("aloe-exec"), host = wave_begin("victim", options);
	struct pollfd died = {.fd = pidfd_open(host, 0), .events = POLLIN};

	assert_true(died.fd >= 0);
	while (poll(&died, 1, -1) != 1)
		;
	kill(exec, SIGKILL);
	close(died.fd);
	process_other("aloe-exec", exec);
}

static void not_killed(const char *options)
{
	wave_begin("victim", options);
}

/* A number is one that could be, or null. */
static void numbers_are_sane(const json_t *value)
{
	const char *key;
	json_t *item;
	size_t n;

	json_object_foreach((json_t *)(uintptr_t)value, key, item)
	{
		numbers_are_sane(item);
	}
	json_array_foreach(value, n, item)
	{
		numbers_are_sane(item);
	}
	if (json_is_number(value) &&
	    !(json_number_value(value) >= 0 && json_number_value(value) <= 1e16))
		fail_msg("%g is shown", json_number_value(value));
}

static void victim_is_stopped(void)
{
	const pid_t exec = process_one("aloe-exec");
	struct ran *ran = wave_await("victim", "ABNSTOP"), *list;
	const char *reason = ran_text(ran, "reason");

	print_message("%s\n", reason);
	if (strstr(reason, "overwritten") == NULL &&
	    strstr(reason, "was killed by signal 11") == NULL &&
	    strstr(reason, "instance \"bad\" (scribble) failed at index 20: wrote") == NULL)
		fail_msg("`%s` does not say what happened", reason);
	numbers_are_sane(json_object_get(ran->report, "slots"));
	numbers_are_sane(json_object_get(ran->report, "messages"));
	numbers_are_sane(json_object_get(ran->report, "latency"));
	numbers_are_sane(json_object_get(ran->report, "lanes"));
	numbers_are_sane(json_object_get(ran->report, "index"));
	ran_free(ran);
	list = aloe_ok("list");
	assert_null(strstr(list->out, "-4"));
	assert_non_null(strstr(list->out, "victim"));
	ran_free(list);
	ran_free(aloe_ok("status victim"));
	ran_free(wave_await("steady", "RUN"));
	ran_free(aloe_ok("unload victim"));
	assert_int_equal(process_one("aloe-exec"), exec); /* it has not come back again and again */
	process_one("aloe-host");                         /* only steady's is left */
}

static void scribbles(const char *options)
{
	static const char *const hows[] = {"random", "zero"};
	static void (*const kills[])(const char *options) = {
	    not_killed, killed_before, killed_after, killed_meanwhile};
	char all[256];

	conf_write("victim", victim);
	steady_begin("--clock virtual --late slip");
	for (size_t h = 0; h < 2; h++)
		for (size_t k = 0; k < sizeof(kills) / sizeof(kills[0]); k++) {
			snprintf(
			    all, sizeof(all), "--lanes 0 --set bad.how=%s %s", hows[h], options);
			kills[k](all);
			victim_is_stopped();
		}
	steady_end(0, NULL);
}

static void scribbles_of_a_waveform(void **state)
{
	(void)state;
	scribbles("");
}

static void scribbles_of_an_instance(void **state)
{
	(void)state;
	scribbles("--isolation component");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(scribbles_of_a_waveform),
	    cmocka_unit_test(scribbles_of_an_instance),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests(tests, node_up, node_down);
}
