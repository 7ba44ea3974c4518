/* SPDX-License-Identifier: BSD-3-Clause
 * Components that attack the node (components/evil.c), by seeds: attack x isolation x clock x
 * moment, some of them with exec, or exec and one of the attacker's hosts, killed around it.
 * `steady` shares the attacker's lane and loses nothing on the virtual clock, and no more than the
 * stated bound on the timer: slot + guard + 0.2 ms after each attack. The attacker can be unloaded
 * each time, and nothing of it is left. ATTACKS=1000 for more trials (make attacks), SEED=n for
 * others, ONE=seed for one, LANE=n for another CPU than 0. */
#include <assert.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "daemons/exec/tasks.h"
#include "tests/faults/node.h"

enum { AT_MIN = 15, AT_MAX = 30 };

static const char attacker[] = "name = \"attacker\"; slot_ns = 10000000;\n"
                               "instances: {\n"
                               "  source: { component = \"counter\"; };\n"
                               "  bad: { component = \"evil\"; };\n"
                               "  sink: { component = \"file_sink\"; path = \"%s\"; };\n"
                               "};\nlinks = ( \"source -> bad -> sink\" );\n";

/* stops: the waveform is to be stopped, with `reason`. slow: on the virtual clock it takes 10 s to
 * be found. */
static const struct attack {
	const char *how;
	bool stops, slow;
	const char *reason; /* on the timer; NULL: any */
} attacks[] = {
    {"nothing", false, false, NULL},
    {"baton", false, false, "memory was overwritten"},
    {"since", false, false, NULL},
    {"lane", false, false, NULL},
    {"go", false, false, NULL},
    {"waveform", false, false, NULL},
    {"before", false, false, NULL},
    {"behind", true, false, "output"},
    {"threads", false, false, NULL},
    {"raise", true, true, "\"bad\" hangs"},
    {"raise_thread", false, false, NULL},
    {"raise_child", false, false, NULL},
    {"hang", true, true, "\"bad\" hangs"},
    {"sleep", true, true, "\"bad\" hangs"},
    {"stop", true, true, "hangs"}, /* some microseconds later, maybe in another instance */
    {"die", true, false, "was killed by signal 9"},
    {"leave", true, false, "ended"},
    {"sockets", false, false, NULL},
    {"fork", false, false, NULL},
};

/* Each attack is tried on the timer; the virtual clock leaves out the slow attacks. */
enum { N_ATTACKS = sizeof(attacks) / sizeof(attacks[0]), ATTACKS = 2 * N_ATTACKS };

enum helper { NOBODY, EXEC_BEFORE, EXEC_AFTER, EXEC_AND_HOST };

struct trial {
	unsigned seed;
	const struct attack *attack;
	const char *isolation;
	enum helper helper;
	uint64_t at;
	bool force; /* it is unloaded by force */
};

static struct trial trial_of(unsigned seed, bool timer)
{
	static const char *const isolations[] = {"waveform", "component", "none"};
	unsigned random = seed;
	struct trial trial = {.seed = seed};

	do
		trial.attack = &attacks[seed++ % N_ATTACKS];
	while (!timer && trial.attack->slow && number_of("ATTACKS", ATTACKS) <= ATTACKS);
	trial.isolation = isolations[rand_r(&random) % 3];
	trial.helper = rand_r(&random) % 3 == 0 ? (enum helper)(1 + rand_r(&random) % 3) : NOBODY;
	trial.at = AT_MIN + (uint64_t)(rand_r(&random) % (AT_MAX - AT_MIN));
	trial.force = rand_r(&random) % 4 == 0;
	return trial;
}

/* ---- what the attacker has ---- */

static size_t hosts(pid_t *ret, size_t n)
{
	return processes("aloe-host", ret, n);
}

static size_t hosts_but(const pid_t *known, size_t n_known, pid_t *ret, size_t n)
{
	pid_t all[64];
	size_t m = hosts(all, 64), found = 0;

	for (size_t i = 0; i < m && found < n; i++) {
		size_t k = 0;

		while (k < n_known && known[k] != all[i])
			k++;
		if (k == n_known)
			ret[found++] = all[i];
	}
	return found;
}

static void hosts_gone(const struct trial *trial, const pid_t *known, size_t n_known)
{
	const uint64_t until = clock_ns() + PATIENCE_NS;
	pid_t left[64];

	while (hosts_but(known, n_known, left, 64) > 0) {
		if (clock_ns() > until)
			fail_msg("seed %u, %s: process %d of the attacker is left behind",
			    trial->seed, trial->attack->how, left[0]);
		clock_sleep_until(clock_ns() + 10000000);
	}
}

