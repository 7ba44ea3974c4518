/* SPDX-License-Identifier: BSD-3-Clause
 * What cannot work is refused before it runs, with the cause: damaged components, files of noise,
 * too little memory, a CPU that is taken, a full disk. */
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "daemons/frontend/supervise.h"
#include "tests/faults/node.h"

static const char text[] = "name = \"plain\"; slot_ns = 1000000;\n"
                           "instances: {\n"
                           "  source: { component = \"counter\"; };\n"
                           "  work: { component = \"faulty\"; };\n"
                           "  sink: { component = \"file_sink\"; path = \"%s\"; };\n"
                           "};\nlinks = ( \"source -> work -> sink\" );\n";

enum { NOBODY = 65534 };

static void refused(int status, const char *says, const char *arguments)
{
	struct ran *ran = aloe("%s", arguments);

	if (ran->status != status || strstr(ran->err, says) == NULL)
		fail_msg("aloe %s: exit %d instead of %d, or not `%s`:\n%s%s", arguments,
		    ran->status, status, says, ran->out, ran->err);
	ran_free(ran);
	assert_int_equal(processes("aloe-host", (pid_t[1]){0}, 1), 0);
}

/* ---- components ------------------------------------------------------------------------ */

/* A folder of components in front of the others, with `faulty` as given. */
static void component_put(const void *so, size_t so_len, const void *desc, size_t desc_len)
{
	mkdir(aloe_path("damaged"), 0700);
	file_make(aloe_path("damaged/faulty.so"), so, so_len);
	file_make(aloe_path("damaged/faulty.desc"), desc, desc_len);
}

struct files {
	char so_path[4096], desc_path[4096];
	uint8_t *so, *desc;
	size_t so_len, desc_len;
	char *dirs;
};

static struct files files_take(void)
{
	struct files files = {.dirs = strdup(getenv("ALOE_COMPONENTS"))};
	const int len = (int)strcspn(files.dirs, ":");
	char dirs[16384];

	snprintf(files.so_path, sizeof(files.so_path), "%.*s/faulty.so", len, files.dirs);
	snprintf(files.desc_path, sizeof(files.desc_path), "%.*s/faulty.desc", len, files.dirs);
	files.so = file_take(files.so_path, &files.so_len);
	files.desc = file_take(files.desc_path, &files.desc_len);
	snprintf(dirs, sizeof(dirs), "%s:%s", aloe_path("damaged"), files.dirs);
	setenv("ALOE_COMPONENTS", dirs, 1);
	return files;
}

static void files_give(struct files *files)
{
	setenv("ALOE_COMPONENTS", files->dirs, 1);
	free(files->dirs);
	free(files->so);
	free(files->desc);
}

static void noise_fill(uint8_t *bytes, size_t len, unsigned *seed)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(rand_r(seed) >> 7);
}

static void components_cut_short(void **state)
{
	struct files files = files_take();
	char arguments[8192];

	(void)state;
	conf_write("plain", text);
	snprintf(arguments, sizeof(arguments), "run '%s' --clock virtual --slots 10",
	    aloe_path("plain.conf"));
	for (size_t eighths = 0; eighths < 8; eighths++) {
		component_put(files.so, files.so_len * eighths / 8, files.desc, files.desc_len);
		refused(2, "faulty.so", arguments);
	}
	component_put(files.so, files.so_len, files.desc, files.desc_len);
	ran_free(aloe_ok("%s", arguments));
	files_give(&files);
}

static void components_of_noise(void **state)
{
	struct files files = files_take();
	uint8_t *noise = malloc(files.so_len);
	unsigned seed = 7;
	char arguments[8192];
	struct ran *ran;

	(void)state;
	assert_non_null(noise);
	conf_write("plain", text);
	snprintf(arguments, sizeof(arguments), "run '%s' --clock virtual --slots 10",
	    aloe_path("plain.conf"));
	noise_fill(noise, files.so_len, &seed);
	component_put(noise, files.so_len, files.desc, files.desc_len);
	refused(2, "faulty.so: is not a shared object", arguments);
	memcpy(noise, files.so, 64); /* behind a good header */
	component_put(noise, files.so_len, files.desc, files.desc_len);
	refused(2, "faulty", arguments);
	noise_fill(noise, files.desc_len < files.so_len ? files.desc_len : files.so_len, &seed);
	component_put(files.so, files.so_len, noise,
	    files.desc_len < files.so_len ? files.desc_len : files.so_len);
	ran = aloe_ok("%s", arguments); /* said, and the next folder's is taken */
	assert_non_null(strstr(ran->err, "damaged/faulty.desc: is no"));
	ran_free(ran);
	free(noise);
	files_give(&files);
}

