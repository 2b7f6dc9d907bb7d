/* SPDX-License-Identifier: ISC */
/*
 * SO_PEERCRED has the effective user and group of who connected, as they were
 * then, and SO_PEERGROUPS the supplementary groups: most members of a group
 * have it as one of those.
 */
#include <config.h>

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rights.h"

gid_t
rights_group(const char *name)
{
	const struct group *g = name[0] == '\0' ? NULL : getgrnam(name);

	return g == NULL ? RIGHTS_NO_GROUP : g->gr_gid;
}

/* The kernel says how much room it wants where there is too little. */
static gid_t *
peer_groups(int socket, size_t *n)
{
	socklen_t len = 0;
	gid_t *groups = NULL;

	*n = 0;
	if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, NULL, &len) == -1 &&
	    errno == ERANGE)
		groups = malloc(len);
	if (groups == NULL)
		return NULL;
	if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &len) == 0)
		*n = len / sizeof(*groups);
	return groups;
}

bool
rights_of(int socket, gid_t group, bool own)
{
	struct ucred who;
	socklen_t len = sizeof(who);
	bool member;
	gid_t *groups;
	size_t n;

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &len) == -1)
		return false;
	if (who.uid == 0 || (own && who.uid == geteuid()))
		return true;
	if (group == RIGHTS_NO_GROUP)
		return false;
	member = who.gid == group;
	groups = peer_groups(socket, &n);
	for (size_t i = 0; i < n && !member; i++)
		member = groups[i] == group;
	free(groups);
	return member;
}
