/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/place.h - the runtime directory: who may use it, who holds it, what is left in it. The
 * bus's own.
 *
 * It is the user's own and closed to all others (mode 0700), and no symbolic link. The lock is an
 * flock on the file `lock` in it, which is the user's alone, too: whoever may open a directory may
 * also lock it, and would keep a node from starting. The kernel lets go of the lock however its
 * holder ends.
 */
#ifndef ALOE_BUS_PLACE_H
#define ALOE_BUS_PLACE_H

enum { PLACE_PATH_BYTES = 108, PLACE_ENDPOINT_BYTES = PLACE_PATH_BYTES + 8 };

struct place {
	int fd, lock; /* the directory, and the lock in it; -1: none */
	char dir[PLACE_PATH_BYTES], socket[PLACE_PATH_BYTES];
};

void place_init(struct place *place);
/* place_endpoint writes "ipc://DIR/frontend" (PLACE_ENDPOINT_BYTES): 0 or -ENAMETOOLONG. */
int place_endpoint(const char *dir, char *ret_endpoint);
/* place_check: 0 when the directory is there, the user's own and closed to others; -EPERM,
 * -errno. */
int place_check(const char *dir);
/* place_take makes the directory if need be, locks it and removes a dead one's sockets: 0,
 * -EADDRINUSE, -errno. */
int place_take(struct place *place, const char *dir);
int place_close_to_others(struct place *place); /* the socket is the user's alone */
void place_leave(
    /* removes the sockets, the directory if empty, and lets go; nothing if not taken */
    struct place *place);

#endif
