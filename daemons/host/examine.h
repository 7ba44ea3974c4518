/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/host/examine.h - a look at the radio of a radio file, for `aloe doctor --radio`: drivers
 * are opened in a host only, so that no other program meets a device or loads a library for one.
 */
#ifndef ALOE_HOST_EXAMINE_H
#define ALOE_HOST_EXAMINE_H

/* host_examine prints what is found as lines of JSON, {what, verdict, text}, each at once: what the
 * driver says of the way to the devices, whether they can be opened, what they say of themselves,
 * and the counts of a second in which everything received is sent back. Exit code: 0, 1 if
 * something is bad, 2 if the file is wrong (its errors on stderr). */
int host_examine(const char *path);

#endif
