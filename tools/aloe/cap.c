/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe cap, --cap and --shield. */
#include "tools/aloe/cap.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cpulist.h"
#include "core/base/file.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/doctor/groups.h"
#include "tools/aloe/doctor/users.h"

static int percent_get(const struct cli_args *args, const char *text, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	if (end != text && *end == 0 && *ret >= 1 && *ret <= 100)
		return 0;
	return cli_fail(args,
	    "`%s`: a cap is a number of percent from 1 to 100, of the time of all CPUs together",
	    text);
}

static int shield_get(const struct cli_args *args, cpu_set_t *ret)
{
	const char *text = cli_get(args, "shield");

	if (cpulist_parse(text, ret) == 0 && CPU_COUNT(ret) > 0)
		return 0;
	return cli_fail(args, "--shield %s: a list of CPUs is needed, such as 1,3 or 1-3", text);
}

int cap_check(const struct cli_args *args)
{
	cpu_set_t cpus;
	double percent;
	int status = 0;

	if (cli_has(args, "cap"))
		status = percent_get(args, cli_get(args, "cap"), &percent);
	if (status == 0 && cli_has(args, "shield"))
		status = shield_get(args, &cpus);
	return status;
}

/* ---- making changes ------------------------------------------------------------------------ */

#define CAP_FOLDER "/run/aloe.cap"

enum { OPEN_TRIES = 500, OPEN_MS = 10 };

static const struct machine this_machine = {.root = ""};

static const char *cap_scope(struct groups *groups)
{
	return groups_find(&this_machine, "cpu", groups) == 0 ? groups_scope(groups) : "";
}

/* Another node may be at it, for as long as its changes take. */
static int cap_open(struct record *record, bool make)
{
	struct groups groups;
	const char *scope = cap_scope(&groups);
	struct diag diag;
	int rc = -EWOULDBLOCK;

	diag_init(&diag);
	for (int n = 0; n < OPEN_TRIES && rc == -EWOULDBLOCK; n++) {
		if (n > 0) {
			record_close(record);
			poll(NULL, 0, OPEN_MS);
		}
		rc = record_open(record, &this_machine, CAP_FOLDER,
		    scope[0] != 0 ? scope : "machine", make, &diag);
	}
	diag_print(&diag, stderr);
	diag_fini(&diag);
	return rc;
}

/* The record to be written, if there is one: 1; 0: there is none. The caller closes it. */
static int cap_reopen(struct record *record)
{
	int rc = cap_open(record, false);

	if (rc < 0 || json_array_size(record->changes) == 0)
		return rc;
	record_close(record);
	rc = cap_open(record, true);
	return rc < 0 ? rc : json_array_size(record->changes) > 0;
}

static void user_join(struct record *record, struct cap_user user)
{
	struct groups groups;

	if (user.pid != 0)
		users_join(record, user.pid);
	else
		users_keepers(record, cap_scope(&groups), user.dir);
}

/* One line, for the first of them. */
static bool all_done(const char *what, const json_t *done)
{
	json_t *one;
	size_t n;

	json_array_foreach(done, n, one)
	{
		if (json_is_true(json_object_get(one, "done")))
			continue;
		fprintf(stderr, "aloe: %s: %s %s\n", what,
		    json_string_value(json_object_get(one, "path")),
		    json_string_value(json_object_get(one, "said")));
		return false;
	}
	return true;
}

static bool changes_make(const char *what, struct cap_user user, const json_t *changes)
{
	struct record record;
	json_t *done = NULL;
	int rc = cap_open(&record, true);
	bool good;

	if (rc == 0) {
		user_join(&record, user);
		rc = record_apply(&record, changes, &done);
	}
	good = rc == 0 && all_done(what, done);
	if (rc < 0)
		fprintf(stderr,
		    "aloe: %s: the changes could not be written down, so none was made: %s\n", what,
		    strerror(-rc));
	json_decref(done);
	record_close(&record);
	return good;
}

/* True: it is in force, and *cap tells what. */
static bool cap_make(
    const struct machine *machine, struct cap_user user, double percent, struct cap *cap)
{
	struct finding finding = {.changes = json_array()};
	struct groups groups;
	int rc = groups_find(machine, "cpu", &groups);
	bool good = false;

	if (rc == 0 && !machine->rights.root)
		rc = -EPERM;
	if (rc == 0)
		rc = groups_cap(&groups, percent, cap, &finding);
	if (rc == 0)
		good = changes_make("cap", user, finding.changes);
	else
		fprintf(stderr, "aloe: cap: the other programs are not limited, because %s\n",
		    rc == -ENOENT      ? "this machine has no control groups for CPU time"
		        : rc == -EPERM ? "only root may change control groups"
		                       : "so small a share has no period up to 1 s");
	finding_fini(&finding);
	return good;
}

static void cap_say(double percent, const struct cap *cap, FILE *out)
{
	fprintf(out,
	    "cap: the other programs get at most %.3g %% of the CPUs: %llu us of each %llu us",
	    percent, (unsigned long long)cap->quota_us, (unsigned long long)cap->period_us);
	if (cap->groups > 1)
		fprintf(out, ", in each control group (%u)", cap->groups);
	fputc('\n', out);
}

static const struct knob *shield_knob(void)
{
	for (size_t k = 0; k < n_knobs; k++)
		if (strcmp(knobs[k].name, "shield") == 0)
			return &knobs[k];
	return NULL;
}

