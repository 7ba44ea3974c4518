/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/machines.h - the nodes that belong together: the platform file, which of its nodes
 * this one is, and with which keys they talk. Who is not given a platform has none of this, and
 * opens no network socket.
 *
 * A node has two ports: that of its address, where the manager's frontend listens, and the one
 * after it, where its bridge does.
 */
#ifndef ALOE_DAEMONS_MACHINES_H
#define ALOE_DAEMONS_MACHINES_H

#include "core/bus/bus.h"
#include "core/waveform/platform.h"
#include "daemons/common/daemon.h"

enum { MACHINES_NONE = 0xffffffff, MACHINES_ADDRESS = 80 };

enum machines_port { MACHINES_FRONTEND = 0, MACHINES_BRIDGE = 1 };

struct machines {
	struct platform_model *model; /* NULL: there is only this machine */
	uint32_t self, manager;       /* by their place in the model */
	uint64_t print;               /* of the file: all nodes have the same one */
	struct keys_own own;          /* name "": no key */
	struct keys_list allowed;
	char folder[KEYS_PATH];
};

/* machines_open reads --platform and the keys: 0, also without --platform; -EINVAL after logging
 * what is wrong. machines_close may follow in any case. */
int machines_open(struct machines *machines, const struct daemon_args *args, const struct log *log);
bool machines_joins(const struct platform_link *link, uint32_t node); /* the node to others */
void machines_close(struct machines *machines);

static inline bool machines_managed(const struct machines *machines)
{
	return machines->model == NULL || machines->self == machines->manager;
}

static inline const char *machines_name(const struct machines *machines, uint32_t node)
{
	return machines->model->nodes[node].name;
}

/* machines_find: its place in the model, or MACHINES_NONE. */
uint32_t machines_find(const struct machines *machines, const void *name, size_t len);
/* machines_tcp says how to listen at the port of this node, or how to connect to that of another;
 * ret_address holds what ret points to. */
void machines_tcp(const struct machines *machines, uint32_t node, enum machines_port port,
    char ret_address[MACHINES_ADDRESS], struct bus_tcp *ret);
/* machines_shown gives bytes of a peer as a terminal may have them, at most `size` with a NUL. */
void machines_shown(const void *text, size_t len, char *ret, size_t size);
void machines_tell(const struct log *log, const struct diag *diag); /* each line is an error */

#endif
