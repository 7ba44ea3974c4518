/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe new component NAME: a skeleton that builds and runs at once. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/file.h"
#include "core/registry/registry.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/new_text.h"

enum { NAME_MAX_CHARS = 48 };

struct new_words { /* what the placeholders become */
	const char *name;
	const char *suffix, *cc, *flags, *std, *source; /* these five: of the language */
	char file[64], bin[PATH_MAX], include[PATH_MAX];
};

/* words_find tells where this ALOE lies: installed, or in a build folder. */
static int words_find(struct new_words *words)
{
	char header[PATH_MAX + 64];
	int rc = child_path("", words->bin, sizeof(words->bin));

	if (rc < 0)
		return rc;
	while (words->bin[0] && words->bin[strlen(words->bin) - 1] == '/')
		words->bin[strlen(words->bin) - 1] = 0;
	for (int i = 0; i < 2; i++) {
		rc = path_print(words->include, sizeof(words->include),
		    i ? "%s/../../core/include" : "%s/../include", words->bin);
		if (rc < 0)
			return rc;
		snprintf(header, sizeof(header), "%s/aloe/component.h", words->include);
		if (access(header, R_OK) == 0) {
			char *real = realpath(words->include, NULL);
			if (real)
				path_print(words->include, sizeof(words->include), "%s", real);
			free(real);
			return 0;
		}
	}
	return -ENOENT;
}

static const char *word_find(const struct new_words *words, const char *at, size_t *ret_len)
{
	const struct {
		const char *key, *value;
	} table[] = {{"@NAME@", words->name}, {"@BIN@", words->bin}, {"@INCLUDE@", words->include},
	    {"@SOURCE@", words->file}, {"@CC@", words->cc}, {"@FLAGS@", words->flags},
	    {"@STD@", words->std}};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		*ret_len = strlen(table[i].key);
		if (!strncmp(at, table[i].key, *ret_len))
			return table[i].value;
	}
	return NULL;
}

static void fill_in(const struct new_words *words, const char *text, FILE *out)
{
	while (*text) {
		size_t len;
		const char *value = *text == '@' ? word_find(words, text, &len) : NULL;
		if (value) {
			fputs(value, out);
			text += len;
		} else {
			fputc(*text++, out);
		}
	}
}

static int file_new(const struct new_words *words, const struct new_file *file)
{
	char path[PATH_MAX];
	FILE *name = fmemopen(path, sizeof(path), "w"), *out;
	int rc;

	if (!name)
		return -errno;
	fprintf(name, "%s/", words->name);
	fill_in(words, file->name, name);
	if (fclose(name) != 0)
		return -errno;
	out = fopen(path, "wxe");
	if (!out)
		return -errno;
	fill_in(words, file->text ? file->text : words->source, out);
	rc = ferror(out) ? -EIO : 0;
	return fclose(out) != 0 ? -errno : rc;
}

/* A name is a word of C: it becomes part of a symbol, a file name and a word in waveform files. */
static bool name_good(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

	return name[0] >= 'a' && name[0] <= 'z' && strspn(name, letters) == strlen(name) &&
	    strlen(name) <= NAME_MAX_CHARS;
}

static bool name_taken(const char *name)
{
	struct registry *registry = NULL;
	struct diag diag;
	char *dirs = registry_dirs();
	bool taken;

	diag_init(&diag);
	if (dirs)
		registry = registry_open(dirs, &diag);
	taken = registry && registry_find(registry, name);
	if (registry)
		registry_close(registry);
	diag_fini(&diag);
	free(dirs);
	return taken;
}

static int files_new(const struct cli_args *args, struct new_words *words)
{
	const struct new_file *file = new_files;
	int rc = words_find(words);

	snprintf(words->file, sizeof(words->file), "%s.%s", words->name, words->suffix);

	if (rc < 0)
		return cli_fail(args,
		           "the header <aloe/component.h> was not found beside this "
		           "program: %s",
		           strerror(-rc)),
		       CLI_FAILED;
	if (mkdir(words->name, 0777) < 0)
		return cli_fail(args, "%s: %s", words->name, strerror(errno));
	for (; rc == 0 && file->name; file++)
		rc = file_new(words, file);
	if (rc < 0)
		return cli_fail(args, "%s: %s", words->name, strerror(-rc)), CLI_FAILED;
	printf("created %s/: `cd %s && make run` builds and runs the component\n", words->name,
	    words->name);
	return CLI_OK;
}

int aloe_new(const struct cli_args *args)
{
	static const struct new_words c = {NULL, "c", "CC", "CFLAGS", "c11", new_source_c};
	static const struct new_words cpp = {
	    NULL, "cpp", "CXX", "CXXFLAGS", "c++20", new_source_cpp};
	struct new_words words = cli_has(args, "cpp") ? cpp : c;

	words.name = args->args[1];

	if (!name_good(words.name))
		return cli_fail(args,
		    "`%s` cannot be the name of a component: a name has lower-case letters, "
		    "digits and _, begins with a letter, and is at most %d characters long",
		    words.name, NAME_MAX_CHARS);
	if (name_taken(words.name))
		return cli_fail(args,
		    "a component `%s` exists already (`aloe help %s` describes "
		    "that component)",
		    words.name, words.name);
	return files_new(args, &words);
}