/* A .so that is not the one its .desc was made from. */
static void a_component_of_another_build(void **state)
{
	struct files files = files_take();
	char arguments[8192], *unit = strstr((char *)files.desc, "time that every call takes");

	(void)state;
	assert_non_null(unit);
	unit[0] = 'T';
	component_put(files.so, files.so_len, files.desc, files.desc_len);
	conf_write("plain", text);
	snprintf(arguments, sizeof(arguments), "run '%s' --clock virtual --slots 10",
	    aloe_path("plain.conf"));
	refused(2, "faulty", arguments);
	files_give(&files);
}

/* ---- waveforms ------------------------------------------------------------------------ */

static void waveforms_of_noise(void **state)
{
	uint8_t noise[3000];
	unsigned seed = 11;
	char arguments[8192];

	(void)state;
	snprintf(arguments, sizeof(arguments), "run '%s' --clock virtual --slots 10",
	    aloe_path("noise.conf"));
	for (size_t i = 0; i < 40; i++) {
		const size_t len = 1 + i * i * 1800 / 1000;

		noise_fill(noise, len, &seed);
		/* every other one of printable characters */
		for (size_t b = 0; i % 2 == 1 && b < len; b++)
			noise[b] = (uint8_t)(32 + noise[b] % 95);
		file_make(aloe_path("noise.conf"), noise, len);
		refused(2, "noise.conf", arguments);
	}
}

/* ---- memory, CPU, disk ---- */

/* More than any machine has, by `items` and by the number of links; pipelined, so that no two
 * messages share a place. */
static void more_memory_than_there_is(void **state)
{
	enum { COPIES = 1500 };
	char *all = malloc(COPIES * 64 + 4096), arguments[8192];
	size_t len;

	(void)state;
	assert_non_null(all);
	len = (size_t)sprintf(all,
	    "name = \"huge\"; slot_ns = 1000000000; pipelined = true;\ninstances: {\n"
	    "  source: { component = \"random_source\"; length = 16777216; };\n"
	    "  mod: { component = \"bpsk_mod\"; };\n  sink: { component = \"null_sink\"; };\n");
	for (int i = 0; i < COPIES; i++)
		len += (size_t)sprintf(all + len, "  c%d: { component = \"copy\"; };\n", i);
	len += (size_t)sprintf(all + len, "};\nlinks = ( \"source -> mod");
	for (int i = 0; i < COPIES; i++)
		len += (size_t)sprintf(all + len, " -> c%d", i);
	len += (size_t)sprintf(all + len, " -> sink\" );\n");
	file_make(aloe_path("huge.conf"), all, len);
	free(all);
	snprintf(arguments, sizeof(arguments), "run '%s' --clock virtual --slots 10",
	    aloe_path("huge.conf"));
	refused(2, "MB of memory for its links and statistics, ", arguments);
	refused(2, "MB are available", arguments);
}

static void a_cpu_that_is_taken(void **state)
{
	struct ran *ran;
	char who[128];
	int cpus[2];

	(void)state;
	conf_write("plain", text);
	ran_free(aloe_ok("up"));
	wave_begin("plain", "--lanes 0");
	ran = aloe_once("run '%s' --lanes 0 --slots 10", aloe_path("plain.conf"));
	assert_int_equal(ran->status, 2);
	snprintf(who, sizeof(who), "CPU 0 is taken by the lane of another ALOE node (pid %d, user ",
	    process_one("aloe-exec"));
	assert_non_null(strstr(ran->err, who));
	assert_non_null(strstr(ran->err,
	    platform_cpus(cpus, 2) > 1 ? "choose a free CPU (--lanes 1" : "wait until a CPU of"));
	ran_free(ran);
	ran_free(aloe_ok("run '%s' --clock virtual --slots 10 --quiet", aloe_path("plain.conf")));
	wave_end("plain");
	ran_free(aloe_ok("run '%s' --lanes 0 --slots 10 --quiet", aloe_path("plain.conf")));
	ran_free(aloe_ok("down"));
	processes_gone("aloe-frontend");
}

static off_t log_size(void)
{
	struct stat about;

	assert_int_equal(stat(aloe_path("state/aloe/node.log"), &about), 0);
	return about.st_size;
}

