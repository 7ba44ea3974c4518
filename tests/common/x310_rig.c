/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/x310_rig.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/registry/registry.h"
#include "platforms/udp/udp.h"
#include "tests/common/aloe.h"

enum {
	HOST_IP = 0xc0a82801,
	SIM_IP = 0xc0a82802,
	LOOPBACK = 0x7f000001,
	LOOPBACK_SIM = 0x7f000003,
	PATIENCE_S = 30,
	QUIET_NS = 30000000
};

const struct x310_rig_wire x310_rig_wires[RIG_WIRES] = {
    {.name = "udp"},
    {.name = "memif",
        .host = "net_memif0,role=client,socket=%s/memif,socket-abstract=no,bsize=2304,rsize=12",
        .sim = "net_memif0,role=server,socket=%s/memif,socket-abstract=no,bsize=2304,rsize=12"},
    {.name = "af_packet",
        .host = "net_af_packet0,iface=x310host,qdisc_bypass=1",
        .sim = "net_af_packet0,iface=x310sim,qdisc_bypass=1",
        .needs = "ip link add x310host type veth peer name x310sim && ip link set x310host up && "
                 "ip link set x310sim up",
        .undo = "ip link del x310host",
        .silent = true,
        .spp_max = 364},
};

/* ---- DPDK ------------------------------------------------------------------------ */

/* lib/aloe-transports of the build; programs of tests lie deeper than it thinks. */
static void tell_transports(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", aloe_program("x310sim"));
	*strrchr(path, '/') = 0;
	strcpy(strrchr(path, '/'), "/lib/aloe-transports");
	setenv("ALOE_TRANSPORTS", path, 1);
}

const struct transport_kind *x310_rig_kind(const struct x310_rig_wire *wire)
{
	const void *symbol;
	struct diag diag;

	if (wire->host == NULL)
		return &transport_udp;
	tell_transports();
	diag_init(&diag);
	symbol = library_find("dpdk", "transport_dpdk", &diag);
	diag_fini(&diag);
	return symbol;
}

static bool run(const char *command)
{
	char quiet[512];

	if (command == NULL)
		return true;
	snprintf(quiet, sizeof(quiet), "{ %s; } >/dev/null 2>&1", command);
	return system(quiet) == 0;
}

const char *x310_rig_missing(const struct x310_rig_wire *wire)
{
	if (x310_rig_kind(wire) == NULL)
		return "lib/aloe-transports/dpdk.so was not built: libdpdk-dev is not installed";
	run(wire->undo); /* of a run that was killed */
	if (!run(wire->needs)) {
		run(wire->undo);
		return "a pair of virtual Ethernet devices cannot be made: CAP_NET_ADMIN is needed";
	}
	run(wire->undo);
	return NULL;
}

/* ---- x310sim ------------------------------------------------------------------------ */

static const char *port_of(const char *pattern, char *text, size_t size)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", aloe_path(""));
	folder[strlen(folder) - 1] = 0;
	snprintf(text, size, pattern, folder);
	return text;
}

static void exec_sim(const struct x310_rig_wire *wire, const struct x310_rig_options *options)
{
	const char *argv[32] = {aloe_program("x310sim"), "--json", "--address", "127.0.0.3"};
	char port[PATH_MAX];
	int n = 4;

	if (options->source) {
		argv[n++] = "--source";
		argv[n++] = options->source;
	}
	if (options->record) {
		argv[n++] = "--record";
		argv[n++] = options->record;
	}
	for (const char *const *more = options->more; more && *more; more++)
		argv[n++] = *more;
	if (wire->sim) {
		argv[n++] = "--port-bytes";
		argv[n++] = "2176";
		argv[n++] = "--port";
		argv[n++] = port_of(wire->sim, port, sizeof(port));
	}
	aloe_off_lane();
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nothing behind */
	if (!freopen(aloe_path("said"), "w", stdout) || !freopen(aloe_path("errors"), "w", stderr))
		_exit(3);
	execv(argv[0], (char **)(uintptr_t)argv);
	_exit(4);
}

static bool file_has(const char *path, const char *word)
{
	size_t len;
	char *text = file_take(path, &len);
	const bool has = memmem(text, len, word, strlen(word)) != NULL;

	free(text);
	return has;
}

