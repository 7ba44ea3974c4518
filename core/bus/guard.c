/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/bus/guard.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#include "core/base/clock.h"
#include "core/base/file.h"

/* zmq.h of 4.3.4 names the option among its drafts only; the library has it without them. */
enum { ZAP_ENFORCE_DOMAIN = 93 };
enum { PARTS = 7, PART_BYTES = 256, KEY_BYTES = 32, METADATA_BYTES = 128 };
enum { LOOK_AGAIN_NS = 1000000000 };

static const char domain[] = "aloe", handler[] = "inproc://zeromq.zap.01";

/* ---- options ------------------------------------------------------------------------ */

static int text_set(void *socket, int option, const char *text)
{
	return zmq_setsockopt(socket, option, text, strlen(text)) < 0 ? -errno : 0;
}

static int number_set(void *socket, int option, int number)
{
	int is = 0;
	size_t size = sizeof(is);

	if (zmq_setsockopt(socket, option, &number, sizeof(number)) < 0 ||
	    zmq_getsockopt(socket, option, &is, &size) < 0)
		return -errno;
	return is == number ? 0 : -ENOTSUP;
}

int guard_server(void *socket, const struct keys_own *own)
{
	char is[sizeof(domain)] = "";
	size_t size = sizeof(is);
	int rc = number_set(socket, ZMQ_CURVE_SERVER, 1);

	rc = rc ? rc : text_set(socket, ZMQ_CURVE_SECRETKEY, own->secret);
	rc = rc ? rc : text_set(socket, ZMQ_ZAP_DOMAIN, domain);
	rc = rc ? rc : number_set(socket, ZAP_ENFORCE_DOMAIN, 1);
	if (rc == 0 && zmq_getsockopt(socket, ZMQ_ZAP_DOMAIN, is, &size) < 0)
		rc = -errno;
	return rc == 0 && strcmp(is, domain) != 0 ? -ENOTSUP : rc;
}

int guard_client(void *socket, const struct keys_own *own, const char *server_key)
{
	int rc = text_set(socket, ZMQ_CURVE_SERVERKEY, server_key);

	rc = rc ? rc : text_set(socket, ZMQ_CURVE_PUBLICKEY, own->key);
	return rc ? rc : text_set(socket, ZMQ_CURVE_SECRETKEY, own->secret);
}

/* ---- the list ------------------------------------------------------------------------ */

static bool file_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	    a->st_mode == b->st_mode && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	    a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static void list_look(struct guard *guard)
{
	struct stat now = {.st_ino = 0};
	struct diag diag;

	guard->looked_ns = clock_ns();
	if (stat(guard->path, &now) < 0)
		now = (struct stat){.st_ino = 0};
	if (file_same(&now, &guard->seen))
		return;
	guard->seen = now;
	guard->trouble[0] = 0;
	diag_init(&diag);
	if (keys_list_load(guard->folder, &diag, &guard->list) < 0) {
		guard->list.n = 0;
		snprintf(guard->trouble, sizeof(guard->trouble), "%s",
		    diag.len ? diag.lines[0] : "no memory");
	}
	diag_fini(&diag);
}

const struct keys_node *guard_find(struct guard *guard, const char *key)
{
	if (clock_ns() - guard->looked_ns >= LOOK_AGAIN_NS)
		list_look(guard);
	return keys_by_key(&guard->list, key);
}

/* ---- the handler: ZeroMQ RFC 27 ------------------------------------------------------------ */

struct zap_request {
	char parts[PARTS][PART_BYTES]; /* version, id, domain, address, identity, mechanism, key */
	size_t len[PARTS];
	int n; /* may be more */
	bool long_part;
};

static int request_recv(void *socket, struct zap_request *request)
{
	size_t size = sizeof(int);
	int more = 1;

	for (request->n = 0; more; request->n++) {
		char part[PART_BYTES];
		const int len = zmq_recv(socket, part, sizeof(part), ZMQ_DONTWAIT);

		if (len < 0)
			return -errno;
		request->long_part |= len >= PART_BYTES;
		if (request->n < PARTS && len < PART_BYTES) {
			memcpy(request->parts[request->n], part, (size_t)len);
			request->parts[request->n][len] = 0;
			request->len[request->n] = (size_t)len;
		}
		if (zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size) < 0)
			return -errno;
	}
	return 0;
}

