/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/doctor/record.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"

enum { RECORD_MAX = 8 << 20, CHANGES_MAX = 100000, MOVE_ROUNDS = 8 };
enum { REMOVE_ROUNDS = 50, REMOVE_AGAIN_NS = 10000000 };

static const char *text_of(const json_t *change, const char *key)
{
	return json_string_value(json_object_get(change, key));
}

/* ---- kinds of changes: what is there now, and to have it otherwise ---- */

struct record_kind {
	const char *name;
	/* The value in the words of `from` and `to`. 0 or -errno. */
	int (*now)(
	    const struct machine *machine, const json_t *change, char ret_value[MACHINE_VALUE]);
	int (*set)(const struct machine *machine, const json_t *change, const char *value);
};

static int value_now(
    const struct machine *machine, const json_t *change, char ret_value[MACHINE_VALUE])
{
	return machine_read(machine, text_of(change, "path"), ret_value);
}

static int value_set(const struct machine *machine, const json_t *change, const char *value)
{
	return machine_write(machine, text_of(change, "path"), value);
}

static bool has_word(const char *words, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)) != NULL; at += len)
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || at[len] == 0))
			return true;
	return false;
}

static int controller_now(
    const struct machine *machine, const json_t *change, char ret_value[MACHINE_VALUE])
{
	const char *to = text_of(change, "to"), *name = to + (to[0] != 0);
	int rc = machine_read(machine, text_of(change, "path"), ret_value);

	if (rc == 0)
		snprintf(
		    ret_value, MACHINE_VALUE, "%c%s", has_word(ret_value, name) ? '+' : '-', name);
	return rc;
}

static int directory_path(
    const struct machine *machine, const json_t *change, char ret_path[PATH_MAX])
{
	return machine_path(machine, text_of(change, "path"), 0, ret_path, PATH_MAX);
}

static int directory_now(
    const struct machine *machine, const json_t *change, char ret_value[MACHINE_VALUE])
{
	char path[PATH_MAX];
	struct stat st;
	const int rc = directory_path(machine, change, path);

	snprintf(ret_value, MACHINE_VALUE, "%s", rc == 0 && stat(path, &st) == 0 ? "made" : "");
	return rc;
}

/* Where they are is not asked: each `set` moves whoever is in the other place, and nobody is no
 * error. */
static int tasks_now(
    const struct machine *machine, const json_t *change, char ret_value[MACHINE_VALUE])
{
	char *tasks = machine_text(machine, text_of(change, "path"));

	snprintf(ret_value, MACHINE_VALUE, "%s",
	    text_of(change, tasks != NULL && tasks[0] != 0 ? "to" : "from"));
	free(tasks);
	return 0;
}

typedef bool task_chosen(const struct machine *machine, const char *pid);

static bool task_any(const struct machine *machine, const char *pid)
{
	(void)machine, (void)pid;
	return true;
}

static bool task_other(const struct machine *machine, const char *pid)
{
	return machine_program(machine, pid) && !machine_ours(machine, pid);
}

static size_t tasks_move(
    const struct machine *machine, const char *from, const char *to, task_chosen *chosen)
{
	char *tasks = machine_text(machine, from), *rest = tasks, *pid;
	size_t moved = 0;

	while (rest != NULL && (pid = strsep(&rest, "\n")) != NULL)
		moved +=
		    pid[0] != 0 && chosen(machine, pid) && machine_write(machine, to, pid) == 0;
	free(tasks);
	return moved;
}

/* Of a control group: whoever was born in it since its processes were moved follows them, and those
 * that are about to end keep it for some milliseconds. */
static int directory_remove(const struct machine *machine, const char *name, const char *path)
{
	char procs[PATH_MAX], above[PATH_MAX];
	int rc = path_print(procs, sizeof(procs), "%s/cgroup.procs", name), rounds = REMOVE_ROUNDS;

	if (rc == 0)
		rc = path_print(above, sizeof(above), "%s/../cgroup.procs", name);
	while (rc == 0 && rmdir(path) != 0) {
		if (errno != EBUSY || rounds-- == 0)
			return -errno;
		tasks_move(machine, procs, above, task_any);
		clock_sleep_until(clock_ns() + REMOVE_AGAIN_NS);
	}
	return rc;
}

