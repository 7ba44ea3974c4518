/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kills of either end of a port of shared memory, in the middle of a stream: the other end goes on,
 * and streams with whoever comes next. ALOE_KILLS is how often, for each side; 5 in `make check`
 * (10 kills in all), 1000 by `make check-kills`. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "tests/common/aloe.h"
#include "tests/common/x310_rig.h"

enum { KILLS = 5, SPREAD_US = 3000, STREAMS = 200 /* packets */, DIVIDE = 20, PATIENCE_S = 30 };
#define BEGIN_NS 2000000000ull
#define QUIET_NS 20000000ull

/* Rx alone and without flow control: a device that waits for a dead host's acknowledgement of an
 * underrun is another matter. */
static const struct x310_rig_options hosts_die = {
    .spp = RIG_SPP, .ticks_per_sample = DIVIDE, .rx = true, .free_running = true};
static const struct x310_rig_options simulators_die = {
    .spp = RIG_SPP, .ticks_per_sample = DIVIDE, .rx = true, .tx = true};

static unsigned kills(void)
{
	const char *text = getenv("ALOE_KILLS");

	return text ? (unsigned)atoi(text) : KILLS;
}

/* Sends back what is heard; a byte to `tell` when it streams. Ends when nothing comes for 20 ms,
 * before it streams for 2 s: the device may have been killed as it began. */
static void stream(struct x310_rig *rig, int tell, bool tx)
{
	struct x310_packet in[TRANSPORT_BURST];
	struct packet out;
	uint64_t last = clock_ns();
	unsigned packets = 0;

	x310_start(&rig->radio, 0);
	while (clock_ns() - last < (packets < STREAMS ? BEGIN_NS : QUIET_NS)) {
		const uint64_t now = clock_ns();
		const unsigned n = x310_receive(&rig->radio, now, in, TRANSPORT_BURST);

		for (unsigned i = 0; i < n; i++) {
			last = now;
			if (tx && x310_get(&rig->radio, in[i].n, &out, 1) == 1)
				x310_send(&rig->radio, &out, in[i].n, in[i].ticks + 200000, false);
			if (++packets == STREAMS && write(tell, "s", 1) != 1)
				_exit(5);
		}
		x310_release(&rig->radio, in, n);
		x310_flush(&rig->radio);
	}
}

static void lives(pid_t sim, pid_t host, unsigned number)
{
	int status;

	if (waitpid(sim, &status, WNOHANG) != 0)
		fail_msg("before kill %u the simulator died: %#x", number, (unsigned)status);
	if (waitpid(host, &status, WNOHANG) != 0)
		fail_msg("before kill %u the host died: %#x", number, (unsigned)status);
}

/* Until the peer says that it streams; then a moment more. */
static void await(int told, pid_t sim, pid_t host, unsigned number)
{
	struct pollfd fd = {.fd = told, .events = POLLIN};
	char byte;

	for (int i = 0; i < PATIENCE_S && poll(&fd, 1, 1000) != 1; i++)
		lives(sim, host, number);
	if (poll(&fd, 1, 0) != 1 || read(told, &byte, 1) != 1)
		fail_msg("nothing streams before kill %u", number);
	usleep((number * 2654435761u) % SPREAD_US);
	lives(sim, host, number);
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static pid_t start_host(
    struct x310_rig *rig, const struct x310_rig_options *options, int tell, bool again)
{
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	x310_rig_attach(rig, options);
	for (;;) {
		const char *why = x310_rig_try(rig, options);

		while (why != NULL) /* the device may be gone just now, or slow */
			why = x310_rig_try(rig, options);
		stream(rig, tell, options->tx);
		if (!again)
			break;
	}
	_exit(0);
}

static void the_simulator_outlives_its_hosts(void **state)
{
	struct x310_rig *rig = *state;
	int ends[2], status;

	assert_int_equal(pipe(ends), 0);
	x310_rig_simulate(rig, &hosts_die);
	for (unsigned i = 0; i < kills(); i++) {
		const pid_t host = start_host(rig, &hosts_die, ends[1], false);

		await(ends[0], rig->pid, host, i);
		end(host);
	}
	kill(rig->pid, SIGTERM);
	assert_int_equal(waitpid(rig->pid, &status, 0), rig->pid);
	print_message("%u hosts killed\n", kills());
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	rig->pid = 0;
}

static void a_host_outlives_the_simulator(void **state)
{
	struct x310_rig *rig = *state;
	pid_t host = 0;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	for (unsigned i = 0; i < kills(); i++) {
		x310_rig_simulate(rig, &simulators_die);
		if (i == 0)
			host = start_host(rig, &simulators_die, ends[1], true);
		await(ends[0], rig->pid, host, i);
		end(rig->pid);
		rig->pid = 0;
	}
	assert_int_equal(waitpid(host, NULL, WNOHANG), 0);
	end(host);
	print_message("%u simulators killed\n", kills());
}

static int need(void **state)
{
	const char *why = x310_rig_missing(&x310_rig_wires[1]);

	(void)aloe_init(state);
	if (why == NULL)
		return 0;
	print_message("skip: %s\n", why);
	exit(77);
}

static int close_rig(void **state)
{
	x310_rig_close(*state);
	return 0;
}

int main(void)
{
	struct x310_rig rig = {.wire = &x310_rig_wires[1]};
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_prestate_setup_teardown(
	        the_simulator_outlives_its_hosts, NULL, close_rig, &rig),
	    cmocka_unit_test_prestate_setup_teardown(
	        a_host_outlives_the_simulator, NULL, close_rig, &rig),
	};

	return cmocka_run_group_tests(tests, need, aloe_fini);
}