static void shield_make(const struct cli_args *args, struct cap_user user)
{
	struct finding finding = {0};
	struct machine machine;
	struct groups groups;
	cpu_set_t cpus;
	int cpu = -1;

	if (shield_get(args, &cpus) != 0 || machine_open(&machine, "", &cpus, &cpu) < 0) {
		fprintf(stderr, "aloe: shield: CPU %d does not exist or is off line\n", cpu);
		return;
	}
	knob_find(&machine, shield_knob(), &finding);
	if (finding.verdict == UNAVAILABLE || groups_find(&machine, "cpuset", &groups) < 0)
		fprintf(
		    stderr, "aloe: shield: other programs are not kept away: %s\n", finding.how);
	else if (!machine.rights.root)
		fprintf(stderr, "aloe: shield: only root may change control groups\n");
	else if (CPU_COUNT(&machine.rest) == 0)
		fprintf(stderr, "aloe: shield: no CPU would be left for the other programs\n");
	else { /* no change: another node may have the same shield */
		if (json_array_size(finding.changes) > 0)
			groups_ours(&groups, &finding);
		changes_make("shield", user, finding.changes);
	}
	finding_fini(&finding);
}

static void group_leave(const struct machine *machine, const char *controller)
{
	char own[PATH_MAX], path[PATH_MAX], pid[16];
	struct groups groups;
	int rc;

	if (groups_find(machine, controller, &groups) < 0 ||
	    groups_own(&groups, own, sizeof(own)) < 0 || !groups_others(own) ||
	    path_print(path, sizeof(path), "%s/cgroup.procs", groups.base) < 0)
		return;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	rc = machine_write(machine, path, pid);
	if (rc == 0)
		fprintf(stderr,
		    "aloe: cap: this shell is in the control group %s of --cap or --shield; ALOE "
		    "leaves the group\n",
		    own);
	else
		fprintf(stderr,
		    "aloe: cap: this shell is in the control group %s of --cap or --shield, and "
		    "so is all that is started here, because %s cannot be written: %s; start ALOE "
		    "from a shell outside of the group\n",
		    own, path, strerror(-rc));
}

void cap_leave(void)
{
	group_leave(&this_machine, "cpu");
	group_leave(&this_machine, "cpuset");
}

void cap_begin(const struct cli_args *args, struct cap_user user, uint64_t slot_ns)
{
	struct cap cap = {.period_us = slot_ns / 1000};
	struct machine machine;
	double percent;
	int cpu;

	if (cli_has(args, "shield"))
		shield_make(args, user);
	if (!cli_has(args, "cap") || percent_get(args, cli_get(args, "cap"), &percent) != 0)
		return;
	if (machine_open(&machine, "", NULL, &cpu) == 0 && cap_make(&machine, user, percent, &cap))
		cap_say(percent, &cap, stderr);
}

/* ---- and back ------------------------------------------------------------------------ */

static int users_drop(struct record *record)
{
	json_t *done = NULL;
	int rc;

	json_array_clear(record->users);
	rc = record_revert(record, &done);
	rc = rc == 0 && !all_done("cap", done) ? -EIO : rc;
	json_decref(done);
	return rc;
}

int cap_revert(void)
{
	struct record record;
	int rc = cap_reopen(&record);

	rc = rc == 1 ? users_drop(&record) : rc;
	record_close(&record);
	return rc;
}

void cap_pass(pid_t before)
{
	struct record record;

	if (cap_reopen(&record) == 1 && users_leave(&record, before)) {
		users_join(&record, getpid());
		record_save(&record);
	}
	record_close(&record);
}

void cap_end(void)
{
	struct record record;
	int rc = cap_reopen(&record);

	if (rc == 1 && users_leave(&record, getpid()))
		rc = users_live(&record) ? record_save(&record) : users_drop(&record);
	record_close(&record);
	if (rc < 0 && rc != -EACCES)
		fprintf(stderr,
		    "aloe: cap: not everything was put back; `aloe doctor --revert` tries again\n");
}

/* The period stays as the node set it. */
static uint64_t period_now(const struct machine *machine)
{
	struct groups groups;
	char path[PATH_MAX], value[MACHINE_VALUE];
	unsigned long long period = 0;

	if (groups_find(machine, "cpu", &groups) < 0)
		return 0;
	snprintf(path, sizeof(path), "%s/aloe-others/%s", groups.base,
	    groups.v2 ? "cpu.max" : "cpu.cfs_period_us");
	if (machine_read(machine, path, value) == 0)
		sscanf(value, groups.v2 ? "%*s %llu" : "%llu", &period);
	return period;
}

int aloe_cap(const struct cli_args *args)
{
	const bool off = strcmp(args->args[0], "off") == 0;
	struct machine machine;
	struct cap cap = {0};
	double percent = 0, slot_us = 0;
	int cpu, rc, status = off ? 0 : percent_get(args, args->args[0], &percent);

	if (status == 0 && cli_real(args, "slot-us", 1, 1e6, &slot_us) < 0)
		status = CLI_USAGE;
	if (status)
		return status;
	if (off) {
		rc = cap_revert();
		if (rc < 0)
			fprintf(stderr, "aloe: cap: %s\n", strerror(-rc));
		else
			printf("cap: off\n");
		return rc < 0 ? CLI_FAILED : CLI_OK;
	}
	rc = machine_open(&machine, "", NULL, &cpu);
	cap.period_us = slot_us > 0 ? (uint64_t)slot_us : period_now(&machine);
	if (rc < 0 || !cap_make(&machine, (struct cap_user){0}, percent, &cap))
		return CLI_FAILED;
	cap_say(percent, &cap, stdout);
	return CLI_OK;
}