static bool part_is(const struct zap_request *request, int part, const char *text)
{
	return request->len[part] == strlen(text) &&
	    memcmp(request->parts[part], text, request->len[part]) == 0;
}

/* The node that asks, NULL if it is not let in. */
static const struct keys_node *request_judge(
    struct guard *guard, const struct zap_request *request, char key[KEYS_TEXT])
{
	key[0] = 0;
	if (request->n != PARTS || request->long_part || !part_is(request, 0, "1.0") ||
	    !part_is(request, 2, domain) || !part_is(request, 5, "CURVE") ||
	    request->len[6] != KEY_BYTES)
		return NULL;
	if (!zmq_z85_encode(key, (const uint8_t *)request->parts[6], KEY_BYTES))
		return NULL;
	list_look(guard);
	return keys_by_key(&guard->list, key);
}

/* Without the end of the text. Behind what was put. */
static char *text_put(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

/* A property as in ZMTP's metadata: length u8, name, length u32 big endian, value. */
static size_t metadata_make(const char *key, char *ret)
{
	char *at = ret;

	*at++ = (char)strlen(GUARD_KEY);
	at = text_put(at, GUARD_KEY);
	memset(at, 0, 3);
	at[3] = (char)strlen(key);
	at = text_put(at + 4, key);
	return (size_t)(at - ret);
}

static void reply_send(
    void *socket, const struct zap_request *request, const struct keys_node *node)
{
	char metadata[METADATA_BYTES];
	const size_t len = node ? metadata_make(node->key, metadata) : 0;
	const char *name = node ? node->name : "";

	zmq_send(socket, "1.0", 3, ZMQ_SNDMORE);
	zmq_send(socket, request->parts[1], request->len[1], ZMQ_SNDMORE);
	zmq_send(socket, node ? "200" : "400", 3, ZMQ_SNDMORE);
	zmq_send(socket, "", 0, ZMQ_SNDMORE);
	zmq_send(socket, name, strlen(name), ZMQ_SNDMORE);
	zmq_send(socket, metadata, len, 0);
}

static void refused_note(struct guard *guard, const struct zap_request *request, const char *key)
{
	char print[KEYS_PRINT] = "none";

	if (key[0])
		keys_print(key, print);
	snprintf(guard->last, sizeof(guard->last), "%.60s with the key %s (fingerprint)",
	    request->n > 3 ? request->parts[3] : "unknown", print);
}

void guard_serve(struct guard *guard)
{
	struct zap_request request = {.n = 0};

	while (guard->zap && request_recv(guard->zap, &request) == 0) {
		char key[KEYS_TEXT];
		const struct keys_node *node = request_judge(guard, &request, key);

		if (!node) {
			guard->counts->strangers++;
			refused_note(guard, &request, key);
		}
		reply_send(guard->zap, &request, node);
		request = (struct zap_request){.n = 0};
	}
}

int guard_open(struct guard *guard, void *ctx, const char *folder, struct bus_counts *counts)
{
	int rc;

	*guard = (struct guard){.counts = counts};
	rc = path_print(guard->folder, sizeof(guard->folder), "%s", folder);
	rc = rc ? rc : path_print(guard->path, sizeof(guard->path), "%s/" KEYS_LIST_FILE, folder);
	if (rc)
		return rc;
	list_look(guard);
	guard->zap = zmq_socket(ctx, ZMQ_REP);
	if (!guard->zap)
		return -errno;
	rc = number_set(guard->zap, ZMQ_LINGER, 0);
	if (rc == 0 && zmq_bind(guard->zap, handler) < 0)
		rc = -errno;
	if (rc)
		guard_close(guard);
	return rc;
}

void guard_close(struct guard *guard)
{
	if (!guard->zap)
		return;
	/* at once: libzmq closes sockets later, and whoever asks one meanwhile is never answered */
	zmq_unbind(guard->zap, handler);
	zmq_close(guard->zap);
	guard->zap = NULL;
}
