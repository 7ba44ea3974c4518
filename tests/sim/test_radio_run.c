/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waveforms on the clock `radio`, through the real processes, against x310sim on loopback. The
 * device's clock is virtual, so that every packet is accounted for on any machine; its samples tell
 * how old they are when they are played. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/common/radio_node.h"
#include "tests/common/x310_rig.h"

enum { USAGE = 2 };

static struct ran *run_pass(const char *more)
{
	return aloe_ok("run '%s' --radio '%s' --slots %d --json -q %s", aloe_path("pass.conf"),
	    aloe_path("radio.conf"), SLOTS, more);
}

/* All that the radio's side of the report has to say is right, but for `lost` packets of the first
 * channel. */
static void check_counts(const struct ran *ran, unsigned channels, double lost)
{
	static const char *const none[] = {
	    "behind", "overruns", "no_room", "late", "underruns", "sequence"};
	char path[64];

	assert_string_equal(ran_text(ran, "clock"), "radio");
	assert_string_equal(ran_text(ran, "late"), "skip");
	if (ran_number(ran, "slots.run") != SLOTS || ran_number(ran, "slots.skipped") != 0)
		fail_msg("slots: %g run, %g skipped: %.2000s", ran_number(ran, "slots.run"),
		    ran_number(ran, "slots.skipped"), ran->out);
	assert_true(ran_number(ran, "radio.flywheeled") == 0);
	if (ran_number(ran, "radio.lost") != lost)
		fail_msg("%g packets were lost, not %g", ran_number(ran, "radio.lost"), lost);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		snprintf(path, sizeof(path), "radio.%s", none[i]);
		if (ran_number(ran, path) != 0)
			fail_msg("%s: %g", path, ran_number(ran, path));
	}
	for (unsigned c = 0; c < channels; c++) {
		snprintf(path, sizeof(path), "radio.channels.%u.packets", c);
		assert_true(ran_number(ran, path) >= SLOTS - (c == 0 ? lost : 0));
	}
}

/* Every sample that was played is as old as it has to be: no slot was taken for another. */
static void check_played(const struct sim *sim, size_t channel, double packets)
{
	assert_true(
	    sim_said(sim, channel, "tx_packets") == packets + 1); /* and the end of the burst */
	assert_true(
	    sim_said(sim, channel, "tx_late") == 0 && sim_said(sim, channel, "tx_underruns") == 0);
	assert_true(sim_said(sim, channel, "min") == ADVANCE * 1000.0 &&
	    sim_said(sim, channel, "max") == ADVANCE * 1000.0);
}

/* ---- what there is to see ---- */

static void test_one_channel(void **state)
{
	struct sim sim;
	struct ran *ran;

	(void)state;
	pass_conf(1, 256);
	radio_conf("radio: { " RADIO "address = \"127.0.0.7\"; };\n");
	sim_start(&sim, (const char *const[]){"--lead", "6000", NULL});
	ran = run_pass("");
	sim_stop(&sim);
	check_counts(ran, 1, 0);
	assert_true(
	    ran_number(ran, "messages.absent") == 0 && ran_number(ran, "radio.sent") == SLOTS);
	check_played(&sim, 0, SLOTS);
	json_decref(sim.said);
	ran_free(ran);
}

/* A slot of four packets, and a device that loses three of those: each costs its own slot. */
static void test_lost_packets(void **state)
{
	static const double touched = 3; /* slots */
	struct sim sim;
	struct ran *ran;

	(void)state;
	pass_conf(1, 1024);
	radio_conf("radio: { " RADIO "address = \"127.0.0.7\"; spp = 256; };\n");
	sim_start(&sim,
	    (const char *const[]){"--lead", "16000", "--fault-rx", "loss=@401+1000+4002", NULL});
	ran = run_pass("");
	sim_stop(&sim);
	check_counts(ran, 1, 3);
	assert_true(ran_number(ran, "radio.partial") == touched);
	assert_true(ran_variable(ran, "rx0.slots_short") == touched);
	assert_true(ran_variable(ran, "rx0.samples_missing") == 256 * touched);
	assert_true(ran_variable(ran, "tx0.slots_absent") == touched); /* silence in their place */
	assert_true(ran_number(ran, "radio.sent") == 4 * SLOTS);
	check_played(&sim, 0, 4 * SLOTS);
	json_decref(sim.said);
	ran_free(ran);
}