static int directory_set(const struct machine *machine, const json_t *change, const char *value)
{
	char path[PATH_MAX];
	const int rc = directory_path(machine, change, path);

	if (rc < 0)
		return rc;
	if (value[0] == 0)
		return directory_remove(machine, text_of(change, "path"), path);
	return mkdir(path, 0755) == 0 ? 0 : -errno;
}

/* The kernel keeps its own threads where they are, and whoever was born meanwhile comes with the
 * next round. */
static int tasks_put(
    const struct machine *machine, const json_t *change, const char *value, task_chosen *chosen)
{
	const char *there = text_of(change, "path"), *here = text_of(change, "from");
	const bool away = strcmp(value, here) != 0;
	size_t moved = 1;

	for (int round = 0; round < MOVE_ROUNDS && moved > 0; round++)
		moved = tasks_move(
		    machine, away ? here : there, away ? there : here, away ? chosen : task_any);
	return 0;
}

static int tasks_set(const struct machine *machine, const json_t *change, const char *value)
{
	return tasks_put(machine, change, value, task_any);
}

static int others_set(const struct machine *machine, const json_t *change, const char *value)
{
	return tasks_put(machine, change, value, task_other);
}

/* Nothing is put back of it: where the processes of ALOE are when they end is nobody's concern. */
static int ours_now(
    const struct machine *machine, const json_t *change, char ret_value[MACHINE_VALUE])
{
	(void)machine;
	snprintf(ret_value, MACHINE_VALUE, "%s", text_of(change, "from"));
	return 0;
}

static bool is_below(const struct machine *machine, const char *pid, const char *group)
{
	char path[64];
	char *text;
	bool is;

	snprintf(path, sizeof(path), "/proc/%.20s/cgroup", pid);
	text = machine_text(machine, path);
	is = text != NULL && strstr(text, group) != NULL;
	free(text);
	return is;
}