/* ---- a trial ------------------------------------------------------------------------ */

/* It keeps the lane's CPU to itself. */
static bool is_busy(const struct attack *attack)
{
	return strcmp(attack->how, "hang") == 0 || strcmp(attack->how, "raise") == 0;
}

/* Around index `at`: the first 10 slots pass before index 0. */
static void kill_around(const struct trial *trial, const pid_t *victims, size_t n, unsigned *random,
    struct stalls *stalls)
{
	const int64_t slots = (int64_t)(10 + trial->at) + (trial->helper == EXEC_AFTER ? 1 : 0) -
	    (trial->helper == EXEC_BEFORE ? 1 : 0);
	const pid_t exec = process_one("aloe-exec");
	uint64_t killed, away;

	clock_sleep_until(clock_ns() + (uint64_t)slots * STEADY_SLOT_NS - STEADY_SLOT_NS);
	slot_random_point(STEADY_SLOT_NS, random);
	killed = clock_ns();
	kill(exec, SIGKILL);
	if (trial->helper == EXEC_AND_HOST && n > 0)
		kill(victims[(size_t)rand_r(random) % n], SIGKILL);
	process_other("aloe-exec", exec);
	away = clock_ns() - killed;
	/* lane-mates have no higher priority than one that is busy */
	if (stalls != NULL && away > STEADY_SLOT_NS && is_busy(trial->attack)) {
		print_message(
		    "seed %u: exec was away for %.1f ms\n", trial->seed, (double)away / 1e6);
		stalls_add(stalls, killed, killed + away);
	}
}

static bool is_stopped(const struct ran *ran)
{
	return strcmp(ran_text(ran, "state"), "ABNSTOP") == 0;
}

/* On the virtual clock nobody watches a host that stands between two calls of work, where SIGSTOP
 * may find it. */
static bool may_stand(const struct attack *attack, const char *options)
{
	return !attack->stops ||
	    (strcmp(attack->how, "stop") == 0 && strstr(options, "virtual") != NULL);
}

/* The attack is over: the attacker is stopped, or has gone on beyond it. Its reason ("" if it has
 * not been stopped). */
static void await_attack(
    const struct trial *trial, const char *options, char *ret_reason, size_t size)
{
	const uint64_t began = clock_ns();

	for (;;) {
		struct ran *ran = aloe("status attacker --json");
		const bool answered = ran->status == 0 && ran->report != NULL;
		const bool stopped = answered && is_stopped(ran);
		const bool over = answered && !trial->attack->stops &&
		    ran_number(ran, "index") > (double)trial->at + 10;

		snprintf(ret_reason, size, "%s", answered ? ran_text(ran, "reason") : "");
		if (clock_ns() > began + PATIENCE_NS)
			fail_msg(
			    "seed %u, %s: the attacker is neither stopped nor does it go on:\n%s%s",
			    trial->seed, trial->attack->how, ran->out, ran->err);
		ran_free(ran);
		if (stopped || over)
			return;
		if (may_stand(trial->attack, options) && clock_ns() > began + 1000000000)
			return; /* nobody has to know */
		clock_sleep_until(clock_ns() + 20000000);
	}
}

static bool unloads(const struct trial *trial, const char *options)
{
	struct ran *ran = aloe("unload attacker %s", options);
	const bool done = ran->status == 0;

	if (!done)
		print_message("seed %u, %s: unload %s: %s", trial->seed, trial->attack->how,
		    options, ran->err);
	ran_free(ran);
	return done;
}

/* By force in some of the trials only. What was under way when exec died is asked for again. */
static void unload(const struct trial *trial)
{
	const uint64_t until = clock_ns() + PATIENCE_NS;

	while (!unloads(trial, trial->force ? "--force" : "")) {
		if (clock_ns() > until)
			fail_msg(
			    "seed %u, %s: cannot be unloaded", trial->seed, trial->attack->how);
		clock_sleep_until(clock_ns() + 100000000);
	}
}

static bool is_reason(const struct attack *attack, const char *reason)
{
	const bool ends = strcmp(attack->how, "die") == 0 || strcmp(attack->how, "leave") == 0;

	return ends ? is_death(reason, attack->reason) : strstr(reason, attack->reason) != NULL;
}