static void start_sim(struct x310_rig *rig, const struct x310_rig_options *options)
{
	file_make(aloe_path("errors"), "", 0);
	fflush(NULL);
	rig->pid = fork();
	assert_true(rig->pid >= 0);
	if (rig->pid == 0)
		exec_sim(rig->wire, options);
	for (int i = 0; !file_has(aloe_path("errors"), "ready on"); i++) {
		if (i == 100 * PATIENCE_S || waitpid(rig->pid, NULL, WNOHANG) != 0) {
			size_t len;
			print_error("%s\n", (char *)file_take(aloe_path("errors"), &len));
			fail_msg("x310sim does not begin");
		}
		usleep(10000);
	}
}

/* ---- x310-init ------------------------------------------------------------------------ */

static void exec_init(const struct x310_rig_options *options)
{
	char rate[32], spp[32];

	snprintf(rate, sizeof(rate), "%.9g", 1e6 * RIG_TICKS_PER_US / options->ticks_per_sample);
	snprintf(spp, sizeof(spp), "%u", options->spp);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!freopen(aloe_path("made"), "w", stdout) ||
	    !freopen(aloe_path("init-errors"), "w", stderr))
		_exit(3);
	execl(aloe_program("x310-init"), "x310-init", "127.0.0.3", "--json", "--rate", rate,
	    "--spp", spp, "--subdev", options->uhd, NULL);
	_exit(4);
}

static void start_init(struct x310_rig *rig, const struct x310_rig_options *options)
{
	struct diag diag;
	char *text;
	size_t len;

	file_make(aloe_path("init-errors"), "", 0);
	fflush(NULL);
	rig->init = fork();
	assert_true(rig->init >= 0);
	if (rig->init == 0)
		exec_init(options);
	for (int i = 0; !file_has(aloe_path("init-errors"), "ready"); i++) {
		if (i == 100 * PATIENCE_S || waitpid(rig->init, NULL, WNOHANG) != 0) {
			print_error("%s\n", (char *)file_take(aloe_path("init-errors"), &len));
			fail_msg("x310-init does not make the device ready");
		}
		usleep(10000);
	}
	text = file_take(aloe_path("made"), &len);
	diag_init(&diag);
	rig->made = json_read("x310-init", text, len, &diag);
	assert_non_null(rig->made);
	diag_fini(&diag);
	free(text);
}

/* ---- the radio ------------------------------------------------------------------------ */

static void open_transport(struct x310_rig *rig, const struct x310_rig_options *options)
{
	const bool loopback = rig->wire->host == NULL;
	char port[PATH_MAX], why[TRANSPORT_WHY] = "";
	const struct transport_options transport = {
	    .own = {loopback ? LOOPBACK : HOST_IP, loopback ? 0 : 50000},
	    .packets = 4096,
	    .packet_bytes = RIG_PACKET,
	    .queue_bytes = options->queue_bytes,
	    .port = loopback ? NULL : port_of(rig->wire->host, port, sizeof(port)),
	};

	if (transport_open(x310_rig_kind(rig->wire), &transport, why, &rig->transport) < 0)
		fail_msg("%s", why);
}

void x310_rig_fail(struct x310_rig *rig, const char *why)
{
	const struct transport_counts *counts = &rig->transport->counts;
	size_t len;

	kill(rig->pid, SIGTERM);
	waitpid(rig->pid, NULL, 0);
	rig->pid = 0;
	print_error("x310sim counted %s\n", (char *)file_take(aloe_path("said"), &len));
	fail_msg(
	    "%s: %s (%llu packets sent, %llu held back, %llu unknown, %llu received, %llu dropped)",
	    rig->wire->name, why, (unsigned long long)counts->sent,
	    (unsigned long long)counts->held_back, (unsigned long long)counts->unknown,
	    (unsigned long long)counts->received, (unsigned long long)counts->dropped);
}

static uint64_t number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	assert_true(json_is_integer(value));
	return (uint64_t)json_integer_value(value);
}

/* What x310-init says is all that is needed. */
static void take_over(const struct x310_rig *rig, struct x310_options *radio)
{
	const json_t *channel = json_array_get(json_object_get(rig->made, "channels"), 0);

	radio->initialised = true;
	radio->own = (uint16_t)number(channel, "own_endpoint");
	radio->number = (uint16_t)number(channel, "number");
}

