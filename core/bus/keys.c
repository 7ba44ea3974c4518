/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/bus/keys.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

enum { FILE_BYTES_MAX = 64 << 10, FILE_NAME = 16 };

static_assert(KEYS_TEXT == TEXT_KEY_CHARS + 1, "a key and its NUL");

static const char own_name[] = "node.key", list_name[] = KEYS_LIST_FILE,
                  system_folder[] = "/etc/aloe";

/* A file of keys while it is read: one line after another. */
struct keys_reader {
	struct diag *diag;
	char path[KEYS_PATH + FILE_NAME];
	int line;
	size_t errors_before;
};

/* ---- where, and whose ---- */

int keys_folder(const char *given, const char *state, char ret[KEYS_PATH])
{
	char path[KEYS_PATH];
	int rc;

	if (given)
		return path_print(ret, KEYS_PATH, "%s", given);
	rc = state ? path_print(path, sizeof(path), "%s", state) : dir_state(path, sizeof(path));
	rc = rc ? rc : path_print(ret, KEYS_PATH, "%s/keys", path);
	rc = rc ? rc : path_print(path, sizeof(path), "%s/%s", ret, own_name);
	if (rc || access(path, F_OK) == 0)
		return rc;
	rc = path_print(path, sizeof(path), "%s/%s", system_folder, own_name);
	return rc || access(path, F_OK) < 0 ? rc : path_print(ret, KEYS_PATH, "%s", system_folder);
}

static int reader_open(
    struct keys_reader *reader, const char *folder, const char *name, struct diag *diag)
{
	*reader = (struct keys_reader){.diag = diag, .errors_before = diag->errors};
	if (path_print(reader->path, sizeof(reader->path), "%s/%s", folder, name) == 0)
		return 0;
	return diag_error(diag, folder, 0, "the path is too long");
}

/* Of the file that is open: nobody can exchange it in between. */
static int closed_check(const struct keys_reader *reader, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return diag_error(reader->diag, reader->path, 0, "%s", strerror(errno));
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return diag_error(reader->diag, reader->path, 0,
		    "the file belongs to user %u; a file of keys must belong to you or to root",
		    (unsigned)st.st_uid);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return diag_error(reader->diag, reader->path, 0,
		    "other users may read or write the file (mode %04o), so they may know or have "
		    "changed its keys; set mode 0600 (chmod 600), and make a new key if others use "
		    "this machine",
		    (unsigned)(st.st_mode & 07777));
	return 0;
}

/* The text of the file: 0, -ENOENT, or -EINVAL after saying why. The caller wipes and frees it. */
static int closed_read(const struct keys_reader *reader, char **ret_text, size_t *ret_len)
{
	const int fd = open(reader->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char path[40];
	int rc;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0)
		return diag_error(reader->diag, reader->path, 0, "%s", strerror(errno));
	rc = closed_check(reader, fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (rc == 0) {
		rc = file_read(path, FILE_BYTES_MAX, ret_text, ret_len);
		if (rc < 0)
			rc = diag_error(reader->diag, reader->path, 0, "%s", file_reason(rc));
	}
	close(fd);
	return rc;
}

/* ---- lines ---- */

/* The next line that says something, as two words; more than two, or fewer, is an error. False at
 * the end. */
static bool line_next(struct keys_reader *reader, char **text, char *words[2])
{
	static const char blank[] = " \t\r";

	while (*text) {
		char *line = strsep(text, "\n"), *rest;

		reader->line++;
		line += strspn(line, blank);
		if (line[0] == 0 || line[0] == '#')
			continue;
		words[0] = strtok_r(line, blank, &rest);
		words[1] = strtok_r(NULL, blank, &rest);
		if (words[1] && !strtok_r(NULL, blank, &rest))
			return true;
		diag_error(reader->diag, reader->path, reader->line,
		    "the line has %s; a name and a key with a space between them are needed",
		    words[1] ? "more than two words" : "one word");
	}
	return false;
}

/* What is in the file is said, but never a key that may be a secret one. */
static bool key_check(const struct keys_reader *reader, const char *what, const char *key)
{
	static const char *const known[] = {"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
	    "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7",
	    "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"};

	if (!text_is_key(key)) {
		diag_error(reader->diag, reader->path, reader->line,
		    "%s has %zu character%s and is no key; a key is %d characters of Z85 (`aloe "
		    "keys list` prints one)",
		    what, strlen(key), plural((double)strlen(key)), TEXT_KEY_CHARS);
		return false;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(key, known[i]) != 0)
			continue;
		diag_error(reader->diag, reader->path, reader->line,
		    "%s is a test key that the manual of ZeroMQ prints, and everybody has it; "
		    "`aloe keys new NAME` makes a key",
		    what);
		return false;
	}
	return true;
}

