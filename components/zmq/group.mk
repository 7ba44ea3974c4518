# SPDX-License-Identifier: BSD-3-Clause
ROOMS_zmq = $(LIBROOMS)
LIBS_zmq := -lzmq