const char *x310_rig_try(struct x310_rig *rig, const struct x310_rig_options *options)
{
	struct x310_options radio = {
	    .device = {(rig->wire->host ? SIM_IP : LOOPBACK_SIM) + rig->device, CHDR_PORT},
	    .own = 0x100,
	    .rx = options->rx,
	    .tx = options->tx,
	    .window =
	        options->window.bytes ? options->window : (struct stream_total){1 << 20, 0xffffff},
	    .frequency = {1 << 17, 0xffffff},
	    .lossy = true,
	};
	const uint64_t end = clock_ns() + PATIENCE_S * 1000000000ull;
	struct x310_packet packets[TRANSPORT_BURST];

	if (options->free_running)
		radio.frequency = (struct stream_total){0, 0};
	if (rig->made)
		take_over(rig, &radio);
	while (!transport_up(rig->transport) && clock_ns() < end)
		usleep(1000);
	x310_open(&rig->radio, &radio, rig->transport, clock_ns());
	x310_configure(&rig->radio, options->spp, options->ticks_per_sample);
	while (!x310_ready(&rig->radio)) {
		x310_release(&rig->radio, packets,
		    x310_receive(&rig->radio, clock_ns(), packets, TRANSPORT_BURST));
		if (x310_failed(&rig->radio))
			return x310_failed(&rig->radio);
		if (clock_ns() > end)
			return "the streams do not stand";
	}
	return rig->radio.control.refused ? "the device refused an access" : NULL;
}

static void stand(struct x310_rig *rig, const struct x310_rig_options *options)
{
	const char *why = x310_rig_try(rig, options);

	if (why)
		x310_rig_fail(rig, why);
}

void x310_rig_start(
    struct x310_rig *rig, const struct x310_rig_wire *wire, const struct x310_rig_options *options)
{
	*rig = (struct x310_rig){.wire = wire};
	assert_true(run(wire->needs));
	start_sim(rig, options);
	if (options->uhd)
		start_init(rig, options);
	open_transport(rig, options);
	stand(rig, options);
}

void x310_rig_simulate(struct x310_rig *rig, const struct x310_rig_options *options)
{
	start_sim(rig, options);
}

void x310_rig_attach(struct x310_rig *rig, const struct x310_rig_options *options)
{
	open_transport(rig, options);
}

void x310_rig_join(struct x310_rig *rig, const struct x310_rig_options *options)
{
	*rig = (struct x310_rig){.wire = &x310_rig_wires[0], .device = 1};
	open_transport(rig, options);
	stand(rig, options);
}

/* ---- the end ------------------------------------------------------------------------ */

void x310_rig_stop(struct x310_rig *rig)
{
	struct x310_packet packets[TRANSPORT_BURST];
	struct diag diag;
	int status;
	char *text;
	size_t len;
	unsigned n;
	uint64_t quiet;

	/* not after its end: a port's driver may take down what we are looking at */
	for (quiet = clock_ns(); clock_ns() - quiet < QUIET_NS;) {
		n = x310_receive(&rig->radio, clock_ns(), packets, TRANSPORT_BURST);
		x310_release(&rig->radio, packets, n);
		quiet = n ? clock_ns() : quiet;
	}
	transport_count(rig->transport);
	if (rig->init > 0) {
		kill(rig->init, SIGTERM);
		assert_int_equal(waitpid(rig->init, &status, 0), rig->init);
		rig->init = 0;
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	kill(rig->pid, SIGTERM);
	assert_int_equal(waitpid(rig->pid, &status, 0), rig->pid);
	rig->pid = 0;
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	text = file_take(aloe_path("said"), &len);
	diag_init(&diag);
	rig->said = json_read("x310sim", text, len, &diag);
	diag_print(&diag, stderr);
	assert_non_null(rig->said);
	diag_fini(&diag);
	free(text);
}

void x310_rig_close(struct x310_rig *rig)
{
	if (rig->init > 0) {
		kill(rig->init, SIGKILL);
		waitpid(rig->init, NULL, 0);
	}
	json_decref(rig->made);
	if (rig->pid > 0) {
		kill(rig->pid, SIGKILL);
		waitpid(rig->pid, NULL, 0);
	}
	transport_close(rig->transport);
	json_decref(rig->said);
	unlink(aloe_path("memif"));
	run(rig->wire->undo);
	*rig = (struct x310_rig){.wire = rig->wire};
}

uint64_t x310_rig_said(const struct x310_rig *rig, const char *name)
{
	return number(rig->said, name);
}

uint64_t x310_rig_port(const struct x310_rig *rig, const char *name)
{
	return number(
	    json_array_get(json_object_get(rig->said, "sfp"), rig->wire->host != NULL), name);
}

uint64_t x310_rig_channel(const struct x310_rig *rig, const char *name)
{
	return number(json_array_get(json_object_get(rig->said, "channels"), 0), name);
}
