/* SPDX-License-Identifier: BSD-3-Clause
 * core/bus/keys: a file of keys of any bytes, as a node's own and as the list of others, is refused
 * with a reason, or gives names and keys that are whole, each once. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/base/text.h"
#include "core/bus/keys.h"
#include "tests/fuzz/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void own_check(void)
{
	struct keys_own own;
	struct diag diag;

	diag_init(&diag);
	if (keys_own_load(folder(), &diag, &own) == 0) {
		char printed[KEYS_PRINT];

		insist(diag.errors == 0 && text_is_node(own.name));
		insist(text_is_key(own.key) && text_is_key(own.secret));
		keys_print(own.key, printed);
		keys_own_wipe(&own);
		insist(own.secret[0] == 0);
	} else {
		insist(diag.errors > 0);
	}
	diag_fini(&diag);
}

static void list_check(void)
{
	struct keys_list *list = malloc(sizeof(*list));
	struct diag diag;

	insist(list != NULL);
	diag_init(&diag);
	if (keys_list_load(folder(), &diag, list) == 0) {
		insist(diag.errors == 0 && list->n <= KEYS_NODES_MAX);
		for (size_t i = 0; i < list->n; i++) {
			const struct keys_node *node = &list->nodes[i];

			insist(text_is_node(node->name) && text_is_key(node->key));
			insist(keys_by_name(list, node->name) == node &&
			    keys_by_key(list, node->key) == node);
		}
	} else {
		insist(diag.errors > 0);
	}
	diag_fini(&diag);
	free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)folder();
	folder_put("node.key", data, size);
	own_check();
	unlink(folder_file("node.key"));
	folder_put("allowed", data, size);
	list_check();
	unlink(folder_file("allowed"));
	return 0;
}
