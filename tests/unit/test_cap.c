/* SPDX-License-Identifier: BSD-3-Clause
 * tools/aloe/doctor/groups: the quota on everybody else, on made-up machines; what processes are
 * ALOE's. In the kernel: tests/sim/test_cap.sh. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/world.h"
#include "tools/aloe/doctor/groups.h"
#include "tools/aloe/doctor/record.h"

#define V1 "/sys/fs/cgroup/cpu/"
#define V2 "/sys/fs/cgroup/"

static void text_of(const json_t *changes, char *ret, size_t size)
{
	json_t *change;
	size_t n, len = 0;

	ret[0] = 0;
	json_array_foreach(changes, n, change)
	{
		len += (size_t)snprintf(ret + len, size - len, "%s%s %s %s>%s", n > 0 ? "\n" : "",
		    json_string_value(json_object_get(change, "kind")),
		    json_string_value(json_object_get(change, "path")),
		    json_string_value(json_object_get(change, "from")),
		    json_string_value(json_object_get(change, "to")));
		assert_true(len < size);
	}
}

static void cap_is(const struct world *world, double percent, uint64_t slot_us, struct cap want,
    const char *changes)
{
	struct cap cap = {.period_us = slot_us};
	struct finding finding = {.changes = json_array()};
	struct groups groups;
	char said[4096];

	assert_int_equal(groups_find(&world->machine, "cpu", &groups), 0);
	assert_int_equal(groups_cap(&groups, percent, &cap, &finding), 0);
	assert_int_equal(cap.period_us, want.period_us);
	assert_int_equal(cap.quota_us, want.quota_us);
	assert_int_equal(cap.groups, want.groups);
	text_of(finding.changes, said, sizeof(said));
	assert_string_equal(said, changes);
	finding_fini(&finding);
}

static void test_v1(void **state)
{
	struct world *world = *state;

	world_put(world, V1 "cgroup.procs", "1\n");
	cap_is(world, 20, 5000, (struct cap){5000, 4000, 1},
	    "directory " V1 "aloe-others >made\n"
	    "value " V1 "aloe-others/cpu.cfs_period_us 100000>5000\n"
	    "value " V1 "aloe-others/cpu.cfs_quota_us -1>4000\n"
	    "ours " V1 "cgroup.procs >ALOE\n"
	    "others " V1 "aloe-others/cgroup.procs " V1 "cgroup.procs>moved");
	/* what is in force is changed; others have groups of their own, empty ones do not count */
	world_put(world, V1 "aloe-others/cpu.cfs_period_us", "5000\n");
	world_put(world, V1 "aloe-others/cpu.cfs_quota_us", "4000\n");
	world_put(world, V1 "system.slice/cgroup.procs", "77\n");
	world_put(world, V1 "system.slice/cpu.cfs_period_us", "100000\n");
	world_put(world, V1 "system.slice/cpu.cfs_quota_us", "-1\n");
	world_put(world, V1 "empty.slice/cgroup.procs", "");
	cap_is(world, 40, 5000, (struct cap){5000, 4000, 2},
	    "value " V1 "system.slice/cpu.cfs_period_us 100000>5000\n"
	    "value " V1 "system.slice/cpu.cfs_quota_us -1>4000\n"
	    "ours " V1 "cgroup.procs >ALOE\n"
	    "others " V1 "aloe-others/cgroup.procs " V1 "cgroup.procs>moved");
}

static void test_v2(void **state)
{
	struct world *world = *state;

	world_put(world, V2 "cgroup.controllers", "cpuset cpu io memory\n");
	world_put(world, V2 "cgroup.subtree_control", "cpuset memory\n");
	world_put(world, V2 "user.slice/cgroup.events", "populated 1\nfrozen 0\n");
	world_put(world, V2 "user.slice/cpu.max", "max 100000\n");
	world_put(world, V2 "old.slice/cgroup.events", "populated 0\nfrozen 0\n");
	cap_is(world, 10, 10000, (struct cap){10000, 2000, 2},
	    "controller " V2 "cgroup.subtree_control -cpu>+cpu\n"
	    "directory " V2 "aloe-others >made\n"
	    "value " V2 "aloe-others/cpu.max max 100000>2000 10000\n"
	    "value " V2 "user.slice/cpu.max max 100000>2000 10000\n"
	    "ours " V2 "cgroup.procs >ALOE\n"
	    "others " V2 "aloe-others/cgroup.procs " V2 "cgroup.procs>moved");
}

