/* SPDX-License-Identifier: BSD-3-Clause
 * SIGKILL to aloe-exec at each point of a remap: before the hosts have answered, while the waveform
 * comes to stand, while it goes over, while another exec brings it back. Whoever asked gets an
 * answer, soon; nothing is stuck; no index is lost, and no bit. ALOE_REMAP_KILLS=N: N kills at
 * random points, not 6. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "tests/faults/changes.h"

enum {
	KILLS = ALOE_SLOWER(6, 3),
	SPREAD_MS = ALOE_SLOWER(60, 300), /* as long as a remap takes, and twice that */
	SOON_S = 25,                      /* a host has 10 s, and so has its successor */
	NAP_US = 2000,
	LONG_US = 400000, /* so long at least does it take a waveform to come to stand */
};

static const char slow[] = "name = \"slow\"; slot_ns = 1000000; late = \"slip\";\n"
                           "instances: {\n"
                           "  source: { component = \"counter\"; };\n"
                           "  work: { component = \"faulty\"; nap_us = 2000.0; };\n"
                           "  sink: { component = \"file_sink\"; path = \"%s\"; };\n"
                           "};\nlinks = ( \"source -> work -> sink\" );\n";

static void pause_ms(uint64_t ms)
{
	clock_sleep_until(clock_ns() + ms * 1000000);
}

/* In the background. Its words are shown if it is refused. */
static pid_t remap_begin(const char *command)
{
	const pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct ran *ran = aloe("%s", command);

		if (ran->status != 0)
			print_message("aloe %s: exit %d: %s", command, ran->status, ran->err);
		_exit(ran->status);
	}
	return child;
}

static void remap_done(pid_t child)
{
	const uint64_t until = clock_ns() + SOON_S * 1000000000ull;
	int status = -1;

	while (waitpid(child, &status, WNOHANG) == 0) {
		if (clock_ns() > until)
			fail_msg("the remap has no answer for %d s", SOON_S);
		pause_ms(2);
	}
	assert_int_equal(status, 0);
}

static void exec_kill(void)
{
	const pid_t exec = process_one("aloe-exec");

	kill(exec, SIGKILL);
	process_other("aloe-exec", exec);
}

/* Whoever asks for something else is told so. */
static void remap_is_under_way(void)
{
	const uint64_t until = clock_ns() + SOON_S * 1000000000ull;
	bool is = false;

	while (!is) {
		struct ran *ran = aloe("start slow");

		is = strstr(ran->err, "another change under way") != NULL;
		if (!is && clock_ns() > until)
			fail_msg("no remap is under way: %s", ran->err);
		ran_free(ran);
	}
}

/* ---- what exec says of the waveform to the next exec ---- */

static int node_open(pid_t exec)
{
	static const char wanted[] = "/memfd:aloe-node ";
	char path[64], name[128];

	for (int fd = 0; fd < 1024; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", exec, fd);
		if (readlink(path, name, sizeof(name)) >= (ssize_t)sizeof(wanted) - 1 &&
		    memcmp(name, wanted, sizeof(wanted) - 1) == 0)
			return open(path, O_RDONLY | O_CLOEXEC);
	}
	return -1;
}

/* In the node image, which outlives exec. */
static const struct node_control *slow_control(void)
{
	const struct node_image *node;
	const int fd = node_open(process_one("aloe-exec"));

	assert_true(fd >= 0);
	node = mmap(NULL, sizeof(*node), PROT_READ, MAP_SHARED, fd, 0);
	assert_true(node != MAP_FAILED);
	close(fd);
	for (uint32_t w = 0; w < NODE_WAVEFORMS_MAX; w++)
		if (atomic_load(&node->control[w].used) != 0 &&
		    strcmp(node->control[w].name, "slow") == 0)
			return &node->control[w];
	fail_msg("the node image has no waveform \"slow\"");
	return NULL;
}

/* Begins a remap: exec has set the step at which all are to stand, which takes them a while. */
static pid_t remap_halts(void)
{
	const uint64_t until = clock_ns() + SOON_S * 1000000000ull;
	const struct node_control *control = slow_control();
	pid_t child;

	ran_free(aloe_ok("set slow work.nap_us=%d", LONG_US));
	child = remap_begin("remap slow --pin work=1");
	while (atomic_load(&control->limit) == IMAGE_FOREVER) {
		if (clock_ns() > until)
			fail_msg("the waveform is not halted");
		pause_ms(1);
	}
	return child;
}