static int ours_set(const struct machine *machine, const json_t *change, const char *value)
{
	char proc[PATH_MAX];
	const struct dirent *entry;
	DIR *dir;

	(void)value;
	if (machine_path(machine, "/proc", 0, proc, sizeof(proc)) < 0 || !(dir = opendir(proc)))
		return -ENOENT;
	while ((entry = readdir(dir)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    machine_ours(machine, entry->d_name) &&
		    is_below(machine, entry->d_name, text_of(change, "from")))
			machine_write(machine, text_of(change, "path"), entry->d_name);
	closedir(dir);
	return 0;
}

static const struct record_kind kinds[] = {
    {"value", value_now, value_set},
    {"controller", controller_now, value_set},
    {"directory", directory_now, directory_set},
    {"tasks", tasks_now, tasks_set},
    {"others", tasks_now, others_set},
    {"ours", ours_now, ours_set},
};

static const struct record_kind *kind_of(const json_t *change)
{
	const char *name = text_of(change, "kind");

	for (size_t i = 0; name != NULL && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

/* ---- the file ------------------------------------------------------------------------ */

static void boot_of(const struct machine *machine, char ret_boot[MACHINE_VALUE])
{
	if (machine_read(machine, "/proc/sys/kernel/random/boot_id", ret_boot) < 0)
		ret_boot[0] = 0;
}

static int change_check(const char *file, const json_t *change, size_t n, struct diag *diag)
{
	static const char *const keys[] = {"kind", "path", "from", "to"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (text_of(change, keys[i]) == NULL)
			return diag_error(
			    diag, file, 0, "changes[%zu].%s must be a text", n, keys[i]);
	if (kind_of(change) == NULL)
		return diag_error(diag, file, 0,
		    "changes[%zu].kind is \"%s\", which this program does not know", n,
		    text_of(change, "kind"));
	return 0;
}

static int users_parse(struct record *record, const json_t *whole, struct diag *diag)
{
	json_t *users = json_object_get(whole, "users"), *user;
	size_t n;

	if (users != NULL && !json_is_array(users))
		return diag_error(diag, record->path, 0, "users must be a list");
	json_array_foreach(users, n, user)
	{
		if (!json_is_integer(json_object_get(user, "pid")) ||
		    !json_is_integer(json_object_get(user, "start")))
			return diag_error(diag, record->path, 0,
			    "users[%zu] must have the whole numbers pid and start", n);
	}
	return users == NULL || json_array_extend(record->users, users) == 0 ? 0 : -ENOMEM;
}

static int record_parse(struct record *record, const char *bytes, size_t len, struct diag *diag)
{
	json_t *whole = json_read(record->path, bytes, len, diag), *changes, *change;
	char boot[MACHINE_VALUE];
	const char *then;
	size_t n;
	int rc = whole == NULL ? -EINVAL : json_want_text(whole, "boot", record->path, diag, &then);

	if (rc == 0)
		rc = json_want_array(whole, "changes", CHANGES_MAX, record->path, diag, &changes);
	if (rc == 0) {
		json_array_foreach(changes, n, change)
		{
			rc = rc < 0 ? rc : change_check(record->path, change, n, diag);
		}
		boot_of(record->machine, boot);
		record->stale = strcmp(boot, then) != 0;
		if (rc == 0 && !record->stale)
			rc = json_array_extend(record->changes, changes) < 0
			    ? -ENOMEM
			    : users_parse(record, whole, diag);
	}
	json_decref(whole);
	return rc;
}

int record_save(const struct record *record)
{
	char boot[MACHINE_VALUE];
	json_t *whole;
	char *bytes;
	int rc;

	if (json_array_size(record->changes) == 0)
		return unlink(record->path) == 0 || errno == ENOENT ? 0 : -errno;
	boot_of(record->machine, boot);
	whole = json_pack("{s:s, s:O}", "boot", boot, "changes", record->changes);
	if (whole != NULL && json_array_size(record->users) > 0)
		json_object_set(whole, "users", record->users);
	bytes = whole != NULL ? json_dumps(whole, JSON_INDENT(1)) : NULL;
	rc = bytes != NULL ? file_write(record->path, bytes, strlen(bytes)) : -ENOMEM;
	free(bytes);
	json_decref(whole);
	return rc;
}

static int lock_take(const char *state, const char *name)
{
	char path[PATH_MAX];
	int rc = path_print(path, sizeof(path), "%s/%s.lock", state, name), fd;

	if (rc < 0)
		return rc;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

int record_open(struct record *record, const struct machine *machine, const char *state,
    const char *name, bool make, struct diag *diag)
{
	char *bytes;
	size_t len;
	int rc = make ? dir_make(state) : 0;

	*record = (struct record){
	    .machine = machine, .lock = -1, .changes = json_array(), .users = json_array()};
	if (rc == 0)
		rc = path_print(record->path, sizeof(record->path), "%s/%s.json", state, name);
	if (rc == 0 && make)
		rc = record->lock = lock_take(state, name);
	if (rc < 0)
		return rc;
	rc = file_read(record->path, RECORD_MAX, &bytes, &len);
	if (rc < 0)
		return rc == -ENOENT || rc == -ENOTDIR ? 0 : rc;
	rc = record_parse(record, bytes, len, diag);
	free(bytes);
	return rc;
}

void record_close(struct record *record)
{
	json_decref(record->changes);
	json_decref(record->users);
	if (record->lock >= 0)
		close(record->lock);
}

/* ---- apply ------------------------------------------------------------------------ */

__attribute__((format(printf, 4, 5))) static void result_say(
    json_t *done, const json_t *change, bool good, const char *format, ...)
{
	char said[FINDING_TEXT * 2];
	va_list args;

	va_start(args, format);
	vsnprintf(said, sizeof(said), format, args);
	va_end(args);
	json_array_append_new(done,
	    json_pack("{s:s, s:s, s:s, s:b, s:s}", "path", text_of(change, "path"), "from",
	        text_of(change, "from"), "to", text_of(change, "to"), "done", good, "said", said));
}

static size_t change_find(const json_t *changes, const char *path)
{
	json_t *change;
	size_t n;

	json_array_foreach(changes, n, change)
	{
		if (strcmp(text_of(change, "path"), path) == 0)
			return n;
	}
	return SIZE_MAX;
}

/* What we had set ourselves is no value to go back to. Where someone else has changed it since,
 * that is the one. */
static int change_note(struct record *record, json_t *change)
{
	const size_t n = change_find(record->changes, text_of(change, "path"));
	json_t *before = n == SIZE_MAX ? NULL : json_array_get(record->changes, n);

	if (before == NULL)
		return json_array_append_new(record->changes, json_deep_copy(change));
	if (strcmp(text_of(before, "to"), text_of(change, "from")) != 0)
		json_object_set(before, "from", json_object_get(change, "from"));
	return json_object_set(before, "to", json_object_get(change, "to"));
}

/* One that is written down. What the file took is what revert will find there. */
static bool change_make(struct record *record, const json_t *change, json_t *done)
{
	const struct record_kind *kind = kind_of(change);
	json_t *noted =
	    json_array_get(record->changes, change_find(record->changes, text_of(change, "path")));
	const int rc = kind->set(record->machine, change, text_of(change, "to"));
	char now[MACHINE_VALUE];

	if (rc < 0) {
		result_say(
		    done, change, false, "stays %s: %s", text_of(change, "from"), strerror(-rc));
		return false;
	}
	if (kind->now == value_now && value_now(record->machine, change, now) == 0)
		json_object_set_new(noted, "to", json_string(now));
	result_say(done, change, true, "%s -> %s", text_of(change, "from"), text_of(noted, "to"));
	return true;
}

/* What was refused, and had not been changed before, is as it was. */
static void forget_refused(struct record *record, const json_t *change)
{
	const size_t n = change_find(record->changes, text_of(change, "path"));
	json_t *noted = json_array_get(record->changes, n);

	if (strcmp(text_of(noted, "from"), text_of(change, "from")) == 0)
		json_array_remove(record->changes, n);
	else
		json_object_set(noted, "to", json_object_get(change, "from"));
}

int record_apply(struct record *record, const json_t *changes, json_t **ret_done)
{
	json_t *done, *change;
	int rc = 0;
	size_t n;

	json_array_foreach(changes, n, change)
	{
		rc |= change_note(record, change);
	}
	rc = rc != 0 ? -ENOMEM : record_save(record);
	if (rc < 0)
		return rc;
	done = json_array();
	json_array_foreach(changes, n, change)
	{
		if (!change_make(record, change, done))
			forget_refused(record, change);
	}
	*ret_done = done;
	return record_save(record);
}

/* ---- revert ------------------------------------------------------------------------ */

/* Whether there is nothing left to put back of it. */
static bool change_revert(const struct record *record, const json_t *change, json_t *done)
{
	const struct record_kind *kind = kind_of(change);
	const char *from = text_of(change, "from"), *to = text_of(change, "to");
	char now[MACHINE_VALUE];
	int rc = kind->now(record->machine, change, now);

	if (rc == -ENOENT) {
		result_say(done, change, true, "no longer exists, and its setting with it");
		return true;
	}
	if (rc == 0 && strcmp(now, from) == 0) {
		result_say(done, change, true, "is %s already", from);
		return true;
	}
	if (rc == 0 && strcmp(now, to) != 0) {
		result_say(done, change, false,
		    "was left at %s: --apply changed %s to %s, and someone else changed it again "
		    "since",
		    now, from, to);
		return false;
	}
	rc = rc < 0 ? rc : kind->set(record->machine, change, from);
	if (rc < 0)
		result_say(done, change, false, "stays %s: %s", to, strerror(-rc));
	else
		result_say(done, change, true, "%s -> %s", to, from);
	return rc == 0;
}

/* One round over all that is left: what was put back is added to `done`, else to `undone`. */
static void round_revert(struct record *record, json_t *done, json_t *undone)
{
	for (size_t n = json_array_size(record->changes); n-- > 0;) {
		json_t *said = json_array();

		if (change_revert(record, json_array_get(record->changes, n), said)) {
			json_array_remove(record->changes, n);
			json_array_extend(done, said);
		} else {
			json_array_extend(undone, said);
		}
		json_decref(said);
	}
}

/* A control group in which a process was born meanwhile takes no value, but it can be removed, and
 * its values with it: hence the second round. */
int record_revert(struct record *record, json_t **ret_done)
{
	json_t *done = json_array(), *undone = json_array();

	round_revert(record, done, undone);
	if (json_array_size(undone) > 0) {
		json_array_clear(undone);
		round_revert(record, done, undone);
	}
	json_array_extend(done, undone);
	json_decref(undone);
	*ret_done = done;
	return record_save(record);
}