/* What has been overtaken on the wire has its place in its slot, and is not lost. */
static void test_reordered_packets(void **state)
{
	struct sim sim;
	struct ran *ran;

	(void)state;
	pass_conf(1, 1024);
	radio_conf("radio: { " RADIO "address = \"127.0.0.7\"; spp = 256; };\n");
	sim_start(
	    &sim, (const char *const[]){"--lead", "16000", "--fault-rx", "reorder=@401/100", NULL});
	ran = run_pass("");
	sim_stop(&sim);
	check_counts(ran, 1, 0);
	assert_true(ran_number(ran, "radio.reordered") >= 4 * SLOTS / 100 - 5);
	assert_true(ran_number(ran, "radio.partial") == 0);
	check_played(&sim, 0, 4 * SLOTS);
	json_decref(sim.said);
	ran_free(ran);
}

/* How many times the second channel's start came too late for it. */
static double two(const char *radios, const char *const *more, size_t second)
{
	struct sim sim;
	struct ran *ran;
	double late;

	pass_conf(2, 256);
	radio_conf(radios);
	sim_start(&sim, more);
	ran = run_pass("");
	sim_stop(&sim);
	check_counts(ran, 2, 0);
	assert_true(
	    ran_number(ran, "radio.partial") == 0 && ran_number(ran, "messages.absent") == 0);
	check_played(&sim, 0, SLOTS);
	check_played(&sim, second, SLOTS);
	late = sim_said(&sim, second, "rx_late");
	json_decref(sim.said);
	ran_free(ran);
	return late;
}

static void test_two_channels(void **state)
{
	(void)state;
	two("radio: { " RADIO "address = \"127.0.0.7\"; channel = [0, 2]; };\n",
	    (const char *const[]){"--lead", "6000", NULL}, 2);
}

/* The writes of the second channel's start come 150 ms after its time has been chosen, which was to
 * be 100 ms later: both channels begin together all the same. Where those writes are among all, a
 * run tells that was late. */
static void test_late_start(void **state)
{
	double late = 0;

	(void)state;
	for (int n = 140; n <= 143; n++) { /* 35 and 34 of them ask what the device is */
		char stall[64];

		snprintf(stall, sizeof(stall), "stall=@%d:150000,of=control", n);
		late += two("radio: { " RADIO "address = \"127.0.0.7\"; channel = [0, 2]; };\n",
		    (const char *const[]){"--lead", "6000", "--fault-tx", stall, NULL}, 2);
	}
	assert_true(late > 0);
}

/* Both over one port that the kernel does not see. */
static void test_memif(void **state)
{
	const char *missing = x310_rig_missing(&x310_rig_wires[1]);
	char port[512], radio[1024];

	(void)state;
	if (missing != NULL) {
		print_message("not here: %s\n", missing);
		skip();
	}
	snprintf(port, sizeof(port), "net_memif0,role=server,socket=%s,socket-abstract=no",
	    aloe_path("memif"));
	snprintf(radio, sizeof(radio),
	    "radio: { type = \"x310\"; transport = \"dpdk\"; patience_ms = 100000.0; tx_advance = "
	    "60000; flow_control = true;\n"
	    "address = \"192.168.40.2\"; own_address = \"192.168.40.1\"; channel = [0, 2];\n"
	    "port = \"net_memif0,role=client,socket=%s,socket-abstract=no\"; };\n",
	    aloe_path("memif"));
	two(radio, (const char *const[]){"--lead", "6000", "--port", port, NULL}, 2);
}

/* Two devices, each by a port of its own that the kernel does not see. */
static void test_two_ports(void **state)
{
	const char *missing = x310_rig_missing(&x310_rig_wires[1]);
	char ports[2][512], hosts[2][512], radio[2048];

	(void)state;
	if (missing != NULL) {
		print_message("not here: %s\n", missing);
		skip();
	}
	for (unsigned i = 0; i < 2; i++) {
		const char *path = aloe_path(i == 0 ? "memif0" : "memif1");

		snprintf(ports[i], sizeof(ports[i]),
		    "net_memif%u,role=server,socket=%s,socket-abstract=no", i, path);
		snprintf(hosts[i], sizeof(hosts[i]),
		    "{ type = \"x310\"; transport = \"dpdk\"; patience_ms = 100000.0; tx_advance = "
		    "60000; flow_control = true; address = \"192.168.40.%u\"; own_address = "
		    "\"192.168.40.%u\"; port = "
		    "\"net_memif%u,role=client,socket=%s,socket-abstract=no\"; }",
		    2 + i, 11 + i, i, path);
	}
	snprintf(radio, sizeof(radio), "radio = ( %s,\n%s );\n", hosts[0], hosts[1]);
	two(radio,
	    (const char *const[]){
	        "--lead", "6000", "--devices", "2", "--port", ports[0], "--port", ports[1], NULL},
	    4);
}