/* Longer than anybody waits who tries again (SUPERVISE_BACKOFF_MS_MAX): the log is as long as it
 * was, and no process is there. */
static void nothing_goes_on(void)
{
	static const char *const programs[] = {"aloe", "aloe-frontend", "aloe-exec", "aloe-stats",
	    "aloe-statsman", "aloe-swman", "aloe-host"};
	const off_t size = log_size();

	assert_true(size > 0); /* why there is no node */
	clock_sleep_until(clock_ns() + 2 * SUPERVISE_BACKOFF_MS_MAX * 1000000ull);
	assert_int_equal(log_size(), size);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		assert_int_equal(processes(programs[i], (pid_t[1]){0}, 1), 0);
}

/* The runtime directory has something in the place of a socket. What says so is `aloe up`, and then
 * it is over: once the place is free there is still no node, and no process that would make one. */
static void a_node_that_cannot_be(void **state)
{
	struct ran *ran;
	pid_t left;

	(void)state;
	mkdir(aloe_path("run/aloe"), 0700);
	mkdir(aloe_path("run/aloe/attach"), 0700);
	for (int foreground = 0; foreground < 2; foreground++) {
		ran = aloe_once("up %s", foreground ? "--foreground" : "");
		assert_int_equal(ran->status, 1);
		assert_non_null(
		    strstr(ran->err, "aloe-frontend: cannot start: Address already in use"));
		ran_free(ran);
		assert_int_equal(processes("aloe-frontend", &left, 1), 0); /* at once */
		processes_gone("aloe");
	}
	nothing_goes_on();
	rmdir(aloe_path("run/aloe/attach"));
	chmod(aloe_path("run/aloe"), 0755);
	ran = aloe_once("up");
	assert_int_equal(ran->status, 1);
	assert_non_null(strstr(ran->err, "closed to all others (chmod 700)"));
	ran_free(ran);
	processes_gone("aloe");
	chmod(aloe_path("run/aloe"), 0700);
	ran = aloe_once("list");
	assert_int_equal(ran->status, 1);
	assert_non_null(strstr(ran->err, "no node is running in "));
	ran_free(ran);
	ran_free(aloe_ok("up"));
	ran_free(aloe_ok("down"));
}

/* The directory of somebody else; one below which nothing may be made. */
static void a_node_of_somebody_else(void **state)
{
	struct ran *ran;
	char command[512];

	(void)state;
	if (geteuid() != 0)
		skip();
	mkdir(aloe_path("run/aloe"), 0700);
	assert_int_equal(chown(aloe_path("run/aloe"), NOBODY, NOBODY), 0);
	ran = aloe_once("up");
	assert_int_equal(ran->status, 1);
	assert_non_null(strstr(ran->err, "a runtime directory must belong to you"));
	ran_free(ran);
	processes_gone("aloe");
	assert_int_equal(rmdir(aloe_path("run/aloe")), 0);
	mkdir(aloe_path("bare"), 0555);
	snprintf(command, sizeof(command),
	    "setpriv --reuid %d --regid %d --clear-groups '%s' up --dir '%s/aloe' >'%s' 2>&1",
	    NOBODY, NOBODY, aloe_program("aloe"), aloe_path("bare"), aloe_path("said"));
	assert_int_equal(WEXITSTATUS(system(command)), 1);
	processes_gone("aloe");
	assert_int_equal(rmdir(aloe_path("bare")), 0);
	remove(aloe_path("said"));
	ran_free(aloe_ok("up"));
	ran_free(aloe_ok("down"));
}

/* ---- somebody else holds the directory ---- */