/* The kernel's smallest quota is 1 ms: the period is longer than a short slot. */
static void test_short_slots(void **state)
{
	static const char same[] = "directory " V1 "aloe-others >made\n";
	const struct {
		double percent;
		uint64_t slot_us, period_us, quota_us;
	} rows[] = {{20, 100, 1250, 1000}, {100, 0, 1000, 4000}, {50, 0, 1000, 2000},
	    {1, 1000, 25000, 1000}, {1, 50000, 50000, 2000}};
	struct world *world = *state;

	world_put(world, V1 "cgroup.procs", "1\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cap cap = {.period_us = rows[i].slot_us};
		struct finding finding = {.changes = json_array()};
		struct groups groups;
		char said[4096];

		assert_int_equal(groups_find(&world->machine, "cpu", &groups), 0);
		assert_int_equal(groups_cap(&groups, rows[i].percent, &cap, &finding), 0);
		assert_int_equal(cap.period_us, rows[i].period_us);
		assert_int_equal(cap.quota_us, rows[i].quota_us);
		text_of(finding.changes, said, sizeof(said));
		assert_memory_equal(said, same, sizeof(same) - 1);
		finding_fini(&finding);
	}
	struct finding finding = {.changes = json_array()};
	struct groups groups;

	groups_find(&world->machine, "cpu", &groups);
	assert_int_equal(
	    groups_cap(&groups, 0.001, &(struct cap){.period_us = 1000}, &finding), -ERANGE);
	assert_int_equal(json_array_size(finding.changes), 0);
	finding_fini(&finding);
}

/* A group named aloe-scope... bounds what is touched. */
static void test_scope(void **state)
{
	static const struct {
		const char *own, *base;
	} rows[] = {{"9:name=systemd:/\n2:cpuacct,cpu:/aloe-scope.7/x\n", V1 "aloe-scope.7"},
	    {"2:cpu:/a/aloe-scope\n", V1 "a/aloe-scope"}, {"2:cpu:/user.slice\n", V1},
	    {"2:cpuset:/aloe-scope\n3:cpu:/\n", V1}, {"", V1}, {"nonsense\n2:cpu\n", V1}};
	struct world *world = *state;
	struct groups groups;

	assert_int_equal(groups_find(&world->machine, "cpu", &groups), -ENOENT);
	world_put(world, V1 "aloe-scope.7/cgroup.procs", "");
	world_put(world, V1 "a/aloe-scope/cgroup.procs", "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t len = strlen(rows[i].base);

		world_put(world, "/proc/self/cgroup", rows[i].own);
		assert_int_equal(groups_find(&world->machine, "cpu", &groups), 0);
		assert_int_equal(
		    strncmp(groups.base, rows[i].base, len - (rows[i].base[len - 1] == '/')), 0);
		assert_int_equal(strlen(groups.base), len - (rows[i].base[len - 1] == '/'));
	}
}

static void test_ours(void **state)
{
	static const struct {
		const char *pid, *comm, *cmdline;
		bool ours, program;
	} rows[] = {{"10", "aloe-exec\n", "x", true, true}, {"11", "aloe\n", "x", true, true},
	    {"12", "bash\n", "bash", false, true}, {"13", "kworker/0:1\n", "", false, false},
	    {"14", "xaloe\n", "x", false, true}};
	struct world *world = *state;
	char path[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(path, sizeof(path), "/proc/%s/comm", rows[i].pid);
		world_put(world, path, rows[i].comm);
		snprintf(path, sizeof(path), "/proc/%s/cmdline", rows[i].pid);
		world_put(world, path, rows[i].cmdline);
		assert_int_equal(machine_ours(&world->machine, rows[i].pid), rows[i].ours);
		assert_int_equal(machine_program(&world->machine, rows[i].pid), rows[i].program);
	}
	assert_false(machine_ours(&world->machine, "99"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    IN_WORLD(test_v1),
	    IN_WORLD(test_v2),
	    IN_WORLD(test_short_slots),
	    IN_WORLD(test_scope),
	    IN_WORLD(test_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