static void attack(const struct trial *trial, const char *options, struct stalls *stalls)
{
	unsigned random = trial->seed;
	pid_t known[64], victims[64];
	const size_t n_known = hosts(known, 64);
	const uint64_t began = clock_ns();
	char all[256], reason[1024];
	size_t n;

	snprintf(all, sizeof(all),
	    "%s --isolation %s --set bad.how=%s --set bad.at=%llu --set bad.seed=%u", options,
	    trial->isolation, trial->attack->how, (unsigned long long)trial->at, trial->seed + 1);
	wave_begin("attacker", all);
	n = hosts_but(known, n_known, victims, 64);
	if (trial->helper != NOBODY)
		kill_around(trial, victims, n, &random, stalls);
	await_attack(trial, options, reason, sizeof(reason));
	if (trial->attack->stops && trial->attack->reason != NULL && trial->helper == NOBODY &&
	    strstr(options, "timer") != NULL && !is_reason(trial->attack, reason))
		fail_msg("seed %u, %s: `%s` is not in: %s", trial->seed, trial->attack->how,
		    trial->attack->reason, reason);
	unload(trial);
	hosts_gone(trial, known, n_known);
	ran_free(wave_await("steady", "RUN"));
	print_message("seed %u: %s, isolation %s, helper %d, at %llu: %.3f to %.3f s: %s\n",
	    trial->seed, trial->attack->how, trial->isolation, trial->helper,
	    (unsigned long long)trial->at, (double)began / 1e9, (double)clock_ns() / 1e9,
	    reason[0] ? reason : "not stopped");
}

/* stalls: on the timer. */
static void trials(const char *options, struct stalls *stalls)
{
	const unsigned n = number_of("ATTACKS", ATTACKS) / 2, first = number_of("SEED", 1);
	const unsigned one = number_of("ONE", 0);

	for (unsigned i = 0; i < n; i++) {
		const struct trial trial = trial_of(one != 0 ? one : first + i, stalls != NULL);

		attack(&trial, options, stalls);
		if (one != 0)
			break;
	}
}

static void attacks_on_the_timer(void **state)
{
	const unsigned lane = number_of("LANE", 0);
	struct stalls *stalls = stalls_watch((int)lane);
	char options[64];

	(void)state;
	snprintf(options, sizeof(options), "--clock timer --lanes %u", lane);
	conf_write("attacker", attacker);
	assert_true(steady_begin(options) > 0);
	trials(options, stalls);
	steady_end(STEADY_BOUND_NS, stalls);
	stalls_end(stalls);
}

static void attacks_on_the_virtual_clock(void **state)
{
	(void)state;
	conf_write("attacker", attacker);
	assert_true(steady_begin("--clock virtual --late slip") > 0);
	trials("--clock virtual", NULL);
	steady_end(0, NULL);
}

/* ---- a lane image of garbage that stands ---- */

static void has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("`%s` is not in: %s", part, text);
}

static double resets(unsigned lane)
{
	struct ran *ran = aloe_ok("status steady --json");
	const double sum = ran_number(ran, "lanes.0.baton_resets");
	char part[64];

	assert_true(ran_number(ran, "lanes.0.cpu") == lane);
	ran_free(ran);
	snprintf(part, sizeof(part), "lane 0 (CPU %u): baton reset %.0f time", lane, sum);
	ran = aloe_ok("status steady");
	if (sum > 0)
		has(ran->out, part);
	else
		assert_null(strstr(ran->out, "baton reset"));
	ran_free(ran);
	return sum;
}

static void baton_stands(const char *how, const char *isolation, const char *clock, unsigned lane)
{
	const struct trial trial = {.attack = &(struct attack){.how = how}};
	const double before = resets(lane);
	pid_t known[64];
	const size_t n_known = hosts(known, 64);
	char options[128], part[64];
	struct ran *ran;

	snprintf(options, sizeof(options),
	    "--clock %s --lanes %u --isolation %s --set bad.how=%s --set bad.at=15", clock, lane,
	    isolation, how);
	wave_begin("attacker", options);
	/* it is written in between, or after the first steps, when nobody looks until the next */
	for (int i = 0; i < 2 && strcmp(clock, "step") == 0; i++)
		ran_free(aloe_ok("step steady --count 30"));
	ran = wave_await("attacker", "ABNSTOP");
	print_message(
	    "%s, clock %s, isolation %s: %s\n", how, clock, isolation, ran_text(ran, "reason"));
	snprintf(part, sizeof(part), "the memory of lane 0 (CPU %u) was overwritten", lane);
	has(ran_text(ran, "reason"), part);
	has(ran_text(ran, "reason"), "which is impossible); instance \"");
	ran_free(ran);
	assert_true(resets(lane) > before);
	ran_free(aloe_ok("unload attacker"));
	hosts_gone(&trial, known, n_known);
	ran = wave_await("steady", "RUN");
	assert_string_equal(ran_text(ran, "reason"), "");
	ran_free(ran);
}

