/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/doctor/users.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "tools/aloe/doctor/groups.h"

enum { CMDLINE_MAX = 1 << 20 };

struct proc_stat {
	pid_t parent;
	unsigned long long
	    start; /* in ticks since the machine started; 0: there is no such process */
};

static struct proc_stat process_find(const struct machine *machine, pid_t pid)
{
	struct proc_stat process = {0};
	char path[64], state = 'Z', *text, *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	text = machine_text(machine, path);
	at = text != NULL ? strrchr(text, ')') : NULL; /* behind the name, which may be anything */
	if (at == NULL ||
	    sscanf(at + 1,
	        " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
	        &state, &process.parent, &process.start) != 3 ||
	    strchr("ZX", state) != NULL)
		process = (struct proc_stat){0};
	free(text);
	return process;
}

static pid_t user_pid(const json_t *user)
{
	return (pid_t)json_integer_value(json_object_get(user, "pid"));
}

static bool user_lives(const struct machine *machine, const json_t *user)
{
	const unsigned long long start = process_find(machine, user_pid(user)).start;

	return start != 0 &&
	    start == (unsigned long long)json_integer_value(json_object_get(user, "start"));
}

void users_join(struct record *record, pid_t pid)
{
	const unsigned long long start = process_find(record->machine, pid).start;

	users_leave(record, pid);
	if (start != 0)
		json_array_append_new(record->users,
		    json_pack("{s:i, s:I}", "pid", (int)pid, "start", (json_int_t)start));
}

bool users_leave(struct record *record, pid_t pid)
{
	bool was = false;

	for (size_t n = json_array_size(record->users); n-- > 0;) {
		if (user_pid(json_array_get(record->users, n)) != pid)
			continue;
		was |= user_lives(record->machine, json_array_get(record->users, n));
		json_array_remove(record->users, n);
	}
	return was;
}

bool users_live(const struct record *record)
{
	json_t *user;
	size_t n;

	json_array_foreach(record->users, n, user)
	{
		if (user_lives(record->machine, user))
			return true;
	}
	return false;
}

/* ---- node keepers ------------------------------------------------------------------------ */

static bool has_name(const struct machine *machine, pid_t pid, const char *name)
{
	char path[64], now[MACHINE_VALUE];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	return machine_read(machine, path, now) == 0 && strcmp(now, name) == 0;
}

static bool is_same(const char *path, const char *dir)
{
	struct stat one, other;

	return stat(path, &one) == 0 && stat(dir, &other) == 0 && one.st_dev == other.st_dev &&
	    one.st_ino == other.st_ino;
}

/* Its arguments are texts, one behind another. */
static bool has_dir(const struct machine *machine, pid_t pid, const char *dir)
{
	char name[64], path[PATH_MAX], *text;
	bool has = false;
	size_t len;

	snprintf(name, sizeof(name), "/proc/%d/cmdline", (int)pid);
	if (machine_path(machine, name, 0, path, sizeof(path)) < 0 ||
	    file_read(path, CMDLINE_MAX, &text, &len) < 0)
		return false;
	for (char *at = text; at < text + len && !has; at += strlen(at) + 1)
		has = strcmp(at, "--dir") == 0 && at + sizeof("--dir") < text + len &&
		    is_same(at + sizeof("--dir"), dir);
	free(text);
	return has;
}

/* A frontend is the child of its node keeper. */
static void frontend_look(struct record *record, pid_t pid, const char *scope, const char *dir)
{
	const pid_t keeper = process_find(record->machine, pid).parent;

	if (has_name(record->machine, keeper, "aloe") &&
	    groups_in_scope(record->machine, keeper, scope) &&
	    (dir == NULL || has_dir(record->machine, pid, dir)))
		users_join(record, keeper);
}

void users_keepers(struct record *record, const char *scope, const char *dir)
{
	char proc[PATH_MAX];
	const struct dirent *entry;
	DIR *all;

	if (machine_path(record->machine, "/proc", 0, proc, sizeof(proc)) < 0 ||
	    !(all = opendir(proc)))
		return;
	while ((entry = readdir(all)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    has_name(record->machine, atoi(entry->d_name), "aloe-frontend"))
			frontend_look(record, atoi(entry->d_name), scope, dir);
	closedir(all);
}
