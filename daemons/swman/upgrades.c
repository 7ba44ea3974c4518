/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/swman/upgrades.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/report/report.h"

enum { BUILD_BYTES_MAX = 256 << 20, LIST_BYTES_MAX = 1 << 20 };

/* ---- the list ------------------------------------------------------------------------ */

static int list_path(const struct swman_run *run, char *ret, size_t size)
{
	return path_print(ret, size, "%s/upgrades.json", run->dir);
}

static json_t *list_of(struct swman_run *run)
{
	char path[PATH_MAX + 32], *text;
	size_t len;

	if (!run->upgrades && run->dir[0] && list_path(run, path, sizeof(path)) == 0 &&
	    file_read(path, LIST_BYTES_MAX, &text, &len) == 0) {
		run->upgrades = json_loadb(text, len, 0, NULL);
		free(text);
	}
	if (!json_is_array(run->upgrades)) {
		json_decref(run->upgrades);
		run->upgrades = json_array();
	}
	return run->upgrades;
}

static int list_write(struct swman_run *run)
{
	char path[PATH_MAX + 32];
	char *text = json_dumps(list_of(run), JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	int rc = text ? list_path(run, path, sizeof(path)) : -ENOMEM;

	if (rc == 0)
		rc = file_write(path, text, strlen(text));
	free(text);
	return rc;
}

static uint64_t number_of(const json_t *entry)
{
	return (uint64_t)json_integer_value(json_object_get(entry, "number"));
}

static const char *text_of(const json_t *entry, const char *key)
{
	const char *text = json_string_value(json_object_get(entry, key));

	return text ? text : "";
}

static bool is_shadow(const json_t *entry)
{
	return json_is_true(json_object_get(entry, "shadow"));
}

/* The number of the build that an instance has, by exec's last report; 0: as loaded. */
static uint64_t in_force(const struct swman_run *run, const char *instance)
{
	return (uint64_t)json_integer_value(
	    json_object_get(json_object_get(run->builds, instance), "upgrade"));
}

static json_t *entry_find(struct swman_run *run, const char *instance, uint64_t number)
{
	json_t *entry;
	size_t n;

	json_array_foreach(list_of(run), n, entry)
	{
		if (number_of(entry) == number && !strcmp(text_of(entry, "instance"), instance))
			return entry;
	}
	return NULL;
}

/* The last one that is to be shadowed; NULL: none. */
static json_t *shadow_find(struct swman_run *run, const char *instance)
{
	json_t *entry, *found = NULL;
	size_t n;

	json_array_foreach(list_of(run), n, entry)
	{
		if (is_shadow(entry) && !strcmp(text_of(entry, "instance"), instance))
			found = entry;
	}
	return found;
}

/* ---- what exec has ---- */

void upgrades_learn(struct swman_run *run, const json_t *report)
{
	json_t *instance, *builds = json_object();
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, instance)
	{
		json_t *build = json_object();

		json_object_set(build, "lane", json_object_get(instance, "lane"));
		json_object_set(build, "set", json_object_get(instance, "set"));
		if (json_object_get(instance, "upgrade"))
			json_object_set(build, "upgrade", json_object_get(instance, "upgrade"));
		json_object_set_new(builds, report_text(instance, "name"), build);
	}
	json_decref(run->builds);
	run->builds = builds;
}

/* ---- copies of builds ---- */

static int file_copy(const char *from, const char *to, struct diag *diag)
{
	char *bytes;
	size_t len;
	int rc = file_read(from, BUILD_BYTES_MAX, &bytes, &len);

	if (rc < 0)
		return diag_error(diag, from, 0, "cannot be read: %s", file_reason(rc));
	rc = file_write(to, bytes, len);
	free(bytes);
	return rc < 0 ? diag_error(diag, to, 0, "cannot be written: %s", strerror(-rc)) : 0;
}

static void build_dir(const struct swman_run *run, uint64_t number, char *ret, size_t size)
{
	path_print(ret, size, "%s/build-%llu", run->dir, (unsigned long long)number);
}

