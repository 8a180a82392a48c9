/* No experiment starts before every device can send. SPDX: MIT
 * A veth whose other end has come up sends once the kernel has noticed that (net/core/link_watch.c); until then it
 * drops. The kernel notices 100 devices at once and then 100 a second. Asked for one device by its index, it notices
 * that one (from 6.8 on); else one has to wait. */
#include "agent.h"
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/socket.h>
#include <time.h>

enum { AT_ONCE = 100, LOWER_UP = 1 << 16, /* <linux/if.h> */ IF_OPER_UNKNOWN = 0, IF_OPER_UP = 6, PAUSE_NS = 100000000, SLOW = 20 /* pauses a round: twice its pace */ };

struct device {
	unsigned ns;
	uint32_t index;
	char name[IFNAMSIZ];
};

static struct device *late;
static size_t count, room;

static void add(unsigned ns, uint32_t index, const char *name)
{
	if (count == room) {
		room = room ? 2 * room : 256;
		late = realloc(late, room * sizeof *late);
		if (!late)
			abort();
	}
	late[count] = (struct device){.ns = ns, .index = index};
	strncpy(late[count++].name, name, IFNAMSIZ - 1);
}

/* Connected, which is not noticed. One without a carrier is another matter: two ports that do not agree. Of a TUN
 * device (ARPHRD_NONE) the kernel never says more than that it does not know. */
static void keep_if_late(unsigned ns, const struct nlmsghdr *m)
{
	const struct ifinfomsg *i = NLMSG_DATA(m);
	const char *name = "";
	uint8_t state = IF_OPER_UNKNOWN;

	if (m->nlmsg_type != RTM_NEWLINK || !(i->ifi_flags & LOWER_UP) || i->ifi_flags & IFF_LOOPBACK ||
	    i->ifi_type == ARPHRD_NONE)
		return;
	int left = (int)IFLA_PAYLOAD(m);
	for (const struct rtattr *a = IFLA_RTA(i); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type == IFLA_IFNAME)
			name = RTA_DATA(a);
		if (a->rta_type == IFLA_OPERSTATE)
			state = *(const uint8_t *)RTA_DATA(a);
	}
	if (state != IF_OPER_UP)
		add(ns, (uint32_t)i->ifi_index, name);
}

static void forget(unsigned ns, const struct nlmsghdr *m)
{
	(void)ns;
	(void)m;
}

static bool ask(unsigned ns, uint32_t index, netlink_each each)
{
	struct {
		struct nlmsghdr m;
		struct ifinfomsg i;
	} request = {
		.m = {sizeof request, RTM_GETLINK, NLM_F_REQUEST | (index ? 0 : NLM_F_DUMP), 0, 0},
		.i = {.ifi_index = (int)index},
	};

	return netlink_ask(0, ns, &request, sizeof request, each);
}

static bool look(void)
{
	count = 0;
	for (unsigned ns = 0; ns < netns_count(); ns++)
		if (!ask(ns, 0, keep_if_late))
			return false;
	return true;
}

static bool hurry(void)
{
	for (size_t i = 0; i < count; i++)
		if (!ask(late[i].ns, late[i].index, forget))
			return false;
	return true;
}

static uint32_t maker_of(const struct program *p, unsigned ns)
{
	uint32_t i = 0;

	while (i < p->records && !(p->record[i]->type == P_NETNS && p->record[i]->ns == ns))
		i++;
	return i;
}

void devices_await(const struct program *p)
{
	/* In virtual time the kernel's first round comes when nothing else is left to do: long before the epoch. */
	size_t enough = place.virtual_time ? AT_ONCE : 0, pauses = 0;

	while (look() && count > enough) {
		if (!hurry() || !look() || count <= enough)
			return;
		if (pauses++ > SLOW * (count / AT_ONCE + 1)) {
			state_fail(maker_of(p, late->ns), 0, ENETDOWN, "%s and %zu other devices do not come up", late->name,
				   count - 1);
			return;
		}
		nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
	}
}
