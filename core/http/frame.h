/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/http/frame.h - what a client sends through a WebSocket (RFC 6455, 5.2). Pure. civetweb takes
 * memory for as much as a frame announces, so it is not civetweb that reads it.
 */
#ifndef ALOE_HTTP_FRAME_H
#define ALOE_HTTP_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "core/http/http.h"

enum { HTTP_FRAME_HEAD = 8 }; /* of the longest frame that is taken */

struct http_frame {
	unsigned opcode;
	const uint8_t *bytes;
	size_t len;
};

/* http_frame_take reads the frame that `bytes` begin with, and unmasks it in place. Returns its
 * bytes with the head; 0: it is not whole; -EPROTO: no frame of a client; -EMSGSIZE: it announces
 * more than HTTP_FRAME_BYTES. */
long http_frame_take(uint8_t *bytes, size_t have, struct http_frame *ret);

#endif
