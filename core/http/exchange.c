/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What comes of a request, and what goes of a reply. */
#include <stdio.h>
#include <stdlib.h>

#include "core/http/guard.h"
#include "core/http/inside.h"

static const char *status_text(int status)
{
	static const struct {
		int status;
		const char *text;
	} texts[] = {{200, "OK"}, {304, "Not Modified"}, {400, "Bad Request"},
	    {401, "Unauthorized"}, {403, "Forbidden"}, {404, "Not Found"},
	    {405, "Method Not Allowed"}, {411, "Length Required"}, {413, "Content Too Large"},
	    {415, "Unsupported Media Type"}, {503, "Service Unavailable"}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return "Internal Server Error";
}

/* ---- what is sent ------------------------------------------------------------------------ */

/* No script, style, picture or connection but ours. An older browser does not count a WebSocket of
 * the same host as its own. */
void http_policy_print(struct mg_connection *connection)
{
	const char *host = mg_get_header(connection, "Host");

	mg_printf(connection,
	    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
	    "img-src 'self' data: blob:; connect-src 'self'%s%s; base-uri 'none'; form-action "
	    "'none'; frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff\r\n"
	    "Referrer-Policy: no-referrer\r\nConnection: close\r\n",
	    host && http_host_local(host) ? " ws://" : "",
	    host && http_host_local(host) ? host : "");
}

static void options_print(struct mg_connection *connection, const struct http_reply *reply)
{
	if (reply->etag[0])
		mg_printf(connection, "Cache-Control: no-cache\r\nETag: \"%s\"\r\n", reply->etag);
	else
		mg_printf(connection, "Cache-Control: no-store\r\n");
	if (reply->file[0])
		mg_printf(connection, "Content-Disposition: attachment; filename=\"%s\"\r\n",
		    reply->file);
	if (reply->note)
		mg_printf(connection, "X-Aloe-Text: %s\r\n", reply->note);
	if (reply->status == 503)
		mg_printf(connection, "Retry-After: 1\r\n");
}

void http_reply_send(
    struct mg_connection *connection, const struct http_reply *reply, bool head_only)
{
	char words[64];
	const char *body = reply->body ? reply->body : words;
	size_t len = reply->len;

	if (!reply->body)
		len = (size_t)snprintf(words, sizeof(words), "%s\n", status_text(reply->status));
	mg_printf(connection, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n",
	    reply->status, status_text(reply->status), reply->body ? reply->type : "text/plain",
	    reply->status == 304 ? 0 : len);
	options_print(connection, reply);
	http_policy_print(connection);
	mg_printf(connection, "\r\n");
	if (!head_only && reply->status != 304)
		mg_write(connection, body, len);
}

void http_reply_fini(struct http_reply *reply)
{
	free(reply->body);
	free(reply->note);
}

int http_request_check(struct mg_connection *connection)
{
	const char *host = mg_get_header(connection, "Host");

	if (!http_host_local(host) || !http_origin_own(mg_get_header(connection, "Origin"), host))
		return 403;
	return mg_get_request_info(connection)->local_uri ? 0 : 404;
}

void http_request_take(struct mg_connection *connection, struct http_request *ret)
{
	const struct mg_request_info *info = mg_get_request_info(connection);

	*ret = (struct http_request){.path = info->local_uri,
	    .query = info->query_string,
	    .accept = mg_get_header(connection, "Accept"),
	    .type = mg_get_header(connection, "Content-Type"),
	    .token = mg_get_header(connection, "X-Aloe-Token"),
	    .match = mg_get_header(connection, "If-None-Match")};
}
