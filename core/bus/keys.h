/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/keys.h - the CURVE keys of a node, and which other nodes it lets in. [control]
 *
 * Two files in one folder, both of which belong to their user or to root and are closed to all
 * others (mode 0600):
 *
 *   node.key    name a                                       this node
 *               secret 40-characters-of-Z85                  its secret key
 *   allowed     b 40-characters-of-Z85                       a node, and its public key
 *
 * A line that begins with # is a comment (ZeroMQ RFC 32: a key may have a # inside). The public
 * key follows from the secret one. The two key pairs that zmq_curve(7) prints are refused, because
 * everybody has them.
 */
#ifndef ALOE_BUS_KEYS_H
#define ALOE_BUS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/diag.h"

enum {
	KEYS_NAME = 64, /* text_is_name */
	KEYS_TEXT = 41, /* text_is_key, and a NUL */
	KEYS_PRINT = 40,
	KEYS_NODES_MAX = 256,
	KEYS_PATH = 4096
};

#define KEYS_LIST_FILE "allowed"

struct keys_node {
	char name[KEYS_NAME], key[KEYS_TEXT];
};

struct keys_list {
	struct keys_node nodes[KEYS_NODES_MAX]; /* in the order of the file */
	size_t n;
};

struct keys_own {
	char name[KEYS_NAME], key[KEYS_TEXT], secret[KEYS_TEXT];
};

/* keys_folder gives the folder of the keys: `given`; if NULL, `keys` in the state folder `state`
 * (NULL: the user's, dir_state), or /etc/aloe where only that has a node.key. 0 or
 * -ENAMETOOLONG. */
int keys_folder(const char *given, const char *state, char ret[KEYS_PATH]);

/* keys_own_load: 0, -ENOENT (no such file, nothing said), or -EINVAL with all that is wrong in
 * diag, each with file and line. keys_own_wipe overwrites it.
 * keys_list_load: the same of the list, which is empty without a file. */
int keys_own_load(const char *folder, struct diag *diag, struct keys_own *ret);
void keys_own_wipe(struct keys_own *own);
int keys_list_load(const char *folder, struct diag *diag, struct keys_list *ret);

const struct keys_node *keys_by_name(const struct keys_list *list, const char *name);
const struct keys_node *keys_by_key(const struct keys_list *list, const char *key);

/* The writers: 0; -EINVAL with the reason in diag. They wait for each other, and nobody ever reads
 * half a file. keys_new makes the folder if need be, and replaces a key only if asked to.
 * keys_allow does nothing if the node has that key already, and refuses another key for a name or
 * another name for a key. keys_revoke also takes a key that a node is to lose. */
int keys_new(const char *folder, const char *name, bool replace, struct diag *diag);
int keys_allow(const char *folder, const char *name, const char *key, struct diag *diag);
int keys_revoke(const char *folder, const char *name, struct diag *diag);

/* keys_print writes what a person compares: the first 128 bits of the SHA-256 of a public key's 32
 * bytes, "1f0c-99ab-...", 8 groups. */
void keys_print(const char *key, char ret[KEYS_PRINT]);

#endif