static void build_unlink(const char *path, const char *dir)
{
	char desc[PATH_MAX + 300];

	path_print(desc, sizeof(desc), "%.*s.desc", (int)strlen(path) - 3, path);
	unlink(desc);
	unlink(path);
	rmdir(dir);
}

/* DIR/NAME.so and DIR/NAME.desc into the folder of the run: its path there in ret. */
static int build_copy(const struct swman_run *run, uint64_t number, const char *path,
    struct diag *diag, char *ret, size_t size)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char dir[PATH_MAX + 32], from[PATH_MAX + 300], to[PATH_MAX + 300];
	const int len = (int)strlen(path) - 3;
	int rc;

	if (len < 1 || strcmp(path + len, ".so") != 0)
		return diag_error(
		    diag, path, 0, "is not the path of a component; DIR/NAME.so is needed");
	build_dir(run, number, dir, sizeof(dir));
	rc = dir_make(dir);
	if (rc < 0)
		return diag_error(diag, dir, 0, "cannot be made: %s", strerror(-rc));
	path_print(ret, size, "%s/%s", dir, name);
	rc = file_copy(path, ret, diag);
	if (rc == 0) {
		path_print(from, sizeof(from), "%.*s.desc", len, path);
		path_print(to, sizeof(to), "%.*s.desc", (int)strlen(ret) - 3, ret);
		rc = file_copy(from, to, diag);
	}
	if (rc != 0)
		build_unlink(ret, dir);
	return rc;
}

static void build_remove(const struct swman_run *run, const json_t *entry)
{
	const char *path = text_of(entry, "path");
	char dir[PATH_MAX + 32];

	if (!path[0] || !run->dir[0])
		return;
	build_dir(run, number_of(entry), dir, sizeof(dir));
	if (strncmp(path, dir, strlen(dir)) != 0)
		return;
	build_unlink(path, dir);
}

/* What is in force, what a rollback goes back to, what is shadowed, and what was tried last. */
static bool is_needed(struct swman_run *run, const json_t *entry)
{
	const char *instance = text_of(entry, "instance");
	const uint64_t now = in_force(run, instance);
	const json_t *current = entry_find(run, instance, now);

	return number_of(entry) == now || number_of(entry) == run->tried || is_shadow(entry) ||
	    (current &&
	        number_of(entry) ==
	            (uint64_t)json_integer_value(json_object_get(current, "before")));
}

static void entry_remove(struct swman_run *run, size_t n)
{
	build_remove(run, json_array_get(list_of(run), n));
	json_array_remove(list_of(run), n);
}

static void list_prune(struct swman_run *run)
{
	json_t *list = list_of(run);

	for (size_t n = json_array_size(list); n > 0; n--) {
		json_t *entry = json_array_get(list, n - 1);

		if (!is_needed(run, entry))
			entry_remove(run, n - 1);
	}
}

/* ---- parameters: texts "NAME=VALUE" ---- */

static bool name_same(const char *one, const char *other)
{
	const size_t len = strcspn(one, "=");

	return len == strcspn(other, "=") && strncmp(one, other, len) == 0;
}

static bool sets_name(const json_t *sets, const char *text)
{
	json_t *set;
	size_t n;

	json_array_foreach(sets, n, set)
	{
		if (name_same(json_string_value(set), text))
			return true;
	}
	return false;
}

/* Those of `from` go before those of the same name. */
static void sets_merge(json_t *to, const json_t *from)
{
	json_t *set;
	size_t n;

	json_array_foreach(from, n, set)
	{
		for (size_t i = json_array_size(to); i > 0; i--)
			if (name_same(json_string_value(json_array_get(to, i - 1)),
			        json_string_value(set)))
				json_array_remove(to, i - 1);
		json_array_append(to, set);
	}
}

/* What was given with a build, and what it took over from the one before. */
static void sets_carry(json_t *entry, const json_t *from)
{
	json_t *carried = json_object_get(entry, "carried");

	sets_merge(carried, json_object_get(from, "carried"));
	sets_merge(carried, json_object_get(from, "set"));
}

/* ---- one more ---- */

