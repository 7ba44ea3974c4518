/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_keys.c - files of keys: made, read, changed, and what can be wrong with one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/address.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/bus/keys.h"
#include "tests/common/nodes.h"

static int nodes_setup(void **state)
{
	struct nodes *nodes = calloc(1, sizeof(*nodes));

	nodes_open(nodes);
	*state = nodes;
	return 0;
}

static int nodes_teardown(void **state)
{
	nodes_close(*state);
	free(*state);
	return 0;
}

/* Writes a file of node a, and says what reading it says. `path` stands for its folder. */
static const char *said_of(struct nodes *nodes, const char *name, const char *text, mode_t mode)
{
	static char said[4096];
	char path[128];
	struct diag diag;
	struct keys_own own;
	struct keys_list list;
	size_t len = 0;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", nodes->folder[NODE_A], name);
	assert_int_equal(file_write_closed(path, text, strlen(text)), 0);
	assert_int_equal(chmod(path, mode), 0);
	diag_init(&diag);
	rc = strcmp(name, "allowed") ? keys_own_load(nodes->folder[NODE_A], &diag, &own)
	                             : keys_list_load(nodes->folder[NODE_A], &diag, &list);
	assert_int_equal(rc, diag.errors ? -EINVAL : 0);
	said[0] = 0;
	for (size_t i = 0; i < diag.len; i++)
		len += (size_t)snprintf(said + len, sizeof(said) - len, "%s\n",
		    diag.lines[i] + strlen(nodes->folder[NODE_A]) + 1);
	diag_fini(&diag);
	return said;
}

