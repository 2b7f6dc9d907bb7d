/* SPDX-License-Identifier: ISC */
/*
 * ceeset IF - program the CEE side of IF through raw rtnetlink, read it back.
 *
 * Prints a line for each request: its name, the reply's type and command, and
 * the reply's attributes as [type]=bytes or [type]{ nested }.  dcb(8) has no
 * verbs for CEE.
 */
#include <linux/dcbnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static union {
	struct nlmsghdr h;
	char b[8192];
} m;
static const char *ifname;
static int fd, seq;

static struct rtattr *
put(int type, const void *data, int len)
{
	struct rtattr *a = (void *)(m.b + NLMSG_ALIGN(m.h.nlmsg_len));

	a->rta_type = type;
	a->rta_len = RTA_LENGTH(len);
	if (len)
		memcpy(RTA_DATA(a), data, len);
	m.h.nlmsg_len = NLMSG_ALIGN(m.h.nlmsg_len) + RTA_ALIGN(a->rta_len);
	return a;
}

static void
put8(int type, unsigned char v)
{
	put(type, &v, 1);
}

static struct rtattr *
nest(int type)
{
	return put(type, NULL, 0);
}

static void
end(struct rtattr *a)
{
	a->rta_len = m.b + m.h.nlmsg_len - (char *)a;
}

static void
request(int type, int cmd)
{
	struct dcbmsg *d = NLMSG_DATA(&m.h);

	memset(&m, 0, sizeof(m));
	m.h.nlmsg_len = NLMSG_LENGTH(sizeof(*d));
	m.h.nlmsg_type = type;
	m.h.nlmsg_flags = NLM_F_REQUEST;
	m.h.nlmsg_seq = ++seq;
	d->cmd = cmd;
	put(DCB_ATTR_IFNAME, ifname, strlen(ifname) + 1);
}

static void
dump(struct rtattr *a, int len)
{
	for (; RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		int n = RTA_PAYLOAD(a);
		unsigned char *p = RTA_DATA(a);
		struct rtattr *in = (void *)p;

		printf(" [%d]", a->rta_type & 0x3fff);
		if (n >= 8 && in->rta_len >= 4 && in->rta_len <= n &&
		    p[1] == 0) {
			printf("{");
			dump(in, n);
			printf(" }");
			continue;
		}
		for (int i = 0; i < n && i < 24; i++)
			printf("%s%02x", i ? "." : "=", p[i]);
	}
}

static void
go(const char *what)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int n;

	sendto(fd, &m, m.h.nlmsg_len, 0, (void *)&kernel, sizeof(kernel));
	n = recv(fd, &m, sizeof(m), 0);
	if (n < 0) {
		perror(what);
	} else if (m.h.nlmsg_type == NLMSG_ERROR) {
		printf("%-14s error %d\n", what, *(int *)NLMSG_DATA(&m.h));
	} else {
		struct dcbmsg *d = NLMSG_DATA(&m.h);

		printf("%-14s type=%d cmd=%d", what, m.h.nlmsg_type, d->cmd);
		dump((void *)((char *)d + NLMSG_ALIGN(sizeof(*d))),
		    n - NLMSG_LENGTH(sizeof(*d)));
		puts("");
	}
}

static void
ask(const char *what, int type, int cmd)
{
	request(type, cmd);
	go(what);
}

static void
set8(const char *what, int cmd, int attr, unsigned char v)
{
	request(RTM_SETDCB, cmd);
	put8(attr, v);
	go(what);
}

static void
set_groups(void)
{
	struct rtattr *cfg, *tc;
	int i;

	request(RTM_SETDCB, DCB_CMD_PGTX_SCFG);
	cfg = nest(DCB_ATTR_PG_CFG);
	for (i = 0; i < 8; i++) {
		tc = nest(DCB_PG_ATTR_TC_0 + i);
		put8(DCB_TC_ATTR_PARAM_PGID, i == 3);
		put8(DCB_TC_ATTR_PARAM_UP_MAPPING, 1 << i);
		put8(DCB_TC_ATTR_PARAM_STRICT_PRIO, 0);
		put8(DCB_TC_ATTR_PARAM_BW_PCT, i == 3 ? 100 : 14);
		end(tc);
	}
	for (i = 0; i < 8; i++)
		put8(DCB_PG_ATTR_BW_ID_0 + i, i == 0 ? 40 : i == 1 ? 60 : 0);
	end(cfg);
	go("PGTX_SCFG");
}