/* A process of nobody's that has opened the directory and locked it, until it is killed. */
static pid_t lock_by_nobody(const char *dir)
{
	int told[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(told), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int fd;

		if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
			_exit(1);
		fd = open(dir, O_RDONLY | O_DIRECTORY);
		if (fd < 0 || flock(fd, LOCK_EX) != 0 || write(told[1], "", 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	close(told[1]);
	assert_int_equal(read(told[0], &byte, 1), 1);
	close(told[0]);
	return pid;
}

static void says(int status, const char *command, const char *dir, const char *part)
{
	struct ran *ran = aloe_once("%s --dir '%s'", command, dir);

	if (ran->status != status || strstr(ran->err, part) == NULL)
		fail_msg("aloe %s: exit %d instead of %d, or not `%s`:\n%s%s", command, ran->status,
		    status, part, ran->out, ran->err);
	ran_free(ran);
}

/* While the directory is open to others nothing is done there, and it is said why; once it is
 * closed, the lock of whoever had opened it before keeps nobody from anything. */
static void a_lock_of_somebody_else(void **state)
{
	static const char closed[] = "closed to all others (chmod 700)";
	char folder[] = "/tmp/aloe-lock.XXXXXX", dir[64]; /* where nobody may go */
	pid_t nobody;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_non_null(mkdtemp(folder));
	snprintf(dir, sizeof(dir), "%s/aloe", folder);
	assert_int_equal(mkdir(dir, 0755) | chmod(dir, 0755) | chmod(folder, 0755), 0);
	nobody = lock_by_nobody(dir);
	says(1, "up", dir, closed);
	says(1, "list", dir, closed);
	says(1, "down", dir, closed);
	processes_gone("aloe");
	chmod(dir, 0700);
	says(1, "list", dir, "no node is running in ");
	ran_free(aloe_ok("up --dir '%s'", dir));
	ran_free(aloe_ok("list --dir '%s'", dir));
	chmod(dir, 0755); /* while a node is there: it goes on */
	says(1, "list", dir, closed);
	chmod(dir, 0700);
	ran_free(aloe_ok("list --dir '%s'", dir));
	ran_free(aloe_ok("down --dir '%s'", dir));
	processes_gone("aloe-frontend");
	kill(nobody, SIGKILL);
	assert_int_equal(waitpid(nobody, NULL, 0), nobody);
	rmdir(dir);
	assert_int_equal(rmdir(folder), 0);
}

/* A lane's CPU is kept from nodes that this one cannot see only as far as its namespace goes. */
static void a_lock_that_ends_at_a_namespace(void **state)
{
	char command[1024], *report;

	(void)state;
	if (system("unshare --time true 2>/dev/null") != 0 || platform_lock_scope() != NULL)
		skip();
	conf_write("plain", text);
	snprintf(command, sizeof(command),
	    "unshare --time --fork '%s' run '%s' --lanes 0 --slots 10 --json >'%s'",
	    aloe_program("aloe"), aloe_path("plain.conf"), aloe_path("report"));
	assert_int_equal(system(command), 0);
	report = file_take(aloe_path("report"), NULL);
	assert_non_null(strstr(report,
	    "the CPUs of the lanes are kept from nodes of the same time namespace "
	    "only; a node in another container may run a lane on the same CPU"));
	free(report);
}

/* What writes to a full disk ends with the cause, on this clock. */
static void full_disk(const char *clock)
{
	char arguments[8192];

	if (access("/dev/full", W_OK) != 0)
		skip();
	conf_write("plain", text);
	snprintf(arguments, sizeof(arguments),
	    "run '%s' --quiet --set sink.path=/dev/full --slots 100000 %s", aloe_path("plain.conf"),
	    clock);
	refused(1, "/dev/full", arguments);
	refused(1, "No space left on device", arguments);
}

static void a_full_disk(void **state)
{
	(void)state;
	full_disk("--clock virtual");
}

static void a_full_disk_on_the_timer(void **state)
{
	(void)state;
	full_disk("--lanes 0");
}

static void a_folder_that_is_not_there(void **state)
{
	char arguments[8192];

	(void)state;
	conf_write("plain", text);
	snprintf(arguments, sizeof(arguments),
	    "run '%s' --quiet --set sink.path=/nowhere/out --clock virtual --slots 10",
	    aloe_path("plain.conf"));
	refused(2, "/nowhere/out", arguments);
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(a_cpu_that_is_taken),
	    cmocka_unit_test(a_lock_that_ends_at_a_namespace),
	    cmocka_unit_test(a_full_disk_on_the_timer),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(components_cut_short),
	    cmocka_unit_test(components_of_noise),
	    cmocka_unit_test(a_component_of_another_build),
	    cmocka_unit_test(waveforms_of_noise),
	    cmocka_unit_test(more_memory_than_there_is),
	    cmocka_unit_test(a_node_that_cannot_be),
	    cmocka_unit_test(a_node_of_somebody_else),
	    cmocka_unit_test(a_lock_of_somebody_else),
	    cmocka_unit_test(a_full_disk),
	    cmocka_unit_test(a_folder_that_is_not_there),
	};
	int failed;

	cmocka_set_test_filter(getenv("ONLY"));
	failed = ALOE_PART("lanes", lanes, faults_init, faults_fini);
	return failed + ALOE_PART("rest", rest, faults_init, faults_fini);
}