static mode_t mode_of(const char *folder, const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static void test_made(void **state)
{
	struct nodes *nodes = *state;
	struct keys_own again;

	umask(0);
	assert_int_equal(keys_new(nodes->folder[NODE_C], "c2", true, &nodes->diag), 0);
	assert_int_equal(mode_of(nodes->folder[NODE_A], "node.key"), 0600);
	assert_int_equal(mode_of(nodes->folder[NODE_A], "allowed"), 0600);
	assert_int_equal(mode_of(nodes->folder[NODE_C], "node.key"), 0600);
	assert_int_equal(mode_of(nodes->folder[NODE_A], "."), 0700);
	assert_string_equal(nodes->own[NODE_A].name, "a");
	assert_true(text_is_key(nodes->own[NODE_A].key) && text_is_key(nodes->own[NODE_A].secret));
	assert_string_not_equal(nodes->own[NODE_A].key, nodes->own[NODE_B].key);
	assert_string_not_equal(nodes->own[NODE_A].key, nodes->own[NODE_A].secret);
	assert_int_equal(keys_own_load(nodes->folder[NODE_C], &nodes->diag, &again), 0);
	assert_string_equal(again.name, "c2");
	assert_string_not_equal(again.key, nodes->own[NODE_C].key);
	keys_own_wipe(&again);
	for (size_t i = 0; i < sizeof(again); i++)
		assert_int_equal(((const char *)&again)[i], 0);
	assert_int_equal(keys_own_load("/none", &nodes->diag, &again), -ENOENT);
	assert_int_equal(nodes->diag.len, 0);
}

static void test_not_replaced(void **state)
{
	struct nodes *nodes = *state;

	assert_int_equal(keys_new(nodes->folder[NODE_A], "a", false, &nodes->diag), -EINVAL);
	assert_non_null(strstr(nodes->diag.lines[0], "/node.key: there is a key already; --force"));
	assert_int_equal(keys_new(nodes->folder[NODE_A], "1a", true, &nodes->diag), -EINVAL);
	assert_non_null(strstr(nodes->diag.lines[1], "\"1a\" is no name of a node; a name is a "));
}

static void test_allowed_and_revoked(void **state)
{
	struct nodes *nodes = *state;
	const char *folder = nodes->folder[NODE_A], *key = nodes->own[NODE_C].key;
	struct keys_list list;

	assert_int_equal(keys_allow(folder, "c", key, &nodes->diag), 0);
	assert_int_equal(keys_allow(folder, "c", key, &nodes->diag), 0); /* as it is */
	assert_int_equal(keys_list_load(folder, &nodes->diag, &list), 0);
	assert_int_equal(list.n, 2);
	assert_string_equal(keys_by_name(&list, "c")->key, key);
	assert_string_equal(keys_by_key(&list, key)->name, "c");
	assert_null(keys_by_name(&list, "d"));
	assert_int_equal(nodes->diag.len, 0);

	assert_int_equal(keys_allow(folder, "b", nodes->own[NODE_A].key, &nodes->diag), -EINVAL);
	assert_int_equal(keys_allow(folder, "d", key, &nodes->diag), -EINVAL);
	assert_int_equal(keys_allow(folder, "d", "none", &nodes->diag), -EINVAL);
	assert_int_equal(keys_revoke(folder, "bb", &nodes->diag), -EINVAL);
	assert_non_null(strstr(nodes->diag.lines[0],
	    "/allowed: node \"b\" has another key; `aloe keys revoke b` removes it first"));
	assert_non_null(strstr(nodes->diag.lines[1],
	    "/allowed: node \"d\" has the same key as node \"c\"; every node needs a key of its"));
	assert_non_null(strstr(nodes->diag.lines[2],
	    "/allowed: the key has 4 characters and is no key; a key is 40 characters of Z85"));
	assert_non_null(strstr(nodes->diag.lines[3], "/allowed: no node \"bb\""));

	assert_int_equal(keys_revoke(folder, "b", &nodes->diag), 0);
	assert_int_equal(keys_revoke(folder, key, &nodes->diag), 0); /* by its key */
	assert_int_equal(keys_list_load(folder, &nodes->diag, &list), 0);
	assert_int_equal(list.n, 0);
	assert_int_equal(keys_revoke(folder, "b", &nodes->diag), -EINVAL);
	assert_non_null(strstr(nodes->diag.lines[4], "/allowed: no node is allowed"));
}

/* Many at once: nobody's change is lost. */
static void test_writers_wait(void **state)
{
	enum { WRITERS = 20 };
	struct nodes *nodes = *state;
	struct keys_list list;
	int status;

	for (int i = 0; i < WRITERS; i++)
		if (fork() == 0) {
			char name[16], key[KEYS_TEXT], number[16];

			snprintf(name, sizeof(name), "n%d", i);
			memset(key, '0', TEXT_KEY_CHARS);
			snprintf(number, sizeof(number), "000%02d", i + 1);
			memcpy(key + 35, number, 6);
			_exit(keys_allow(nodes->folder[NODE_A], name, key, &nodes->diag) != 0);
		}
	while (wait(&status) > 0)
		assert_int_equal(status, 0);
	assert_int_equal(keys_list_load(nodes->folder[NODE_A], &nodes->diag, &list), 0);
	assert_int_equal(list.n, WRITERS + 1);
}

#define Z40 "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf8"

static void test_wrong_own(void **state)
{
	struct nodes *nodes = *state;

	assert_string_equal(
	    said_of(nodes, "node.key", "# c\n\nname a\r\nsecret " Z40 "\n", 0600), "");
	assert_string_equal(said_of(nodes, "node.key", "name a\nsecret " Z40, 0644),
	    "node.key: other users may read or write the file (mode 0644), so they may know or "
	    "have changed its keys; set mode 0600 (chmod 600), and make a new key if others use "
	    "this machine\n");
	assert_non_null(
	    strstr(said_of(nodes, "node.key", "name a\nsecret " Z40, 0620), "(mode 0620)"));
	assert_string_equal(said_of(nodes, "node.key",
	                        "name 1\nname a\nname b\nsecret short\nkey x\n"
	                        "secret\nsecret a b\n",
	                        0600),
	    "node.key:1: \"1\" is no name of a node; a name is a letter, then letters, digits and "
	    "_, at most 63 characters\n"
	    "node.key:3: name appears twice\n"
	    "node.key:4: secret has 5 characters and is no key; a key is 40 characters of Z85 "
	    "(`aloe keys list` prints one)\n"
	    "node.key:5: unknown word \"key\"; allowed: name, secret\n"
	    "node.key:6: the line has one word; a name and a key with a space between them are "
	    "needed\n"
	    "node.key:7: the line has more than two words; a name and a key with a space between "
	    "them are needed\n");
	assert_string_equal(said_of(nodes, "node.key", "name a\n", 0600),
	    "node.key: secret is missing; the lines `name NAME` and `secret KEY` are needed (`aloe "
	    "keys new NAME` writes them)\n");
	assert_string_equal(said_of(nodes, "node.key", "", 0600),
	    "node.key: name is missing; the lines `name NAME` and `secret KEY` are needed (`aloe "
	    "keys new NAME` writes them)\n");
	assert_non_null(strstr(said_of(nodes, "node.key",
	                           "name a\nsecret JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6", 0600),
	    "node.key:2: secret is a test key that the manual of ZeroMQ prints"));
}

static void test_wrong_list(void **state)
{
	struct nodes *nodes = *state;

	assert_string_equal(said_of(nodes, "allowed", "", 0600), "");
	assert_string_equal(said_of(nodes, "allowed", "b " Z40 "\n", 0660),
	    "allowed: other users may read or write the file (mode 0660), so they may know or have "
	    "changed its keys; set mode 0600 (chmod 600), and make a new key if others use this "
	    "machine\n");
	assert_string_equal(said_of(nodes, "allowed",
	                        "b " Z40 "\nb " Z40 "\nc " Z40 "\n"
	                        "d Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID\n"
	                        "e ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
	                        "f #####################################\n",
	                        0600),
	    "allowed:2: node \"b\" appears twice; `aloe keys revoke b` removes it first\n"
	    "allowed:3: node \"c\" has the same key as node \"b\"; every node needs a key of its "
	    "own\n"
	    "allowed:4: the key is a test key that the manual of ZeroMQ prints, and everybody has "
	    "it; `aloe keys new NAME` makes a key\n"
	    "allowed:5: the key has 40 characters and is no key; a key is 40 characters of Z85 "
	    "(`aloe keys list` prints one)\n"
	    "allowed:6: the key has 37 characters and is no key; a key is 40 characters of Z85 "
	    "(`aloe keys list` prints one)\n");
}

static void test_not_a_file(void **state)
{
	struct nodes *nodes = *state;
	struct keys_list list;
	char path[128];

	snprintf(path, sizeof(path), "%s/allowed", nodes->folder[NODE_A]);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(keys_list_load(nodes->folder[NODE_A], &nodes->diag, &list), -EINVAL);
	assert_non_null(strstr(nodes->diag.lines[0], "this is a directory"));
	rmdir(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(keys_list_load(nodes->folder[NODE_A], &nodes->diag, &list), -EINVAL);
	assert_non_null(strstr(nodes->diag.lines[1], "this is a FIFO"));
}

static void test_other_owner(void **state)
{
	struct nodes *nodes = *state;
	struct keys_own own;
	char path[128];

	snprintf(path, sizeof(path), "%s/node.key", nodes->folder[NODE_A]);
	if (chown(path, 12345, 12345) < 0)
		return; /* only root can give a file away: another user's file cannot be made */
	assert_int_equal(keys_own_load(nodes->folder[NODE_A], &nodes->diag, &own), -EINVAL);
	assert_non_null(strstr(nodes->diag.lines[0],
	    "/node.key: the file belongs to user 12345; a file of keys must belong to you or to"));
}

static void test_folder(void **state)
{
	struct nodes *nodes = *state;
	char folder[KEYS_PATH], expected[KEYS_PATH];

	assert_int_equal(keys_folder("/x", "/y", folder), 0);
	assert_string_equal(folder, "/x");
	assert_int_equal(keys_folder(NULL, nodes->dir, folder), 0);
	snprintf(expected, sizeof(expected), "%s/keys", nodes->dir);
	if (access("/etc/aloe/node.key", F_OK) < 0)
		assert_string_equal(folder, expected);
}

/* Of a key whose digest is known: sha256sum of the 32 bytes that zmq_curve(7) prints. */
static void test_print(void **state)
{
	char print[KEYS_PRINT];

	(void)state;
	keys_print("rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7", print);
	assert_string_equal(print, "5225-01f4-e7a6-3f61-dd77-6d7e-d682-9104");
	keys_print("none", print);
	assert_string_equal(print, "");
}

static void test_text_is_key(void **state)
{
	(void)state;
	assert_true(text_is_key(Z40));
	assert_false(text_is_key(Z40 "0"));
	assert_false(text_is_key("rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf"));
	assert_false(text_is_key("rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf~"));
	assert_false(text_is_key("#####################################000")); /* > 32 bits */
	assert_false(text_is_key(""));
}

static void test_addresses(void **state)
{
	static const char *const wrong[] = {"", ":", "1.2.3.4", "1.2.3.4:", "1.2.3.4:x",
	    "1.2.3.4:65536", "1.2.3.4:-1", "1.2.3.4: 1", "1.2.3:1", "1.2.3.256:1", "host:1",
	    "::1:1", "[::1]", "[::1]1", "[::1:1", "[1.2.3.4]:1", "*:1", "1.2.3.4:000001"};
	struct address a, b;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (address_parse(wrong[i], &a) == 0)
			fail_msg("%s", wrong[i]);
	assert_int_equal(address_parse("10.0.0.1:7000", &a), 0);
	assert_true(!a.loopback && !a.any && !a.v6 && a.port == 7000);
	assert_int_equal(address_parse("[::ffff:10.0.0.1]:7000", &b), 0);
	assert_true(address_same(&a, &b) && b.v6);
	assert_int_equal(address_parse("10.0.0.1:7001", &b), 0);
	assert_false(address_same(&a, &b));
	assert_true(address_parse("127.9.9.9:1", &a) == 0 && a.loopback);
	assert_true(address_parse("[::1]:1", &a) == 0 && a.loopback);
	assert_true(address_parse("[::ffff:127.0.0.1]:1", &a) == 0 && a.loopback);
	assert_true(address_parse("0.0.0.0:0", &a) == 0 && a.any && !a.loopback);
	assert_true(address_parse("[::]:65535", &a) == 0 && a.any && a.port == 65535);
}

#define WITH_NODES(test) cmocka_unit_test_setup_teardown(test, nodes_setup, nodes_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITH_NODES(test_made),
	    WITH_NODES(test_not_replaced),
	    WITH_NODES(test_allowed_and_revoked),
	    WITH_NODES(test_writers_wait),
	    WITH_NODES(test_wrong_own),
	    WITH_NODES(test_wrong_list),
	    WITH_NODES(test_not_a_file),
	    WITH_NODES(test_other_owner),
	    WITH_NODES(test_folder),
	    cmocka_unit_test(test_print),
	    cmocka_unit_test(test_text_is_key),
	    cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
