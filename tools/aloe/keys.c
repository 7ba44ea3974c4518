/* SPDX-License-Identifier: BSD-3-Clause
 *
 * keys: this node's key, and the nodes that it lets in (core/bus/keys.h has the files). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/bus/keys.h"
#include "tools/aloe/commands.h"

struct keys_use {
	const struct cli_args *args;
	char folder[KEYS_PATH];
	struct diag diag;
};

/* Each gives 0, or -EINVAL with the reason in use->diag. */
struct keys_verb {
	const char *name, *arguments;
	int n; /* arguments, the verb counted */
	int (*run)(struct keys_use *use);
};

static void node_print(const char *title, const char *name, const char *key)
{
	char print[KEYS_PRINT];

	keys_print(key, print);
	printf("%s \"%s\"\n  public key   %s\n  fingerprint  %s\n", title, name, key, print);
}

static int new_run(struct keys_use *use)
{
	const char *name = use->args->args[1];
	struct keys_own own;
	int rc = keys_new(use->folder, name, cli_has(use->args, "force"), &use->diag);

	rc = rc ? rc : keys_own_load(use->folder, &use->diag, &own);
	if (rc)
		return rc;
	printf("created %s/node.key, closed to other users\n", use->folder);
	node_print("this node is", own.name, own.key);
	printf("on each other node: aloe keys allow %s '%s'\n", own.name, own.key);
	keys_own_wipe(&own);
	return 0;
}

static void list_print(const struct keys_list *list)
{
	if (list->n == 0)
		printf("no other node is allowed; `aloe keys allow NODE KEY` lets one in\n");
	else
		printf("%zu allowed node%s\n", list->n, plural((double)list->n));
	for (size_t i = 0; i < list->n; i++)
		node_print("node", list->nodes[i].name, list->nodes[i].key);
}

static int list_run(struct keys_use *use)
{
	struct keys_list *list = calloc(1, sizeof(*list));
	struct keys_own own;
	int rc, own_rc;

	if (!list)
		return diag_error(&use->diag, NULL, 0, "no memory");
	/* what is wrong with both files, at once */
	own_rc = keys_own_load(use->folder, &use->diag, &own);
	rc = keys_list_load(use->folder, &use->diag, list);
	if (rc == 0 && own_rc != -EINVAL) {
		printf("keys in %s\n", use->folder);
		if (own_rc == 0)
			node_print("this node is", own.name, own.key);
		else
			printf("this node has no key; `aloe keys new NODE` makes one\n");
		list_print(list);
	}
	if (own_rc == 0)
		keys_own_wipe(&own);
	free(list);
	return own_rc == -EINVAL ? own_rc : rc;
}

static int allow_run(struct keys_use *use)
{
	const char *name = use->args->args[1], *key = use->args->args[2];
	const int rc = keys_allow(use->folder, name, key, &use->diag);

	if (rc)
		return rc;
	node_print("allowed node", name, key);
	printf("compare the fingerprint with what `aloe keys list` prints on that node\n");
	return 0;
}

static int revoke_run(struct keys_use *use)
{
	const int rc = keys_revoke(use->folder, use->args->args[1], &use->diag);

	if (rc == 0)
		printf("revoked %s; a running node drops its messages within a second\n",
		    use->args->args[1]);
	return rc;
}

int aloe_keys(const struct cli_args *args)
{
	static const struct keys_verb verbs[] = {{"new", "NODE", 2, new_run},
	    {"list", "", 1, list_run}, {"allow", "NODE KEY", 3, allow_run},
	    {"revoke", "NODE", 2, revoke_run}};
	struct keys_use use = {.args = args};
	const struct keys_verb *verb = verbs;
	int rc;

	while (strcmp(verb->name, args->args[0]) != 0)
		verb++;
	if (args->n_args != verb->n)
		return cli_fail(args, "`%s` needs %s", verb->name,
		    verb->n > 1 ? verb->arguments : "no further argument");
	if (cli_has(args, "force") && strcmp(verb->name, "new") != 0)
		return cli_fail(args, "--force is an option of `keys new` only");
	if (keys_folder(cli_get(args, "keys"), cli_get(args, "state"), use.folder) < 0)
		return cli_fail(args, "the path of the folder of keys is too long");
	diag_init(&use.diag);
	rc = verb->run(&use);
	diag_print(&use.diag, stderr);
	diag_fini(&use.diag);
	return rc == 0 ? CLI_OK : CLI_USAGE;
}