/* What a rollback goes back to: the build in force, and what was set while it was. */
static void entry_before(const struct swman_run *run, json_t *entry)
{
	const char *instance = text_of(entry, "instance"), *name;
	json_t *kept = json_array(), *value;

	json_object_foreach(
	    json_object_get(json_object_get(run->builds, instance), "set"), name, value)
	{
		json_array_append_new(kept, json_sprintf("%s=%s", name, json_string_value(value)));
	}
	json_object_set_new(entry, "before", json_integer((json_int_t)in_force(run, instance)));
	json_object_set_new(entry, "kept", kept);
}

static json_t *entry_new(struct swman_run *run, const char *instance)
{
	json_t *entry = json_object(), *other;
	uint64_t number = 1;
	size_t n;

	json_array_foreach(list_of(run), n, other)
	{
		number = number_of(other) >= number ? number_of(other) + 1 : number;
	}
	number = run->tried >= number ? run->tried + 1 : number;
	json_object_set_new(entry, "number", json_integer((json_int_t)number));
	json_object_set_new(entry, "instance", json_string(instance));
	entry_before(run, entry);
	json_object_set_new(entry, "path", json_string(""));
	json_object_set_new(entry, "set", json_array());
	json_object_set_new(entry, "carried", json_array());
	return entry;
}

/* The build before the one in force, under another number, with a copy of its own: what is in force
 * is known by the number. */
static int entry_back(struct swman_run *run, json_t *entry, struct diag *diag)
{
	const char *instance = text_of(entry, "instance");
	const json_t *current = entry_find(run, instance, in_force(run, instance)), *before;
	char path[PATH_MAX + 300];
	uint64_t number;
	int rc = 0;

	if (!current)
		return diag_error(diag, NULL, 0,
		    "instance \"%s\" has neither a shadow run nor a build before this one",
		    instance);
	number = (uint64_t)json_integer_value(json_object_get(current, "before"));
	before = entry_find(run, instance, number);
	if (number != 0 && !before)
		return diag_error(diag, NULL, 0,
		    "the build of instance \"%s\" before this one is not kept any more", instance);
	sets_carry(entry, before);
	sets_merge(json_object_get(entry, "carried"), json_object_get(current, "kept"));
	if (before && text_of(before, "path")[0]) {
		rc = build_copy(
		    run, number_of(entry), text_of(before, "path"), diag, path, sizeof(path));
		json_object_set_new(entry, "path", json_string(path));
	}
	return rc;
}

static int entry_fill(struct swman_run *run, const struct wire_view *request,
    const struct registry *registry, json_t *entry, struct diag *diag)
{
	const char *instance = text_of(entry, "instance");
	char *file = wire_get_text(request, WIRE_TAG_FILE, 0), path[PATH_MAX + 300];
	const struct component_type *type =
	    file && !strchr(file, '/') ? registry_find(registry, file) : NULL;
	int rc = 0;

	if (!file)
		return diag_error(diag, NULL, 0, "--component NAME or --component PATH is needed");
	if (!type && !strchr(file, '/'))
		rc = diag_error(diag, NULL, 0,
		    "no component \"%s\" is known (`aloe list components`); a path has a slash",
		    file);
	if (rc == 0)
		rc = build_copy(
		    run, number_of(entry), type ? type->path : file, diag, path, sizeof(path));
	if (rc == 0)
		json_object_set_new(entry, "path", json_string(path));
	sets_carry(entry, entry_find(run, instance, in_force(run, instance)));
	free(file);
	return rc;
}

static int entry_add(struct swman_run *run, const struct wire_view *request, const char *state,
    const struct registry *registry, const char *instance, struct diag *diag)
{
	json_t *entry = entry_new(run, instance);
	char *set;
	int rc =
	    state ? entry_back(run, entry, diag) : entry_fill(run, request, registry, entry, diag);

	for (unsigned n = 0; rc == 0 && (set = wire_get_text(request, WIRE_TAG_SET, n)); n++) {
		json_array_append_new(json_object_get(entry, "set"), json_string(set));
		free(set);
	}
	if (rc != 0) {
		json_decref(entry);
		return rc;
	}
	run->tried = number_of(entry);
	list_prune(run);
	json_array_append_new(list_of(run), entry);
	rc = json_array_size(list_of(run)) > UPGRADES_MAX
	    ? diag_error(diag, NULL, 0, "at most %d instances can be upgraded", UPGRADES_MAX)
	    : list_write(run);
	if (rc < 0 && diag->errors == 0)
		rc = diag_error(diag, run->dir, 0, "cannot be written: %s", strerror(-rc));
	if (rc < 0)
		entry_remove(run, json_array_size(list_of(run)) - 1);
	return rc;
}