static bool name_check(const struct keys_reader *reader, const char *name)
{
	if (text_is_name(name))
		return true;
	diag_error(reader->diag, reader->path, reader->line,
	    "\"%.80s\" is no name of a node; a name is a letter, then letters, digits and _, at "
	    "most 63 characters",
	    name);
	return false;
}

static int reader_result(const struct keys_reader *reader)
{
	return reader->diag->errors > reader->errors_before ? -EINVAL : 0;
}

/* ---- this node's own ---- */

void keys_own_wipe(struct keys_own *own)
{
	explicit_bzero(own, sizeof(*own));
}

static void own_word(const struct keys_reader *reader, char *words[2], struct keys_own *own)
{
	const bool name = strcmp(words[0], "name") == 0, secret = strcmp(words[0], "secret") == 0;

	if ((name && own->name[0]) || (secret && own->secret[0]))
		diag_error(reader->diag, reader->path, reader->line, "%s appears twice", words[0]);
	else if (name && name_check(reader, words[1]))
		snprintf(own->name, sizeof(own->name), "%s", words[1]);
	else if (secret && key_check(reader, "secret", words[1]))
		snprintf(own->secret, sizeof(own->secret), "%s", words[1]);
	else if (!name && !secret)
		diag_error(reader->diag, reader->path, reader->line,
		    "unknown word \"%.20s\"; allowed: name, secret", words[0]);
}

static int own_read(struct keys_reader *reader, char *text, struct keys_own *own)
{
	char *words[2];

	while (line_next(reader, &text, words))
		own_word(reader, words, own);
	reader->line = 0;
	if (reader_result(reader) == 0 && (!own->name[0] || !own->secret[0]))
		diag_error(reader->diag, reader->path, 0,
		    "%s is missing; the lines `name NAME` and `secret KEY` are needed (`aloe keys "
		    "new NAME` writes them)",
		    own->name[0] ? "secret" : "name");
	if (reader_result(reader) == 0 && zmq_curve_public(own->key, own->secret) < 0)
		diag_error(reader->diag, reader->path, 0,
		    "the installed ZeroMQ was built without CURVE, which needs libsodium");
	return reader_result(reader);
}

int keys_own_load(const char *folder, struct diag *diag, struct keys_own *ret)
{
	struct keys_reader reader;
	struct keys_own own = {.name = ""};
	char *text = NULL;
	size_t len = 0;
	int rc = reader_open(&reader, folder, own_name, diag);

	rc = rc ? rc : closed_read(&reader, &text, &len);
	if (rc == 0)
		rc = own_read(&reader, text, &own);
	if (text)
		explicit_bzero(text, len);
	free(text);
	if (rc == 0)
		*ret = own;
	keys_own_wipe(&own);
	return rc;
}

/* ---- the nodes that are let in ---- */

const struct keys_node *keys_by_name(const struct keys_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->nodes[i].name, name) == 0)
			return &list->nodes[i];
	return NULL;
}

const struct keys_node *keys_by_key(const struct keys_list *list, const char *key)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->nodes[i].key, key) == 0)
			return &list->nodes[i];
	return NULL;
}

