/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/http/guard.h - who may speak to a server of this machine. Pure functions.
 *
 * A page of a browser can send requests to 127.0.0.1, too. Host says under which name it did so: a
 * name of its own that leads here (DNS rebinding) is no name of this machine. Origin says which
 * page it was.
 */
#ifndef ALOE_HTTP_GUARD_H
#define ALOE_HTTP_GUARD_H

#include <stdbool.h>

/* http_host_local: Host without its port is 127.x.y.z, localhost or [::1]; NULL (HTTP/1.0, no
 * browser) passes. */
bool http_host_local(const char *host);
/* http_origin_own: Origin is http:// and this Host; NULL passes: no page has sent it. */
bool http_origin_own(const char *origin, const char *host);
/* http_token_same takes as long for any two texts of one length. NULL is no token. */
bool http_token_same(const char *token, const char *given);

#endif
