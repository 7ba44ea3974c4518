/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the loop gives to a stream's thread. */
#include <stdlib.h>
#include <string.h>

#include "daemons/statsman/web.h"

char *web_text(json_t *json)
{
	char *text = json
	    ? json_dumps(json, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9))
	    : NULL;

	json_decref(json);
	return text;
}

bool web_put(struct web_stream *stream, char *bytes, size_t len, bool binary)
{
	struct web *web = stream->web;
	bool fits;

	if (!bytes)
		return false;
	pthread_mutex_lock(&web->lock);
	fits = stream->n < WEB_QUEUE;
	if (fits) {
		stream->queue[(stream->first + stream->n++) % WEB_QUEUE] =
		    (struct http_message){bytes, len, binary};
	} else {
		free(bytes);
		stream->n_dropped++;
		web->counts.frames_dropped++;
	}
	pthread_cond_signal(&stream->changed);
	pthread_mutex_unlock(&web->lock);
	return fits;
}

bool web_put_json(struct web_stream *stream, json_t *json)
{
	char *text = web_text(json);

	return web_put(stream, text, text ? strlen(text) : 0, false);
}

void web_stream_end(struct web_stream *stream)
{
	struct web *web = stream->web;

	pthread_mutex_lock(&web->lock);
	stream->over = true;
	pthread_cond_signal(&stream->changed);
	pthread_mutex_unlock(&web->lock);
}