/* Before anything was carried over. */
static void exec_kill_halting(void)
{
	const pid_t exec = process_one("aloe-exec");
	const struct node_control *control = slow_control();

	kill(exec, SIGKILL);
	assert_int_equal(control->remaps, 0);
	process_other("aloe-exec", exec);
}

/* ---- at random points ---------------------------------------------------------------------- */

static void random_kills(const char *options, const char *slows, unsigned n)
{
	uint64_t done = 0;
	struct changes w;

	changes_begin(&w, "slip", slows, options);
	for (unsigned i = 0; i < n; i++) {
		char command[64];
		struct ran *ran;
		pid_t child;

		snprintf(command, sizeof(command), "remap noisy --pin noise=%u --pin demod=%u",
		    changes_below(&w, 2), changes_below(&w, 2));
		child = remap_begin(command);
		pause_ms(i * SPREAD_MS / n);
		clock_sleep_until(clock_ns() + changes_below(&w, SPREAD_MS * 1000000u / n));
		exec_kill();
		remap_done(child);
		ran = wave_await("noisy", "RUN");
		done = (uint64_t)ran_number(ran, "remaps");
		ran_free(ran);
	}
	changes_finish(&w, NULL);
	(void)records_check(aloe_path("steady.out"), CHANGES_SLOT_NS, NULL);
	changes_noisy_check();
	print_message("%u kills, %llu remaps\n", n, (unsigned long long)done);
	assert_true(done >= n);
	changes_fini(&w);
}

static void at_random_points(void **state)
{
	(void)state;
	random_kills("--clock virtual --lanes 0,1", "nap_us", number_of("ALOE_REMAP_KILLS", KILLS));
}

static void between_many_hosts(void **state)
{
	(void)state;
	random_kills("--clock virtual --lanes 0,1 --isolation component", "nap_us",
	    number_of("ALOE_REMAP_KILLS", KILLS));
}

/* ---- at one that is held ------------------------------------------------------------------- */

/* The host that was started first has the source. */
static pid_t slow_begin(void)
{
	pid_t hosts[4];

	conf_write("slow", slow);
	wave_begin("slow", "--clock virtual --lanes 0,1 --isolation component");
	assert_int_equal(processes("aloe-host", hosts, 4), 3);
	return hosts[0];
}

static void slow_end(void)
{
	ran_free(wave_await("slow", "RUN"));
	ran_free(aloe_ok("set slow work.nap_us=%d", NAP_US));
	wave_end("slow");
	assert_true(records_check(aloe_path("slow.out"), 1000000, NULL).count > 0);
}

/* A host does not answer while exec is killed over it. */
static void before_the_hosts_have_answered(void **state)
{
	const pid_t host = slow_begin();
	pid_t child;

	(void)state;
	kill(host, SIGSTOP);
	child = remap_begin("remap slow --pin work=1");
	remap_is_under_way();
	exec_kill();
	kill(host, SIGCONT);
	remap_done(child);
	slow_end();
}

static void while_it_comes_to_stand(void **state)
{
	pid_t child;

	(void)state;
	slow_begin();
	child = remap_halts();
	exec_kill_halting();
	remap_done(child);
	slow_end();
}

/* The next exec waits for a host, and is killed as well. */
static void while_it_is_brought_back(void **state)
{
	const pid_t host = slow_begin();
	pid_t child;

	(void)state;
	child = remap_halts();
	kill(host, SIGSTOP);
	exec_kill_halting();
	remap_is_under_way();
	exec_kill();
	kill(host, SIGCONT);
	remap_done(child);
	slow_end();
}

/* A host that never answers ends the waveform, and not the patience of whoever waits. */
static void a_host_that_stands_still(void **state)
{
	const pid_t host = slow_begin();
	struct ran *ran;
	pid_t child;
	int status = 0;

	(void)state;
	child = remap_halts();
	kill(host, SIGSTOP);
	exec_kill_halting();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_not_equal(status, 0);
	ran = wave_await("slow", "ABNSTOP");
	assert_non_null(strstr(ran_text(ran, "reason"),
	    "aloe-exec was killed in a change, and a host has not answered"));
	ran_free(ran);
	ran_free(aloe_ok("unload slow"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(at_random_points),
	    cmocka_unit_test(between_many_hosts),
	    cmocka_unit_test(before_the_hosts_have_answered),
	    cmocka_unit_test(while_it_comes_to_stand),
	    cmocka_unit_test(while_it_is_brought_back),
	    cmocka_unit_test(a_host_that_stands_still),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests(tests, node_up, node_down);
}