/* Both hear from one tick on, and what they send is as old. */
static void test_two_devices(void **state)
{
	(void)state;
	two("radio = ( { " RADIO "address = \"127.0.0.7\"; }, { " RADIO
	    "address = \"127.0.0.8\"; } );\n",
	    (const char *const[]){"--lead", "6000", "--devices", "2", NULL}, 4);
}

/* A Tx packet that does not come costs what was sent until the device has said so: then the samples
 * have their time again. A device that could stop there (UHD 4.9) does so only for who asks for it,
 * and we do not. */
static void lost_tx(const char *const *more)
{
	struct sim sim;
	struct ran *ran;

	pass_conf(1, 256);
	radio_conf("radio: { " RADIO "address = \"127.0.0.7\"; };\n");
	sim_start(&sim, more);
	ran = run_pass("");
	sim_stop(&sim);
	assert_true(
	    ran_number(ran, "radio.sent") == SLOTS && ran_number(ran, "radio.sequence") == 1);
	assert_true(
	    sim_said(&sim, 0, "tx_sequence_errors") == 1 && sim_said(&sim, 0, "tx_discarded") == 0);
	assert_true(
	    sim_said(&sim, 0, "tx_packets") == SLOTS); /* one less, and the end of the burst */
	assert_true(sim_said(&sim, 0, "min") == (ADVANCE - 256) * 1000.0);
	assert_true(sim_said(&sim, 0, "max") == ADVANCE * 1000.0);
	assert_true(sim_said(&sim, 0, "p50") >= ADVANCE * 980.0); /* of most */
	json_decref(sim.said);
	ran_free(ran);
}

/* Untimed, nobody can mend it: it is counted, and what follows is sent as it comes. */
static void lost_tx_untimed(void)
{
	struct sim sim;
	struct ran *ran;

	pass_conf(1, 256);
	radio_conf("radio: { type = \"x310\"; transport = \"udp\"; patience_ms = 100000.0; "
	           "flow_control = true; address = \"127.0.0.7\"; };\n");
	sim_start(&sim, (const char *const[]){"--lead", "6000", "--fault-tx", "loss=@401", NULL});
	ran = run_pass("");
	sim_stop(&sim);
	assert_true(
	    ran_number(ran, "radio.sent") == SLOTS && ran_number(ran, "radio.sequence") == 1);
	assert_true(sim_said(&sim, 0, "tx_packets") == SLOTS && sim_said(&sim, 0, "tx_late") == 0);
	json_decref(sim.said);
	ran_free(ran);
}

static void test_lost_tx(void **state)
{
	(void)state;
	lost_tx_untimed();
	lost_tx((const char *const[]){"--lead", "6000", "--fault-tx", "loss=@401", NULL});
	lost_tx((const char *const[]){
	    "--lead", "6000", "--fault-tx", "loss=@401", "--stop-on-error", NULL});
}

/* What comes too late is left out by the device, and said; the stream goes on. */
static void test_late_tx(void **state)
{
	struct sim sim;
	struct ran *ran;

	(void)state;
	pass_conf(1, 256);
	radio_conf("radio: { type = \"x310\"; transport = \"udp\"; patience_ms = 100000.0; "
	           "flow_control = true; address = \"127.0.0.7\"; tx_advance = 300; };\n");
	sim_start(&sim, (const char *const[]){"--lead", "6000", NULL});
	ran = run_pass("");
	sim_stop(&sim);
	assert_true(
	    ran_number(ran, "radio.sent") == SLOTS && ran_number(ran, "radio.sequence") == 0);
	assert_true(ran_number(ran, "radio.late") > 0);
	assert_true(sim_said(&sim, 0, "tx_late") >= ran_number(ran, "radio.late"));
	assert_true(sim_said(&sim, 0, "tx_late") + sim_said(&sim, 0, "tx_packets") == SLOTS + 1);
	json_decref(sim.said);
	ran_free(ran);
}

/* ---- two nodes, one device ---- */

enum { NODE_SLOTS = 3000, HEARD_SLOTS = 1000, SLOT_BYTES = 4 * 1024 };

