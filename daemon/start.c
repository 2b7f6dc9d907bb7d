/* SPDX-License-Identifier: ISC */
/*
 * From the command line to three processes.
 *
 * Order: configuration, control socket (so that a second daemon stops before
 * it speaks on a port), state directory; then the rights that nobody needs
 * are given up, and the supervisor starts the other two.  What these inherit
 * is all they ever get.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apply_proc.h"
#include "daemon.h"
#include "daemon/common/config.h"
#include "daemon/common/listen.h"
#include "events.h"
#include "priv.h"
#include "state.h"

/* Files named by the user must exist; the default ones need not. */
struct config *
daemon_config(const struct daemon_options *o, struct config_errors *errors)
{
	const char *file = o->file;

	if (o->interfaces != NULL && file == NULL)
		return config_load(NULL, false, NULL, o->interfaces, NULL,
		    errors);
	return config_load(file == NULL ? CONFIG_FILE : file, file != NULL,
	    o->dir == NULL ? CONFIG_DIR : o->dir, o->interfaces, NULL,
	    errors);
}

/* ---- the two children ----------------------------------------------- */

static int
run_engine(void *arg, const struct supervisor_child *child)
{
	return daemon_engine(arg, child);
}

/* It has no business with clients, nor with what was known of peers. */
static int
run_apply(void *arg, const struct supervisor_child *child)
{
	const struct daemon_start *start = arg;
	int err = priv_apply();

	priv_title("dcbxd: apply");
	close(start->control);
	if (start->state_dir != -1)
		close(start->state_dir);
	config_free(start->config);
	if (err == 0)
		err = apply_proc_run(child->peer, child->fd,
		    start->options->dry_run);
	if (err == 0)
		return DAEMON_STOPPED;
	log_line(LOG_ERR, "apply: %s", strerror(-err));
	return DAEMON_FAILED;
}

static const struct supervisor_ops children = {
	.engine = run_engine,
	.apply = run_apply,
};

/* ---- what is opened first ------------------------------------------- */

/* Without a state directory all works, but a restart begins anew. */
static int
start_state(const struct daemon_options *o, const struct config_global *g,
    const struct priv_user *user)
{
	char why[320];
	int dir = state_dir_open(
	    o->state_dir == NULL ? g->state_dir : o->state_dir, user, why,
	    sizeof(why));

	if (dir >= 0)
		return dir;
	log_line(LOG_WARNING, "no state is kept: %s", why);
	return -1;
}

static enum daemon_exit
start_run(struct daemon_start *start, const struct config_global *g)
{
	const struct daemon_options *o = start->options;
	const struct priv_user user = priv_user();
	struct listen at;
	char why[256];
	int err = listen_open(&at, "control",
	    o->socket == NULL ? g->socket : o->socket, why, sizeof(why));

	if (err != 0) {
		log_line(LOG_ERR, "%s", why);
		return DAEMON_FAILED;
	}
	start->control = at.fd;
	start->state_dir = start_state(o, g, &user);
	if (geteuid() == 0 && user.uid == 0)
		log_line(LOG_WARNING, "there is no user " PRIV_USER
		    ": the engine runs as root, without capabilities");
	err = priv_start(&user);
	if (err == 0)
		err = supervisor_run(&children, start);
	else
		log_line(LOG_ERR, "cannot give up rights: %s", strerror(-err));
	listen_close(&at);
	if (start->state_dir != -1)
		close(start->state_dir);
	return err == 0 ? DAEMON_STOPPED : DAEMON_FAILED;
}

enum daemon_exit
daemon_run(const struct daemon_options *o)
{
	static struct config_errors errors;
	struct daemon_start start = { .options = o, .errors = &errors };
	enum daemon_exit code = DAEMON_STOPPED;

	log_open(o->verbose);
	start.config = daemon_config(o, &errors);
	config_errors_print(&errors, stderr);
	if (start.config == NULL)
		return DAEMON_USAGE;
	if (!o->check)
		code = start_run(&start, config_global(start.config));
	config_free(start.config);
	return code;
}
