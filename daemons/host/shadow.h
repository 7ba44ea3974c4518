/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/host/shadow.h - `aloe-host --shadow`: a new build works on the messages of an instance of
 * a waveform that runs, and writes nowhere in the waveform (daemons/common/shadow.h).
 */
#ifndef ALOE_HOST_SHADOW_H
#define ALOE_HOST_SHADOW_H

/* host_shadow takes the descriptors, "3,4,...", and the number of the process that started it, with
 * which it ends. Exit code: 0 when the page has a verdict, 1 otherwise. */
int host_shadow(const char *fds, const char *parent);

#endif