/* A node that has the device answers it; one that listens does not. */
static const char *node_conf(const char *name, bool answers)
{
	char text[1024], file[64];
	const int len = snprintf(text, sizeof(text),
	    "name = \"%s\";\nclock = \"radio\";\nslot_samples = 1024;\nrate = 1e6;\n"
	    "instances: {\n\trx: { component = \"radio_rx\"; type = \"ci16\"; missing = \"zeros\"; "
	    "};\n"
	    "\tkept: { component = \"file_sink\"; buffer_ms = 5000; path = \"%s\"; };\n%s};\n"
	    "links = ( \"rx -> kept\"%s );\n",
	    name, aloe_path(name), answers ? "\ttx: { component = \"radio_tx\"; };\n" : "",
	    answers ? ", \"rx -> tx\"" : "");

	snprintf(file, sizeof(file), "%s.conf", name);
	file_make(aloe_path(file), text, (size_t)len);
	return aloe_path(file);
}

#define HEARD                                                                                      \
	"multicast = \"239.255.10.1:50123\"; own_address = \"127.0.0.1\"; address = "              \
	"\"127.0.0.7\"; spp = 256; "

static bool joined(void)
{
	FILE *file = fopen("/proc/net/igmp", "r");
	bool is = false;
	char line[256];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		is |= strstr(line, "010AFFEF") != NULL; /* 239.255.10.1 */
	fclose(file);
	return is;
}

static pid_t listener(void)
{
	const char *const argv[] = {aloe_program("aloe"), "run", node_conf("heard", false),
	    "--radio", aloe_path("listen.conf"), "--slots", "1000", "--lanes", "1", "--json", "-q",
	    NULL};
	static const char *const radio =
	    "radio: { type = \"x310\"; transport = \"udp\"; patience_ms = 100000.0; " HEARD
	    "listen = true; };\n";
	pid_t pid;

	file_make(aloe_path("listen.conf"), radio, strlen(radio));
	pid = node_start(argv, "listened", "listener");
	for (int status; !joined();) {
		/* as tests/common/aloe.h: somebody has the lane's CPU */
		if (waitpid(pid, &status, WNOHANG) == pid) {
			node_child(pid, 0);
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) == USAGE);
			pid = node_start(argv, "listened", "listener");
		}
		usleep(10000);
	}
	return pid;
}

/* Samples that both have are the same, each tells its time; how many, and how many the second one
 * lacks. */
static size_t same(
    const uint32_t *a, size_t all, const uint32_t *b, size_t some, size_t *ret_missing)
{
	size_t from = 0, first = 0, n = 0;

	*ret_missing = 0;
	while (first < some && b[first] == 0)
		first++;
	while (first < some && from < all && a[from] != b[first])
		from++;
	assert_true(first < some && from >= first && from < all);
	from -= first;
	assert_int_equal(from % (SLOT_BYTES / 4), 0); /* slots begin where slots begin */
	for (size_t i = 0; i < some; i++) {
		const bool both = from + i < all && a[from + i] != 0 && b[i] != 0;

		*ret_missing += b[i] == 0;
		n += both;
		if (both && a[from + i] != b[i])
			fail_msg("sample %zu: %x, not %x", i, b[i], a[from + i]);
	}
	return n;
}

/* One has the device and answers it, the other listens and says nothing: its slots are the same, to
 * the sample. What a socket has no room for on a busy machine is missing, and counted. */
static void test_two_nodes(void **state)
{
	struct sim sim;
	struct ran *ran, heard = {0};
	size_t all, some, missing, both;
	uint32_t *a, *b;
	pid_t pid;

	(void)state;
	radio_conf("radio: { " RADIO HEARD "};\n");
	sim_start(&sim,
	    (const char *const[]){"--lead", "16000", "--rx-multicast", "239.255.10.1:50123", NULL});
	pid = listener();
	ran = aloe_ok("run '%s' --radio '%s' --slots %d --lanes 0 --json -q",
	    node_conf("had", true), aloe_path("radio.conf"), NODE_SLOTS);
	heard.report = node_end(pid, 0, "listened");
	sim_stop(&sim);
	a = file_take(aloe_path("had"), &all);
	b = file_take(aloe_path("heard"), &some);
	assert_true(all == NODE_SLOTS * SLOT_BYTES && some == HEARD_SLOTS * SLOT_BYTES);
	both = same(a, all / 4, b, some / 4, &missing);
	print_message("%zu samples in common, %zu missing\n", both, missing);
	assert_true(both >= 10 * SLOT_BYTES / 4);
	assert_true(ran_number(&heard, "radio.sent") == 0);
	assert_true(ran_variable(&heard, "rx.samples_missing") == (double)missing);
	assert_true((ran_number(&heard, "radio.partial") > 0) == (missing > 0));
	free(a);
	free(b);
	json_decref(sim.said);
	json_decref(heard.report);
	ran_free(ran);
}

