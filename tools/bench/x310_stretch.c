/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/x310.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/file.h"
#include "core/report/report.h"

enum {
	PATH = 4096,
	LONGER = PATH + 128,
	TRIES = 3,
	READY_MS = 10000,
	LOOK_MS = 20,
	NICE = -20,
	FRAME = 2304,
	PACKET = 2176
};

struct sim {
	pid_t pid;
	int out, err;
	char ip[32];
};

/* ---- x310sim ------------------------------------------------------------------------ */

static void port_of(const struct bench *bench, const char *role, char *ret, size_t size)
{
	snprintf(ret, size,
	    "net_memif0,role=%s,socket=%s/memif,socket-abstract=no,bsize=%d,rsize=14", role,
	    bench->dir, FRAME);
}

static _Noreturn void become_sim(const struct bench *bench, const struct sim *sim, bool dpdk)
{
	char program[PATH], port[LONGER], bytes[16];
	char *argv[] = {program, "--json", "--source", "ticks", "--address", (char *)sim->ip, NULL,
	    NULL, NULL, NULL, NULL};
	sigset_t none;
	cpu_set_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	CPU_ZERO(&set);
	CPU_SET((size_t)bench->cpus[bench->n_cpus - 1], &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	port_of(bench, "server", port, sizeof(port));
	snprintf(bytes, sizeof(bytes), "%d", PACKET);
	if (dpdk) {
		argv[6] = "--port-bytes";
		argv[7] = bytes;
		argv[8] = "--port";
		argv[9] = port;
	}
	if (child_path("x310sim", program, sizeof(program)) == 0 &&
	    dup2(sim->out, STDOUT_FILENO) >= 0 && dup2(sim->err, STDERR_FILENO) >= 0)
		execv(program, argv);
	_exit(127);
}

static char *output_read(int fd)
{
	const off_t len = lseek(fd, 0, SEEK_END);
	char *text = len < 0 ? NULL : calloc(1, (size_t)len + 1);

	if (text && pread(fd, text, (size_t)len, 0) < 0)
		text[0] = 0;
	return text;
}

static bool sim_runs(const struct sim *sim)
{
	siginfo_t info = {0};

	return sim->pid > 0 &&
	    waitid(P_PID, (id_t)sim->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    info.si_pid == 0;
}

static bool is_ready(const struct sim *sim)
{
	char *text = output_read(sim->err);
	const bool ready = text && strstr(text, "ready on");

	free(text);
	return ready;
}

/* Ends it and gives its counts; NULL, with what it said of it. */
static json_t *sim_end(struct bench *bench, struct sim *sim)
{
	char *text, *errors, why[64];
	json_t *counts = NULL;
	int status = 0;

	if (sim->pid > 0) {
		kill(sim->pid, SIGTERM);
		while (waitpid(sim->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	text = output_read(sim->out);
	errors = output_read(sim->err);
	if (text)
		counts = json_loads(text, 0, NULL);
	if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "ended by signal %d (%s)", WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
	else
		snprintf(why, sizeof(why), "exit status %d", WEXITSTATUS(status));
	if (counts == NULL)
		cli_fail(bench->args, "x310sim failed: %s%s%s", why,
		    errors && errors[0] ? "; " : "", errors ? errors : "");
	free(text);
	free(errors);
	close(sim->out);
	close(sim->err);
	return counts;
}

static int sim_begin(struct bench *bench, bool dpdk, struct sim *ret)
{
	const unsigned own = (unsigned)getpid();
	char memif[LONGER];

	snprintf(memif, sizeof(memif), "%s/memif", bench->dir);
	(void)unlink(memif); /* of one that was killed */
	*ret = (struct sim){
	    .out = memfd_create("counts", MFD_CLOEXEC), .err = memfd_create("errors", MFD_CLOEXEC)};
	snprintf(ret->ip, sizeof(ret->ip), "127.%u.%u.%u", 1 + (own >> 16) % 250, own >> 8 & 255,
	    1 + own % 250);
	fflush(NULL);
	ret->pid = ret->out < 0 || ret->err < 0 ? -1 : fork();
	if (ret->pid == 0)
		become_sim(bench, ret, dpdk);
	for (int ms = 0; ms < READY_MS && sim_runs(ret); ms += LOOK_MS) {
		if (is_ready(ret))
			return CLI_OK;
		if (run_wait(bench, NULL, 0, LOOK_MS) == -EINTR)
			break;
	}
	json_decref(sim_end(bench, ret));
	return bench->interrupts ? BENCH_INTERRUPTED : CLI_FAILED;
}

/* ---- hosts ------------------------------------------------------------------------ */

/* Not all of them are installed: some lie beside the folder of the programs, in a build. */
static const char *program_of(enum x310_host host, bool emulates)
{
	if (host == X310_UHD)
		return "../peers/uhd";
	return emulates || host == X310_UPOLS ? "../tests/bench/bench_x310" : "aloe-bench";
}

static int program_path(const char *name, char *ret, size_t size)
{
	char own[PATH];
	int rc = child_path("aloe", own, sizeof(own));

	if (rc < 0)
		return rc;
	*strrchr(own, '/') = 0;
	rc = path_print(ret, size, "%s/%s", own, name);
	return rc < 0 ? rc : access(ret, R_OK) < 0 ? -errno : 0;
}

static int write_platform(
    const struct bench *bench, const struct x310_stretch *stretch, const char *ip, char *ret_path)
{
	char port[LONGER];
	FILE *file;

	snprintf(ret_path, LONGER, "%s/radio.conf", bench->dir);
	file = fopen(ret_path, "we");
	if (file == NULL)
		return -errno;
	port_of(bench, "client", port, sizeof(port));
	/* the device stands still when its machine does: no slots without it meanwhile */
	fprintf(file, "radio: { type = \"x310\"; tx_advance = %.0f; patience_ms = 1000;\n",
	    stretch->advance_us * stretch->rate_hz * 1e-6);
	if (stretch->dpdk)
		fprintf(file,
		    "transport = \"dpdk\"; address = \"192.168.40.2\"; own_address = "
		    "\"192.168.40.1\"; port = \"%s\"; };\n",
		    port);
	else
		fprintf(file, "transport = \"udp\"; address = \"%s\"; };\n", ip);
	return fclose(file) == 0 ? 0 : -errno;
}

static int words_aloe(
    struct bench *bench, const struct x310_stretch *stretch, const char *ip, struct words *words)
{
	char waveform[PATH], platform[LONGER];
	int status = bench_file(bench,
	    stretch->work->emulates ? "x310-channel.conf" : "x310-passthrough.conf", waveform,
	    sizeof(waveform));

	if (status != CLI_OK)
		return status;
	if (write_platform(bench, stretch, ip, platform) < 0)
		return cli_fail(bench->args, "%s cannot be written: %s", platform, strerror(errno));
	words_add(words, "%s", waveform);
	words_add(words, "--radio=%s", platform);
	if (!stretch->work->emulates && !stretch->floats)
		words_add(words, "--set=rx.type=ci16");
	words_add(words, "--set=rate=%.0f", stretch->rate_hz);
	words_add(words, "--set=slot_samples=%u", stretch->work->samples);
	words_add(words, "--slots=%.0f",
	    ceil(stretch->seconds * stretch->rate_hz / stretch->work->samples));
	words_add(words, "--lanes=%d", bench->cpus[0]);
	return CLI_OK;
}

static void words_loop(const struct bench *bench, const struct x310_stretch *stretch,
    const char *ip, struct words *words)
{
	char port[LONGER];

	if (program_path("../lib/aloe-transports", port, sizeof(port)) ==
	    0) /* not every host lies where they are looked for */
		setenv("ALOE_TRANSPORTS", port, 0);
	if (stretch->host == X310_UPOLS)
		words_add(words, "upols");
	else
		words_add(words, stretch->work->emulates ? "fftw" : "x310loop");
	words_add(words, "%s", stretch->dpdk ? "192.168.40.2" : ip);
	words_add(words, "--json");
	words_add(words, "--rate=%.0f", stretch->rate_hz);
	words_add(words, "--spp=%u", stretch->work->samples);
	words_add(words, "--seconds=%g", stretch->seconds);
	words_add(words, "--advance-us=%g", stretch->advance_us);
	words_add(words, "--cpu=%d", bench->cpus[0]);
	if (!stretch->dpdk)
		return;
	port_of(bench, "client", port, sizeof(port));
	words_add(words, "--own-address=192.168.40.1");
	words_add(words, "--port=%s", port);
}

static void words_uhd(const struct x310_stretch *stretch, const char *ip, struct words *words)
{
	words_add(words, "type=x300,addr=%s", ip);
	words_add(words, "rate=%.0f", stretch->rate_hz);
	words_add(words, "spp=%u", stretch->work->samples);
	words_add(words, "seconds=%g", stretch->seconds);
	words_add(words, "advance_us=%g", stretch->advance_us);
	words_add(words, "channel=%d", stretch->work->emulates);
	words_add(words, "cpus=1");
}

/* The reason that its own program gives. */
static const char *without_dpdk(const char *program, char *ret, size_t size)
{
	char command[PATH + 32];
	FILE *pipe;

	snprintf(command, sizeof(command), "'%s' --without-dpdk", program);
	pipe = popen(command, "re");
	ret[0] = 0;
	if (pipe && fgets(ret, (int)size, pipe))
		ret[strcspn(ret, "\n")] = 0;
	if (pipe && pclose(pipe) == 0 && ret[0])
		return ret;
	return "the DPDK transport of UHD takes the whole device, but SFP1 of x310sim carries CHDR "
	       "only";
}

const char *x310_missing(enum x310_host host, bool dpdk, bool emulates, char *ret, size_t size)
{
	char path[PATH];

	if (dpdk && host != X310_UHD &&
	    program_path("../lib/aloe-transports/dpdk.so", path, sizeof(path)) < 0)
		return "lib/aloe-transports/dpdk.so was not built: libdpdk-dev is not installed";
	if (host == X310_ALOE)
		return NULL;
	if (program_path(program_of(host, emulates), path, sizeof(path)) == 0)
		return host == X310_UHD && dpdk ? without_dpdk(path, ret, size) : NULL;
	if (host == X310_UHD)
		return "the peer was not built; `make bench-peers` in the source builds the peers, "
		       "with libuhd-dev, libboost-dev and libfftw3-dev";
	return emulates || host == X310_UPOLS
	    ? "bench_x310 was not built; `make benches` in the source builds bench_x310"
	    : "aloe-bench is not installed";
}

/* ---- figures ------------------------------------------------------------------------ */

/* Delays of x310loop and uhd, in ns. */
static void take_delays(const json_t *delays, struct x310_figures *ret)
{
	ret->delays = report_number(delays, "count");
	ret->p50_us = report_number(delays, "p50") * 1e-3;
	ret->p99_us = report_number(delays, "p99") * 1e-3;
	ret->p999_us = report_number(delays, "p99_9") * 1e-3;
	ret->p9999_us = report_number(delays, "p99_99") * 1e-3;
	ret->max_us = report_number(delays, "max") * 1e-3;
	ret->cells = json_incref(json_object_get(delays, "cells"));
}

static void take_loop(const json_t *report, struct x310_figures *ret)
{
	ret->packets = report_number(report, "packets");
	ret->lost = report_number(report, "lost");
	ret->not_sent = report_number(report, "skipped") + report_number(report, "shut") +
	    report_number(report, "not_taken");
	take_delays(json_object_get(report, "delay_ns"), ret);
	ret->whole_us = NAN;
	if (json_object_get(report, "whole_ns"))
		ret->whole_us = report_number(json_object_get(report, "whole_ns"), "p50") * 1e-3;
}

/* In us, from the edge of a slot to the end of its last component. */
static void take_aloe(const json_t *report, struct x310_figures *ret)
{
	const json_t *radio = json_object_get(report, "radio");
	const json_t *latency = json_object_get(report, "latency"),
	             *delays = json_object_get(latency, "measured_us");

	ret->whole_us = NAN;
	ret->packets = report_number(radio, "packets");
	ret->lost = report_number(radio, "lost");
	ret->not_sent = report_number(radio, "no_room") + report_number(radio, "behind");
	ret->delays = report_number(delays, "count");
	ret->p50_us = report_number(delays, "p50");
	ret->p99_us = report_number(delays, "p99");
	ret->p999_us = report_number(delays, "p999");
	ret->p9999_us = report_number(delays, "p9999");
	ret->max_us = report_number(delays, "max");
	ret->cells = json_incref(json_object_get(latency, "histogram_ns"));
}

/* What only the device knows. */
static void take_sim(const json_t *counts, struct x310_figures *ret)
{
	const json_t *channel = json_array_get(json_object_get(counts, "channels"), 0);
	const json_t *age = json_object_get(channel, "latency");
	const json_t *steady =
	    json_object_get(json_array_get(json_object_get(counts, "devices"), 0), "steady");
	const double sent = report_number(channel, "rx_packets");

	ret->windows = report_number(steady, "windows");
	ret->paced = report_number(steady, "paced");
	ret->answered = report_number(steady, "answered");
	ret->in_time = report_number(steady, "in_time");
	ret->sim_late_us = report_number(counts, "clock_late_us");
	ret->late = report_number(channel, "tx_late");
	ret->late_paced =
	    100 * report_number(steady, "late") / fmax(report_number(steady, "heard"), 1);
	ret->lost = fmax(ret->lost, report_number(counts, "wire_full"));
	ret->age_p50_us = ret->age_p99_us = NAN;
	if (report_number(age, "count") > 0.5 * fmin(ret->packets, sent)) {
		ret->age_p50_us = report_number(age, "p50") * 1e-3;
		ret->age_p99_us = report_number(age, "p99") * 1e-3;
	}
}

void x310_figures_fini(struct x310_figures *figures)
{
	json_decref(figures->cells);
	*figures = (struct x310_figures){0};
}

/* ---- a stretch ------------------------------------------------------------------------ */

static int host_run(struct bench *bench, const struct x310_stretch *stretch, const char *ip,
    const char *what, struct x310_figures *ret, char **ret_errors)
{
	char program[PATH] = "";
	struct words words = {0};
	json_t *report = NULL;
	enum simd_level level;
	int status = bench_level(bench, &level) < 0 ? CLI_USAGE : CLI_OK;

	if (status == CLI_OK && stretch->host == X310_ALOE)
		status = words_aloe(bench, stretch, ip, &words);
	else if (status == CLI_OK &&
	    program_path(
	        program_of(stretch->host, stretch->work->emulates), program, sizeof(program)) < 0)
		status = CLI_FAILED;
	if (stretch->host == X310_LOOP || stretch->host == X310_UPOLS)
		words_loop(bench, stretch, ip, &words);
	else if (stretch->host == X310_UHD)
		words_uhd(stretch, ip, &words);
	words.program = program[0] ? program : NULL;
	/* A lane takes its own; what is beside it in ALOE needs none. */
	(void)setpriority(PRIO_PROCESS, 0, stretch->host == X310_ALOE ? 0 : NICE);
	if (status == CLI_OK)
		status = run_only(bench, &words, level, what, &report, ret_errors);
	if (report && stretch->host == X310_ALOE)
		take_aloe(report, ret);
	else if (report)
		take_loop(report, ret);
	json_decref(report);
	return status;
}

/* UHD gives up a device that does not answer in 0.1 s, which happens where a machine stands still:
 * begun again. */
int x310_stretch_run(struct bench *bench, const struct x310_stretch *stretch, const char *what,
    struct x310_figures *ret)
{
	int status = CLI_FAILED;
	char *errors = NULL;

	int tries = 0;

	for (; tries < TRIES && status != CLI_OK && !bench->interrupts; tries++) {
		json_t *counts;
		struct sim sim;

		free(errors);
		errors = NULL;
		*ret = (struct x310_figures){0};
		status = sim_begin(bench, stretch->dpdk, &sim);
		if (status != CLI_OK)
			return status;
		status = host_run(bench, stretch, sim.ip, what, ret, &errors);
		counts = sim_end(bench, &sim);
		if (counts)
			take_sim(counts, ret);
		else
			status = status == CLI_OK ? CLI_FAILED : status;
		json_decref(counts);
	}
	ret->retries = tries > 0 ? tries - 1 : 0;
	if (errors)
		fprintf(stderr, "%s", errors);
	if (status > 128 && !bench->interrupts)
		cli_fail(bench->args, "%s: the host was ended by signal %d", what, status - 128);
	free(errors);
	return bench->interrupts ? BENCH_INTERRUPTED : status;
}