/* Adds a node: one name has one key, and the other way round. */
static void node_add(
    const struct keys_reader *reader, struct keys_list *list, const char *name, const char *key)
{
	const struct keys_node *same;

	if (!name_check(reader, name) || !key_check(reader, "the key", key))
		return;
	same = keys_by_name(list, name);
	if (same) {
		diag_error(reader->diag, reader->path, reader->line,
		    "node \"%s\" %s; `aloe keys revoke %s` removes it first", name,
		    strcmp(same->key, key) ? "has another key" : "appears twice", name);
		return;
	}
	same = keys_by_key(list, key);
	if (same) {
		diag_error(reader->diag, reader->path, reader->line,
		    "node \"%s\" has the same key as node \"%s\"; every node needs a key of its "
		    "own",
		    name, same->name);
		return;
	}
	if (list->n == KEYS_NODES_MAX) {
		diag_error(reader->diag, reader->path, reader->line,
		    "the list has more than %d nodes", KEYS_NODES_MAX);
		return;
	}
	snprintf(list->nodes[list->n].name, KEYS_NAME, "%s", name);
	snprintf(list->nodes[list->n++].key, KEYS_TEXT, "%s", key);
}

static int list_read(struct keys_reader *reader, struct keys_list *list)
{
	char *text = NULL, *rest, *words[2];
	size_t len;
	int rc = closed_read(reader, &text, &len);

	list->n = 0;
	if (rc == -ENOENT)
		return 0;
	rest = text;
	while (rc == 0 && line_next(reader, &rest, words))
		node_add(reader, list, words[0], words[1]);
	free(text);
	return rc ? rc : reader_result(reader);
}

int keys_list_load(const char *folder, struct diag *diag, struct keys_list *ret)
{
	struct keys_reader reader;
	struct keys_list *list = calloc(1, sizeof(*list));
	int rc = list ? reader_open(&reader, folder, list_name, diag) : -ENOMEM;

	rc = rc ? rc : list_read(&reader, list);
	if (rc == 0)
		*ret = *list;
	free(list);
	return rc == -ENOMEM ? diag_error(diag, folder, 0, "no memory") : rc;
}

/* ---- writing ---- */

/* Writers of a folder wait for each other. The descriptor, or -EINVAL after saying why. */
static int folder_lock(const char *folder, struct diag *diag)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX) == 0)
		return fd;
	diag_error(diag, folder, 0, "%s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -EINVAL;
}

static int text_write(const struct keys_reader *reader, const char *text, size_t len)
{
	const int rc = file_write_closed(reader->path, text, len);

	return rc == 0 ? 0
	               : diag_error(reader->diag, reader->path, 0, "the file cannot be written: %s",
	                     strerror(-rc));
}

static int list_write(const struct keys_reader *reader, const struct keys_list *list)
{
	static const char head[] =
	    "# Nodes that may connect to this one, each with its public key: "
	    "NAME KEY (aloe keys).\n";
	char *text = malloc(sizeof(head) + list->n * (KEYS_NAME + KEYS_TEXT + 2));
	size_t len;
	int rc;

	if (!text)
		return diag_error(reader->diag, reader->path, 0, "no memory");
	len = (size_t)sprintf(text, "%s", head);
	for (size_t i = 0; i < list->n; i++)
		len +=
		    (size_t)sprintf(text + len, "%s %s\n", list->nodes[i].name, list->nodes[i].key);
	rc = text_write(reader, text, len);
	free(text);
	return rc;
}

static int own_write(const struct keys_reader *reader, const char *name)
{
	char public[KEYS_TEXT], secret[KEYS_TEXT], text[512];
	int len, rc, made;

	do { /* a key that begins with a dash looks like an option */
		made = zmq_curve_keypair(public, secret);
	} while (made == 0 && public[0] == '-');
	if (made < 0)
		return diag_error(reader->diag, reader->path, 0,
		    "the installed ZeroMQ was built without CURVE, which needs libsodium");
	len = snprintf(text, sizeof(text),
	    "# The secret key of a node; whoever has it is that node (aloe keys).\n"
	    "name %s\nsecret %s\n",
	    name, secret);
	rc = text_write(reader, text, (size_t)len);
	explicit_bzero(secret, sizeof(secret));
	explicit_bzero(text, sizeof(text));
	return rc;
}