/* Whose radio is never heard has no slot in which it could end: it is stopped at once. */
static void test_never_heard(void **state)
{
	struct ran ran = {0};
	pid_t pid = listener();

	(void)state;
	usleep(500000); /* it waits for the first packet then */
	kill(pid, SIGINT);
	ran.report = node_end(pid, INTERRUPTED, "listened");
	assert_true(ran_number(&ran, "slots.run") == 0 && ran_number(&ran, "radio.packets") == 0);
	assert_string_equal(ran_text(&ran, "state"), "STOP");
	json_decref(ran.report);
}

/* ---- refused ------------------------------------------------------------------------ */

static void refused(const char *words, const char *options)
{
	struct ran *ran = aloe("run '%s' --slots 10 %s", aloe_path("pass.conf"), options);

	if (ran->status != USAGE || !strstr(ran->err, words))
		fail_msg("aloe run %s: exit %d, no `%s`: %s%s", options, ran->status, words,
		    ran->out, ran->err);
	ran_free(ran);
}

static void refused_radio(const char *words, const char *radio)
{
	char options[512];

	snprintf(options, sizeof(options), "--radio '%s'", radio_conf(radio));
	refused(words, options);
}

static void test_refused(void **state)
{
	(void)state;
	pass_conf(1, 256);
	refused("clock \"radio\" needs a radio; give --radio FILE", "");
	refused("cannot be read", "--radio /nowhere.conf");
	refused_radio("the file has no radio; radio: {", "name = \"x\";\n");
	refused_radio("radio.conf:1: radio: address is missing",
	    "radio: { type = \"x310\"; transport = \"udp\"; };\n");
	refused_radio("radio.conf:1: transport = \"tcp\" is unknown; allowed: udp, dpdk",
	    "radio: { type = \"x310\"; transport = \"tcp\"; address = \"127.0.0.7\"; };\n");
	refused_radio("radio.conf:1: unknown key \"adress\" of a radio, did you mean \"address\"?",
	    "radio: { " RADIO "adress = \"127.0.0.7\"; };\n");
	refused_radio("radio.conf:1: a radio of clock_rate 184320000 cannot have the rate 1000000",
	    "radio: { " RADIO "address = \"127.0.0.7\"; clock_rate = 184.32e6; };\n");
	refused_radio("radio.conf:1: the radio was initialised with the rate 2000000",
	    "radio: { " RADIO "address = \"127.0.0.7\"; rate = 2e6; };\n");
	refused_radio(
	    "the radio only listens (listen = true in the radio file), so radio_tx cannot send",
	    "radio: { " RADIO HEARD "listen = true; };\n");
	refused_radio(
	    "radio: 127.0.0.9 port 49153, channel 0: no answer from the device; check its "
	    "power, the cable, `address` in the radio file",
	    "radio: { " RADIO "address = \"127.0.0.9\"; };\n");
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test_teardown(test_one_channel, node_end_all),
	    cmocka_unit_test_teardown(test_lost_packets, node_end_all),
	    cmocka_unit_test_teardown(test_reordered_packets, node_end_all),
	    cmocka_unit_test_teardown(test_two_channels, node_end_all),
	    cmocka_unit_test_teardown(test_two_devices, node_end_all),
	    cmocka_unit_test_teardown(test_late_start, node_end_all),
	    cmocka_unit_test_teardown(test_memif, node_end_all),
	    cmocka_unit_test_teardown(test_two_ports, node_end_all),
	    cmocka_unit_test_teardown(test_refused, node_end_all),
	    cmocka_unit_test_teardown(test_lost_tx, node_end_all),
	    cmocka_unit_test_teardown(test_late_tx, node_end_all),
	};
	const struct CMUnitTest two_lanes[] = {
	    cmocka_unit_test_teardown(test_two_nodes, node_end_all),
	    cmocka_unit_test_teardown(test_never_heard, node_end_all),
	};
	int failed = ALOE_PART("lanes", lanes, aloe_init, aloe_fini);

	return failed + ALOE_PART("two", two_lanes, aloe_init, aloe_fini);
}