static void
set_pfc(void)
{
	struct rtattr *a;
	int i;

	request(RTM_SETDCB, DCB_CMD_PFC_SCFG);
	a = nest(DCB_ATTR_PFC_CFG);
	for (i = 0; i < 8; i++)
		put8(DCB_PFC_UP_ATTR_0 + i, i == 3);
	end(a);
	go("PFC_SCFG");
}

static void
program(void)
{
	set8("SDCBX cee", DCB_CMD_SDCBX, DCB_ATTR_DCBX, 0x05);
	ask("GDCBX", RTM_GETDCB, DCB_CMD_GDCBX);
	set8("SSTATE", DCB_CMD_SSTATE, DCB_ATTR_STATE, 1);
	set_groups();
	set_pfc();
	set8("PFC_SSTATE", DCB_CMD_PFC_SSTATE, DCB_ATTR_PFC_STATE, 1);
	set8("SET_ALL", DCB_CMD_SET_ALL, DCB_ATTR_SET_ALL, 1);
}

/* One attribute that means all within another. */
static void
ask_all(const char *what, int cmd, int outer, int all)
{
	struct rtattr *a;

	request(RTM_GETDCB, cmd);
	a = nest(outer);
	nest(all);
	end(a);
	go(what);
}

static void
read_back(void)
{
	struct rtattr *a, *b;

	request(RTM_GETDCB, DCB_CMD_PGTX_GCFG);
	a = nest(DCB_ATTR_PG_CFG);
	b = nest(DCB_PG_ATTR_TC_ALL);
	nest(DCB_TC_ATTR_PARAM_ALL);
	end(b);
	nest(DCB_PG_ATTR_BW_ID_ALL);
	end(a);
	go("PGTX_GCFG");
	ask_all("PFC_GCFG", DCB_CMD_PFC_GCFG, DCB_ATTR_PFC_CFG,
	    DCB_PFC_UP_ATTR_ALL);
	ask_all("GCAP", DCB_CMD_GCAP, DCB_ATTR_CAP, DCB_CAP_ATTR_ALL);
	ask_all(
	    "GNUMTCS", DCB_CMD_GNUMTCS, DCB_ATTR_NUMTCS, DCB_NUMTCS_ATTR_ALL);
}

static void
applications(void)
{
	const unsigned short fcoe = 0x8906;
	struct rtattr *a;

	request(RTM_SETDCB, DCB_CMD_SAPP);
	a = nest(DCB_ATTR_APP);
	put8(DCB_APP_ATTR_IDTYPE, 0);
	put(DCB_APP_ATTR_ID, &fcoe, 2);
	put8(DCB_APP_ATTR_PRIORITY, 8);
	end(a);
	go("SAPP fcoe");
	request(RTM_GETDCB, DCB_CMD_GAPP);
	a = nest(DCB_ATTR_APP);
	put8(DCB_APP_ATTR_IDTYPE, 0);
	put(DCB_APP_ATTR_ID, &fcoe, 2);
	end(a);
	go("GAPP fcoe");
}

/* Refused in CEE mode: the errno is one octet in attribute 13. */
static void
refusals(void)
{
	struct ieee_ets ets;
	struct rtattr *a;

	memset(&ets, 0, sizeof(ets));
	request(RTM_SETDCB, DCB_CMD_IEEE_SET);
	a = nest(DCB_ATTR_IEEE);
	put(DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
	end(a);
	go("IEEE_SET inCEE");
	set8("SDCBX both", DCB_CMD_SDCBX, DCB_ATTR_DCBX, 0x0d);
	set8("SDCBX ieee", DCB_CMD_SDCBX, DCB_ATTR_DCBX, 0x09);
}

int
main(int argc, char **argv)
{
	struct timeval limit = { 2, 0 };

	ifname = argc > 1 ? argv[1] : "dcb0";
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	program();
	read_back();
	applications();
	ask("CEE_GET", RTM_GETDCB, DCB_CMD_CEE_GET);
	ask("IEEE_GET", RTM_GETDCB, DCB_CMD_IEEE_GET);
	refusals();
	return 0;
}