int keys_new(const char *folder, const char *name, bool replace, struct diag *diag)
{
	struct keys_reader reader;
	int rc, lock;

	if (!text_is_name(name))
		return diag_error(diag, NULL, 0,
		    "\"%.80s\" is no name of a node; a name is a letter, then letters, digits and "
		    "_, at most 63 characters",
		    name);
	rc = dir_make(folder);
	if (rc < 0)
		return diag_error(diag, folder, 0, "the folder cannot be made: %s", strerror(-rc));
	lock = folder_lock(folder, diag);
	if (lock < 0)
		return lock;
	rc = reader_open(&reader, folder, own_name, diag);
	if (rc == 0 && !replace && access(reader.path, F_OK) == 0)
		rc = diag_error(diag, reader.path, 0,
		    "there is a key already; --force replaces it, and then every other node must "
		    "revoke the old key and allow the new one");
	rc = rc ? rc : own_write(&reader, name);
	close(lock);
	return rc;
}

/* Reads the list, lets `change` at it, and writes it if that says so (> 0). */
static int list_change(const char *folder, struct diag *diag,
    int (*change)(const struct keys_reader *reader, struct keys_list *list, const char *name,
        const char *key),
    const char *name, const char *key)
{
	struct keys_list *list = calloc(1, sizeof(*list));
	struct keys_reader reader;
	int rc = dir_make(folder), lock = -1;

	if (rc < 0 || !list)
		diag_error(diag, folder, 0, "%s", strerror(list ? -rc : ENOMEM));
	else
		lock = folder_lock(folder, diag);
	rc = lock < 0 ? -EINVAL : reader_open(&reader, folder, list_name, diag);
	rc = rc ? rc : list_read(&reader, list);
	reader.line = 0;
	rc = rc ? rc : change(&reader, list, name, key);
	if (rc > 0)
		rc = list_write(&reader, list);
	if (lock >= 0)
		close(lock);
	free(list);
	return rc;
}

static int node_allow(
    const struct keys_reader *reader, struct keys_list *list, const char *name, const char *key)
{
	const struct keys_node *same = keys_by_name(list, name);

	if (same && strcmp(same->key, key) == 0)
		return 0;
	node_add(reader, list, name, key);
	return reader_result(reader) ? -EINVAL : 1;
}

int keys_allow(const char *folder, const char *name, const char *key, struct diag *diag)
{
	return list_change(folder, diag, node_allow, name, key);
}

static int node_revoke(
    const struct keys_reader *reader, struct keys_list *list, const char *name, const char *key)
{
	const struct keys_node *node = keys_by_name(list, name);
	const char *names[KEYS_NODES_MAX];
	char text[512];
	size_t at;

	(void)key;
	if (!node)
		node = keys_by_key(list, name);
	for (size_t i = 0; i < list->n; i++)
		names[i] = list->nodes[i].name;
	if (!node && list->n == 0)
		return diag_error(reader->diag, reader->path, 0, "no node is allowed");
	if (!node)
		return diag_error(reader->diag, reader->path, 0, "no node \"%.60s\"%s", name,
		    diag_suggest(name, names, list->n, text, sizeof(text)));
	at = (size_t)(node - list->nodes);
	memmove(&list->nodes[at], &list->nodes[at + 1], (--list->n - at) * sizeof(*list->nodes));
	return 1;
}

int keys_revoke(const char *folder, const char *name, struct diag *diag)
{
	return list_change(folder, diag, node_revoke, name, NULL);
}

/* ---- for people ---- */

void keys_print(const char *key, char ret[KEYS_PRINT])
{
	uint8_t bytes[32];
	char hex[SHA256_TEXT];
	size_t at = 0;

	ret[0] = 0;
	if (!zmq_z85_decode(bytes, key))
		return;
	sha256_text(bytes, sizeof(bytes), hex);
	for (int group = 0; group < 8; group++)
		at += (size_t)snprintf(
		    ret + at, KEYS_PRINT - at, "%s%.4s", group ? "-" : "", hex + 4 * group);
}