/* What is in force may be another build than when the shadow run began. */
static int entry_commit(struct swman_run *run, json_t *entry, struct diag *diag)
{
	int rc;

	run->tried = number_of(entry);
	entry_before(run, entry);
	rc = list_write(run);
	return rc < 0 ? diag_error(diag, run->dir, 0, "cannot be written: %s", strerror(-rc)) : 0;
}

int upgrades_begin(struct swman *swman, struct swman_run *run, const struct wire_view *request,
    const struct registry *registry, struct diag *diag)
{
	char *instance = wire_get_text(request, WIRE_TAG_NAME, 0),
	     *state = wire_get_text(request, WIRE_TAG_STATE, 0);
	json_t *shadow = instance && state ? shadow_find(run, instance) : NULL;
	int rc = 0;

	(void)swman;
	if (!instance || !run->dir[0])
		rc = diag_error(diag, NULL, 0,
		    instance
		        ? "the folder of the run cannot be written, and it has to keep the build"
		        : "UPGRADE needs an instance");
	else if (!json_object_get(run->builds, instance))
		rc = diag_error(
		    diag, NULL, 0, "\"%s\" has no instance \"%.80s\"", run->waveform, instance);
	else if (state && !strcmp(state, "commit") && shadow)
		rc = entry_commit(run, shadow, diag);
	else if (state && !strcmp(state, "commit"))
		rc = diag_error(diag, NULL, 0,
		    "instance \"%s\" has no shadow run that could be committed", instance);
	else
		rc = entry_add(run, request, state, registry, instance, diag);
	free(instance);
	free(state);
	return rc;
}

/* ---- for a waveform ---- */

static bool type_has(const struct component_type *type, const char *text)
{
	for (size_t p = 0; p < type->n_params; p++)
		if (name_same(type->params[p].name, text))
			return true;
	return false;
}

/* type NULL: that of the file, which what was carried to it has come from. */
static int sets_add(const json_t *entry, const char *key, const struct component_type *type,
    char **sets, size_t *n_sets, size_t sets_max)
{
	const bool carried = !strcmp(key, "carried");
	json_t *set;
	size_t n;

	json_array_foreach(json_object_get(entry, key), n, set)
	{
		const char *given = json_string_value(set);
		char *text;

		if (carried &&
		    (sets_name(json_object_get(entry, "set"), given) ||
		        (type && !type_has(type, given))))
			continue;
		if (*n_sets + 1 >= sets_max)
			return -E2BIG;
		if (asprintf(&text, "%s.%s", text_of(entry, "instance"), given) < 0)
			return -ENOMEM;
		sets[(*n_sets)++] = text;
	}
	return 0;
}

/* The instance gets the one that is tried instead of the one in force. */
static bool is_taken(const struct swman_run *run, const json_t *entry, bool tries)
{
	const char *instance = text_of(entry, "instance");

	if (tries && number_of(entry) == run->tried)
		return true;
	return number_of(entry) == in_force(run, instance) &&
	    !(tries && run->tried_instance[0] && !strcmp(instance, run->tried_instance));
}

int upgrades_take(struct swman_run *run, bool tries, char **sets, size_t *n_sets, size_t sets_max,
    struct diag *diag, struct swman_upgrades *ret)
{
	json_t *entry;
	int rc = 0;
	size_t n;

