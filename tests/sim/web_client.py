# SPDX-License-Identifier: BSD-3-Clause
"""A client of the dashboard's server, by the standard library alone: for tests/sim/test_web.sh."""
import base64
import http.client
import json
import os
import socket
import struct


def ask(port, method, path, headers=None, body=None):
    """One request: status, headers, body as bytes."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body=body, headers=headers or {})
    answer = connection.getresponse()
    result = answer.status, answer.headers, answer.read()
    connection.close()
    return result


def raw(port, text):
    """What comes back for these bytes, whatever they are."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(text)
        got = b""
        while True:
            try:
                part = connection.recv(65536)
            except ConnectionResetError:
                break
            if not part:
                break
            got += part
    return got


class Events:
    """Server-Sent Events."""

    def __init__(self, port, path):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        self.file = self.connection.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while True:
            line = self.file.readline().strip()
            if not line:
                break
            name, value = line.decode().split(":", 1)
            self.headers[name.lower()] = value.strip()

    def next(self):
        """The next event: its name and its data; None at the end."""
        name = data = None
        while True:
            line = self.file.readline()
            if not line:
                return None
            line = line.decode().rstrip("\n")
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                data = json.loads(line[6:])
            elif not line and name:
                return name, data

    def close(self):
        """Goes away."""
        self.file.close()
        self.connection.close()


class Signal:
    """A WebSocket, RFC 6455."""

    def __init__(self, port, path, origin=None, small=False):
        self.connection = socket.socket()
        self.code = None
        if small:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.connection.settimeout(30)
        self.connection.connect(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        head = (f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n")
        if origin:
            head += f"Origin: {origin}\r\n"
        self.connection.sendall((head + "\r\n").encode())
        self.file = self.connection.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass

    def send(self, opcode, data=b""):
        """A frame, masked as a client's is."""
        mask = os.urandom(4)
        size = struct.pack("!B", 128 | len(data)) if len(data) < 126 else struct.pack("!BH", 254, len(data))
        self.connection.sendall(bytes([128 | opcode]) + size + mask +
                                bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def announce(self, size):
        """The head of a frame that has so many bytes, and none of them."""
        self.connection.sendall(bytes([130, 255]) + struct.pack("!Q", size) + bytes(4))

    def next(self):
        """A text as JSON, a frame as bytes; None at the end. Pings are answered."""
        while True:
            head = self.file.read(2)
            if len(head) < 2:
                return None
            opcode, size = head[0] & 15, head[1] & 127
            if size == 126:
                size = struct.unpack("!H", self.file.read(2))[0]
            elif size == 127:
                size = struct.unpack("!Q", self.file.read(8))[0]
            data = self.file.read(size)
            if opcode == 1:
                return json.loads(data)
            if opcode == 2:
                return data
            if opcode == 8:
                self.code = struct.unpack("!H", data[:2])[0] if data else None
                return None
            if opcode == 9:
                self.send(10, data)

    def close(self):
        """Says so, and goes away."""
        try:
            self.send(8, struct.pack("!H", 1000))
        except OSError:
            pass
        self.file.close()
        self.connection.close()


class Looks(Signal):
    """Events through a WebSocket."""

    def second(self):
        """The next second; None at the end."""
        event = self.next()
        while event is not None and event["event"] != "second":
            event = self.next()
        return event and event["data"]
