/* SPDX-License-Identifier: ISC */
/* Frames of a link as a pcap savefile with nanoseconds. */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>

#include "out.h"
#include "packet.h"

#define SNAP_LENGTH 65535

struct sim_pcap {
	pcap_t *dead;
	pcap_dumper_t *to;
	size_t n;
};

static void
see(void *arg, const uint8_t *octets, size_t captured, size_t len, dp_ps at)
{
	struct sim_pcap *p = arg;
	struct pcap_pkthdr h = { .caplen = (bpf_u_int32)captured,
		.len = (bpf_u_int32)len };

	h.ts.tv_sec = (time_t)(at / DP_S);
	h.ts.tv_usec = (suseconds_t)(at % DP_S / DP_NS); /* nanoseconds */
	pcap_dump((unsigned char *)p->to, &h, octets);
	p->n++;
}

struct sim_pcap *
sim_pcap_open(struct sim *s, const char *link, FILE *f)
{
	struct sim_pcap *p = calloc(1, sizeof *p);
	int rc = -ENOMEM;

	if (p != NULL)
		p->dead = pcap_open_dead_with_tstamp_precision(DLT_EN10MB,
		    SNAP_LENGTH, PCAP_TSTAMP_PRECISION_NANO);
	if (p != NULL && p->dead != NULL)
		rc = sim_tap(s, link, (struct sim_tap) { see, p });
	if (rc == 0)
		p->to = pcap_dump_fopen(p->dead, f);
	if (p != NULL && p->to != NULL)
		return p;
	fclose(f);
	if (p != NULL && p->dead != NULL)
		pcap_close(p->dead);
	free(p);
	errno = rc == 0 ? EIO : -rc;
	return NULL;
}

bool
sim_pcap_close(struct sim_pcap *p, size_t *n)
{
	bool good = pcap_dump_flush(p->to) == 0 &&
	    ferror(pcap_dump_file(p->to)) == 0;
	int err = errno;

	*n = p->n;
	pcap_dump_close(p->to);
	pcap_close(p->dead);
	free(p);
	errno = err;
	return good;
}