/* It is written between two slots, so that no hand-over writes over it: each is reset and counted,
 * and who had the lane last is stopped. */
static void batons_that_cannot_be(const char *clock, struct stalls *stalls)
{
	static const char *const hows[] = {"stands_entry", "stands_slot", "stands_since"};
	const unsigned lane = number_of("LANE", 0);
	char options[64];

	snprintf(options, sizeof(options), "--clock %s --lanes %u", clock, lane);
	conf_write("attacker", attacker);
	steady_begin(options);
	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++) {
		baton_stands(hows[i], "waveform", clock, lane);
		baton_stands(hows[i], "component", clock, lane);
	}
	steady_end(stalls != NULL ? STEADY_BOUND_NS : 0, stalls);
}

static void batons_on_the_timer(void **state)
{
	struct stalls *stalls = stalls_watch((int)number_of("LANE", 0));

	(void)state;
	batons_that_cannot_be("timer", stalls);
	stalls_end(stalls);
}

/* No watchdog is there, and nothing is ever overdue: exec looks when there are steps to make. */
static void batons_on_the_step_clock(void **state)
{
	(void)state;
	batons_that_cannot_be("step", NULL);
}

/* ---- above the watchdogs
 * ------------------------------------------------------------------------ */

/* The thread that the attack has started: the one of ordinary priority that never sleeps. */
static pid_t busy_thread(pid_t host)
{
	const uint64_t until = clock_ns() + PATIENCE_NS;
	struct exec_task tasks[64];

	while (clock_ns() < until) {
		const size_t n = tasks_look(host, tasks, 64);

		for (size_t i = 0; i < n; i++)
			if (tasks[i].ready && tasks[i].ran_ns > 100000000 &&
			    platform_priority(tasks[i].tid) == 0)
				return tasks[i].tid;
		clock_sleep_until(clock_ns() + 10000000);
	}
	fail_msg("the attacker has no thread that is busy");
	return -1;
}

/* No host has the right to it: somebody else gives a thread of one a higher priority than the
 * lane's watchdog has, which does not wake up any more. The second watchdog does. */
static void a_thread_above_the_watchdog(void **state)
{
	const struct sched_param highest = {.sched_priority = 99};
	struct stalls *stalls = stalls_watch(0);
	pid_t host;
	int status;

	(void)state;
	conf_write("attacker", attacker);
	steady_begin("--clock timer --lanes 0");
	host = wave_begin(
	    "attacker", "--clock timer --lanes 0 --set bad.how=raise_thread --set bad.at=15");
	status = sched_setscheduler(busy_thread(host), SCHED_FIFO, &highest);
	if (status == 0 && sysconf(_SC_NPROCESSORS_ONLN) > 1) {
		struct ran *ran = wave_await("attacker", "ABNSTOP");

		print_message("%s\n", ran_text(ran, "reason"));
		assert_non_null(strstr(ran_text(ran, "reason"),
		    "had a higher priority than the watchdog of lane 0 (CPU 0)"));
		ran_free(ran);
	}
	ran_free(aloe_ok("unload attacker"));
	ran_free(wave_await("steady", "RUN"));
	steady_end(STEADY_BOUND_NS, stalls);
	stalls_end(stalls);
	if (status != 0)
		skip(); /* who runs this may not do it either */
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(attacks_on_the_timer),
	    cmocka_unit_test(batons_on_the_timer),
	    cmocka_unit_test(a_thread_above_the_watchdog),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(attacks_on_the_virtual_clock),
	    cmocka_unit_test(batons_on_the_step_clock),
	};
	int failed;

	cmocka_set_test_filter(getenv("ONLY"));
	failed = ALOE_PART("lanes", lanes, node_up, node_down);
	return failed + ALOE_PART("rest", rest, node_up, node_down);
}
