/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe doctor: what stands in the way of real time on this machine, and the shortest slot that it
 * holds. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cpulist.h"
#include "core/base/file.h"
#include "tools/aloe/cap.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/doctor/bench.h"
#include "tools/aloe/doctor/radio.h"
#include "tools/aloe/doctor/record.h"
#include "tools/aloe/doctor/report.h"

enum { INTERRUPTED = 130 }; /* exit status */

struct doctor {
	const struct cli_args *args;
	struct machine machine;
	struct record record;
	json_t *report;
	double seconds; /* of a measurement */
	int stop_fd;    /* Ctrl-C and its like, of --bench; -1: none */
	bool failed;    /* something could not be put back */
};

static int machine_get(struct doctor *doctor)
{
	const char *text = cli_get(doctor->args, "lanes");
	cpu_set_t lanes;
	int cpu = -1, rc;

	if (text != NULL && (cpulist_parse(text, &lanes) < 0 || CPU_COUNT(&lanes) == 0))
		return cli_fail(
		    doctor->args, "--lanes %s: a list of CPUs is needed, such as 1,3 or 1-3", text);
	rc = machine_open(&doctor->machine, "", text != NULL ? &lanes : NULL, &cpu);
	if (rc == -ENODEV)
		return cli_fail(
		    doctor->args, "--lanes %s: CPU %d does not exist or is off line", text, cpu);
	if (rc < 0)
		fprintf(stderr, "aloe: /sys/devices/system/cpu/online: %s\n", strerror(-rc));
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

static int record_get(struct doctor *doctor, bool change)
{
	const char *given = cli_get(doctor->args, "state");
	struct diag diag;
	char state[PATH_MAX];
	int rc = given != NULL ? path_print(state, sizeof(state), "%s", given)
	                       : dir_state(state, sizeof(state));

	diag_init(&diag);
	if (rc == 0)
		rc = record_open(&doctor->record, &doctor->machine, state, "doctor", change, &diag);
	diag_print(&diag, stderr);
	if (rc == -EWOULDBLOCK)
		fprintf(stderr, "aloe: another aloe doctor is running; it uses %s\n", state);
	else if (rc < 0 && diag.len == 0 && !(rc == -EACCES && !change))
		fprintf(stderr, "aloe: %s/doctor.json: %s\n", state, strerror(-rc));
	else if (rc == -EACCES && !change)
		rc = 0;
	diag_fini(&diag);
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

static int change_report(struct doctor *doctor, int rc, const char *key, json_t *done)
{
	json_t *one;
	size_t n;

	if (rc < 0)
		fprintf(stderr, "aloe: %s: %s\n", doctor->record.path, strerror(-rc));
	if (done != NULL)
		json_object_set_new(doctor->report, key, done);
	json_array_foreach(done, n, one)
	{
		doctor->failed |= !json_is_true(json_object_get(one, "done"));
	}
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

static int doctor_apply(struct doctor *doctor)
{
	json_t *changes = doctor_changes(json_object_get(doctor->report, "knobs")), *done = NULL;
	const int rc = record_apply(&doctor->record, changes, &done);

	json_decref(changes);
	return change_report(doctor, rc, "done", done);
}

static int doctor_revert(struct doctor *doctor)
{
	json_t *done = NULL;
	const int rc = record_revert(&doctor->record, &done);

	/* of a node that has crashed; it says what it could not put back */
	doctor->failed |= cap_revert() < 0;
	return change_report(doctor, rc, "undone", done);
}

/* Who is kept off the lanes' CPUs cannot measure them. Only this process moves; where it may not,
 * the loops say so. */
static void enter_lanes(const struct machine *machine)
{
	cpu_set_t before, now;
	bool able;

	if (sched_getaffinity(0, sizeof(before), &before) != 0)
		return;
	able = sched_setaffinity(0, sizeof(now), &machine->lanes) == 0 &&
	    sched_getaffinity(0, sizeof(now), &now) == 0 && CPU_EQUAL(&now, &machine->lanes);
	sched_setaffinity(0, sizeof(before), &before);
	if (able)
		return;
	if (machine_write(machine, "/sys/fs/cgroup/cpuset/cgroup.procs", "0") < 0)
		machine_write(machine, "/sys/fs/cgroup/cgroup.procs", "0");
}

static int measure_lanes(struct doctor *doctor, double seconds)
{
	struct measured *all;
	size_t n;
	int rc;

	enter_lanes(&doctor->machine);
	rc = measure(&doctor->machine.lanes, seconds, -1, &all, &n);
	if (rc < 0) {
		fprintf(stderr, "aloe: the CPUs were not measured: %s\n", strerror(-rc));
		return CLI_FAILED;
	}
	json_object_set_new(doctor->report, "measured", doctor_measured(all, n));
	free(all);
	return CLI_OK;
}

/* Of the worst CPU. */
static int bench_once(void *self, double ret[BENCH_FIGURES])
{
	const struct doctor *doctor = self;
	struct measured *all;
	size_t n;
	int rc;

	enter_lanes(&doctor->machine);
	rc = measure(&doctor->machine.lanes, doctor->seconds, doctor->stop_fd, &all, &n);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct measure_loop *timer = &all[i].loops[MEASURE_TIMER],
		                          *polling = &all[i].loops[MEASURE_POLLING];
		const struct hist *gaps = &polling->gaps;

		rc = timer->error != 0 ? timer->error : polling->error;
		ret[BENCH_MISSED] =
		    fmax(ret[BENCH_MISSED], 1e6 * measure_missed(timer, BENCH_SLOT_NS));
		ret[BENCH_LATE] =
		    fmax(ret[BENCH_LATE], (double)hist_quantile(&timer->late, 0.99) / 1e3);
		ret[BENCH_GAPS] = fmax(ret[BENCH_GAPS],
		    hist_mean(gaps) * (double)hist_count(gaps) * 100 /
		        fmax((double)polling->watched_ns, 1));
	}
	free(all);
	return rc;
}

static int bench_knobs(struct doctor *doctor)
{
	json_t *bench;
	int rc;

	doctor->stop_fd = doctor_bench_signals();
	if (doctor->stop_fd < 0) {
		fprintf(stderr,
		    "aloe: --bench: nothing was changed and measured, because a signal could not "
		    "be held until all is put back: %s\n",
		    strerror(-doctor->stop_fd));
		return CLI_FAILED;
	}
	rc = doctor_bench(&doctor->record, doctor->seconds, bench_once, doctor, &bench);
	close(doctor->stop_fd);
	if (rc < 0)
		return rc == -EINTR ? INTERRUPTED : CLI_FAILED;
	json_object_set_new(doctor->report, "bench", bench);
	return CLI_OK;
}

static int machine_examine(struct doctor *doctor, double seconds)
{
	char lanes[FINDING_TEXT] = "";
	int status = CLI_OK;

	cpulist_print(&doctor->machine.lanes, lanes, sizeof(lanes));
	json_object_set_new(doctor->report, "lanes", json_string(lanes));
	json_object_set_new(doctor->report, "knobs", doctor_knobs(&doctor->machine));
	if (cli_has(doctor->args, "apply"))
		status = doctor_apply(doctor);
	if (status == CLI_OK && cli_has(doctor->args, "bench"))
		return bench_knobs(doctor);
	if (status == CLI_OK && seconds > 0)
		status = measure_lanes(doctor, seconds);
	return status;
}

static void put_out(struct doctor *doctor)
{
	const size_t pending = json_array_size(doctor->record.changes);

	json_object_set_new(doctor->report, "root", json_boolean(doctor->machine.rights.root));
	json_object_set_new(doctor->report, "stale", json_boolean(doctor->record.stale));
	json_object_set_new(doctor->report, "pending", json_integer((json_int_t)pending));
	json_object_set_new(doctor->report, "record", json_string(doctor->record.path));
	if (!cli_has(doctor->args, "json"))
		doctor_print(doctor->report, stdout);
	else if (json_dumpf(doctor->report, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0)
		printf("\n");
}

static int doctor_machine(const struct cli_args *args)
{
	struct doctor doctor = {
	    .args = args, .report = json_pack("{s:i}", "schema", 1), .record.lock = -1};
	const bool back = cli_has(args, "revert"), bench = cli_has(args, "bench"),
	           change = back || bench || cli_has(args, "apply");
	double seconds = bench ? 1 : 4;
	int status = cli_real(args, "seconds", 0, 3600, &seconds) < 0 ? CLI_USAGE : CLI_OK;

	if (status == CLI_OK && back + bench + cli_has(args, "apply") > 1)
		status = cli_fail(args, "--apply, --revert and --bench exclude each other");
	if (status == CLI_OK && bench && seconds <= 0)
		status = cli_fail(args, "--bench measures: --seconds must be above 0");
	if (status == CLI_OK)
		status = machine_get(&doctor);
	if (status == CLI_OK && change && !doctor.machine.rights.root)
		status = cli_fail(args, "--%s needs root",
		    back        ? "revert"
		        : bench ? "bench"
		                : "apply");
	if (status == CLI_OK)
		status = record_get(&doctor, change);
	if (status == CLI_OK) {
		doctor.seconds = seconds;
		status = back ? doctor_revert(&doctor) : machine_examine(&doctor, seconds);
		if (status != INTERRUPTED)
			put_out(&doctor);
	}
	record_close(&doctor.record);
	json_decref(doctor.report);
	return status == CLI_OK && back && doctor.failed ? CLI_FAILED : status;
}

int aloe_doctor(const struct cli_args *args)
{
	return cli_has(args, "radio") ? doctor_radio(args) : doctor_machine(args);
}
