/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/host/describe.h - the host's two services that run no waveform: --describe and --shape.
 */
#ifndef ALOE_HOST_DESCRIBE_H
#define ALOE_HOST_DESCRIBE_H

/* host_describe prints the .desc text of the component in file `path`. Exit code: 0, or 2 with the
 * reason on stderr. */
int host_describe(const char *path);

/* host_shape reads a request of waveform_shape_json from stdin and prints the answer. Exit code: 0,
 * or 1. */
int host_shape(void);

#endif