	run->tried_instance[0] = 0;
	json_array_foreach(list_of(run), n, entry)
	{
		if (tries && number_of(entry) == run->tried)
			snprintf(run->tried_instance, sizeof(run->tried_instance), "%s",
			    text_of(entry, "instance"));
	}
	json_array_foreach(list_of(run), n, entry)
	{
		const char *path = text_of(entry, "path");

		if (!is_taken(run, entry, tries) || ret->n == UPGRADES_MAX)
			continue;
		if (path[0] && (rc = component_type_open(path, diag, &ret->types[ret->n])) != 0)
			break;
		ret->items[ret->n] =
		    (struct wf_upgrade){text_of(entry, "instance"), ret->types[ret->n]};
		ret->entries[ret->n++] = json_incref(entry);
		rc = sets_add(entry, "carried", ret->types[ret->n - 1], sets, n_sets, sets_max);
		if (rc == 0)
			rc = sets_add(entry, "set", ret->types[ret->n - 1], sets, n_sets, sets_max);
		if (rc != 0)
			break;
	}
	return rc;
}

/* Which of its parameters were given with it. */
static uint32_t given_of(const json_t *entry, const struct component_type *type)
{
	uint32_t given = 0;
	json_t *set;
	size_t n;

	json_array_foreach(json_object_get(entry, "set"), n, set)
	{
		const char *text = json_string_value(set);

		for (size_t p = 0; p < type->n_params && p < 32; p++)
			if (name_same(type->params[p].name, text))
				given |= 1u << p;
	}
	return given;
}

void upgrades_mark(const struct swman_run *run, const struct swman_upgrades *upgrades, bool tries,
    struct waveform *waveform)
{
	for (size_t i = 0; i < waveform->n_instances; i++) {
		struct wf_instance *it = &waveform->instances[i];
		const char *name = it->original ? it->original : it->name;
		const json_t *lane = json_object_get(json_object_get(run->builds, name), "lane");

		if (tries && json_is_integer(lane))
			it->pin = (int)json_integer_value(lane);
		for (size_t u = 0; u < upgrades->n; u++)
			if (!strcmp(upgrades->items[u].instance, name)) {
				it->upgrade = (uint32_t)number_of(upgrades->entries[u]);
				it->given = given_of(upgrades->entries[u], it->type);
			}
	}
}

void upgrades_fini(struct swman_upgrades *upgrades)
{
	for (size_t i = 0; i < UPGRADES_MAX; i++)
		component_type_close(upgrades->types[i]);
	for (size_t i = 0; i < upgrades->n; i++)
		json_decref(upgrades->entries[i]);
	upgrades->n = 0;
}

/* ---- after ---- */

uint64_t upgrades_shadow(struct swman_run *run, const char *instance)
{
	const json_t *entry = shadow_find(run, instance);

	return entry ? number_of(entry) : 0;
}

void upgrades_shadow_begun(struct swman_run *run, uint64_t number)
{
	json_t *entry;
	size_t n;

	json_array_foreach(list_of(run), n, entry)
	{
		if (number != 0 && number_of(entry) == number)
			json_object_set_new(entry, "shadow", json_true());
		else
			json_object_del(entry, "shadow");
	}
	list_write(run);
}

void upgrades_shadow_gone(struct swman_run *run, uint64_t number)
{
	json_t *entry;
	size_t n;

	json_array_foreach(list_of(run), n, entry)
	{
		if (number_of(entry) == number)
			json_object_del(entry, "shadow");
	}
	list_write(run);
}

void upgrades_refused(struct swman_run *run, uint64_t number)
{
	json_t *list = list_of(run);

	for (size_t n = json_array_size(list); n > 0; n--) {
		const json_t *entry = json_array_get(list, n - 1);

		if (number_of(entry) == number && !is_shadow(entry) &&
		    in_force(run, text_of(entry, "instance")) != number)
			entry_remove(run, n - 1);
	}
	list_write(run);
}

bool upgrades_any(struct swman_run *run)
{
	json_t *entry;
	size_t n;

	json_array_foreach(list_of(run), n, entry)
	{
		if (!is_shadow(entry))
			return true;
	}
	return false;
}

void upgrades_forget(struct swman_run *run)
{
	char path[PATH_MAX + 32];
	json_t *entry;
	size_t n;

	json_array_foreach(list_of(run), n, entry)
	{
		build_remove(run, entry);
	}
	if (run->dir[0] && list_path(run, path, sizeof(path)) == 0)
		unlink(path);
	json_decref(run->upgrades);
	json_decref(run->builds);
	run->upgrades = run->builds = NULL;
}
