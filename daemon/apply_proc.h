/* SPDX-License-Identifier: ISC */
/*
 * The process `dcbxd: apply`: the one that may change network devices.
 *
 * It runs backends, each port's in a thread of its own, so that one that
 * sleeps in a driver keeps nobody else waiting; and it opens packet sockets
 * for the engine.  It never reads from such a socket.
 */
#ifndef APPLY_PROC_H
#define APPLY_PROC_H

#include <stdbool.h>

/*
 * engine: see apply_msg.h.  dry: nothing is ever written.  Until supervisor
 * is at end of file; then what the engine has asked for is done, within some
 * seconds.  0 or -errno.
 */
int apply_proc_run(int engine, int supervisor, bool dry);

#endif
