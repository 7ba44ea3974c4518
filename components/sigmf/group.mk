# SPDX-License-Identifier: BSD-3-Clause
ROOMS_sigmf = $(LIBROOMS)
LIBS_sigmf := -ljansson
