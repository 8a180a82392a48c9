// SPDX-License-Identifier: GPL-2.0-only
/*
 * The optical module: how much light arrives, what it does to the bits, and what `ethtool -m` shows of it (SFF-8472).
 *
 * A receiver decides for each bit whether there is light or not, with noise of a fixed strength on top: wrong with
 * probability erfc(Q / sqrt 2) / 2, where Q, the signal over the noise, grows with the received power (Agrawal,
 * Fiber-Optic Communication Systems, 4.6: a PIN receiver limited by thermal noise). A 1000BASE-SX receiver has
 * Q = 7.034, a bit error rate of 1e-12, at -17 dBm (IEEE 802.3 clause 38), hence Q = 7.034 * 10^((P + 17 dBm) / 10).
 * Two decibels decide between no error in a day and an error in every frame.
 */
#include "labnic.h"

#define DARK	(-205)	/* 0.1 dBm: below, the receiver reports no signal, and the link is down */

/* The bit error rate in 1e-15 at DARK, 0.1 dBm more, and so on; beyond the end it is less than 1e-15. */
static const u64 labnic_ber[] = {
	839069306636ULL, 651862970859ULL, 500849716248ULL, 380388955636ULL, 285419629307ULL,
	211461007355ULL, 154600439427ULL, 111469594022ULL, 79211084871ULL, 55437623730ULL,
	38185955367ULL, 25867819461ULL, 17220053174ULL, 11255713818ULL, 7217787483ULL,
	4536685517ULL, 2792347372ULL, 1681395140ULL, 989447893ULL, 568422119ULL,
	318429947ULL, 173743502ULL, 92218396ULL, 47553018ULL, 23790346ULL,
	11531037ULL, 5406729ULL, 2448626ULL, 1069358ULL, 449567ULL,
	181618ULL, 70373ULL, 26102ULL, 9249ULL, 3124ULL,
	1003ULL, 306ULL, 88ULL, 24ULL, 6ULL,
	1ULL,
};

u64 labnic_power_to_ber(s32 power)
{
	s32 i = max(power - DARK, 0);

	return i < ARRAY_SIZE(labnic_ber) ? labnic_ber[i] : 0;
}

bool labnic_is_dark(const struct labnic_port *port)
{
	return port->module && port->rx_power < DARK;
}

/* 0.1 dBm as 0.1 uW: 10^(power/100) * 10000, from one decade of whole and one decibel of tenths. */
static u16 labnic_tenths_of_uw(s32 power)
{
	static const u16 decibel[] = { 1000, 1259, 1585, 1995, 2512, 3162, 3981, 5012, 6310, 7943 };	/* thousandths */
	static const u16 tenth[] = { 1000, 1023, 1047, 1072, 1096, 1122, 1148, 1175, 1202, 1230 };
	u32 up = power - LABNIC_POWER_MIN;	/* above -40 dBm, which is 0.1 uW */
	u64 value = (u64)decibel[up / 10 % 10] * tenth[up % 10];
	u32 decade;

	for (decade = up / 100; decade; decade--)
		value *= 10;
	return min_t(u64, div_u64(value + 500000, 1000000), U16_MAX);
}

#define MODULE_ADDRESSES	512	/* 256 bytes at A0h: what it is; 256 at A2h: how it is */

int labnic_module_info(struct net_device *dev, struct ethtool_modinfo *info)
{
	struct labnic_port *port = netdev_priv(dev);

	if (!port->module)
		return -EOPNOTSUPP;
	info->type = ETH_MODULE_SFF_8472;
	info->eeprom_len = ETH_MODULE_SFF_8472_LEN;
	return 0;
}

static void labnic_put16(u8 *at, u16 value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static u8 labnic_sum(const u8 *from, const u8 *to)
{
	u8 sum = 0;

	while (from <= to)
		sum += *from++;
	return sum;
}

/* Bytes as SFF-8472 numbers them. */
static void labnic_identity(u8 *a0)
{
	a0[0] = 0x03;		/* SFP */
	a0[1] = 0x04;		/* by its serial ID */
	a0[2] = 0x07;		/* LC connector */
	a0[6] = 0x01;		/* 1000BASE-SX */
	a0[11] = 0x01;		/* 8B/10B */
	a0[12] = 13;		/* 1.3 GBd */
	a0[16] = 55;		/* 550 m over OM2, in 10 m */
	memcpy(a0 + 20, "Lost Packets    ", 16);
	memcpy(a0 + 40, "LAB-SX          ", 16);
	memcpy(a0 + 56, "1   ", 4);
	labnic_put16(a0 + 60, 850);	/* nm */
	a0[63] = labnic_sum(a0, a0 + 62);
	memcpy(a0 + 68, "1               ", 16);
	memcpy(a0 + 84, "260101  ", 8);
	a0[92] = 0x68;		/* monitors itself, calibrated, average power */
	a0[93] = 0x80;		/* has alarms and warnings */
	a0[94] = 0x08;		/* SFF-8472 revision 12.3 */
	a0[95] = labnic_sum(a0 + 64, a0 + 94);
}

/* High alarm, low alarm, high warning, low warning of: temperature, voltage, bias, sent and received power. */
static const u16 labnic_limits[][4] = {
	{ 85 << 8, (u16)(-10 * 256), 75 << 8, 0 },
	{ 36300, 29700, 34650, 31350 },
	{ 6000, 500, 5000, 1000 },
	{ 7943, 891, 6310, 1122 },
	{ 12589, 158, 10000, 200 },
};

static void labnic_health(const struct labnic_port *port, u8 *a2)
{
	const u16 now[] = { 38 << 8, 33000, 3000, 3162, labnic_tenths_of_uw(port->rx_power) };
	int i, j;

	for (i = 0; i < ARRAY_SIZE(now); i++) {
		for (j = 0; j < 4; j++)
			labnic_put16(a2 + 8 * i + 2 * j, labnic_limits[i][j]);
		labnic_put16(a2 + 96 + 2 * i, now[i]);
		if (i && now[i] < labnic_limits[i][1])
			a2[112 + i / 4] |= BIT(6 - 2 * (i % 4));
		if (i && now[i] < labnic_limits[i][3])
			a2[116 + i / 4] |= BIT(6 - 2 * (i % 4));
	}
	a2[95] = labnic_sum(a2, a2 + 94);
	a2[110] = labnic_is_dark(port) ? BIT(1) : 0;	/* loss of signal */
}

int labnic_module_eeprom(struct net_device *dev, struct ethtool_eeprom *ee, u8 *data)
{
	struct labnic_port *port = netdev_priv(dev);
	u8 *memory;

	if (!port->module)
		return -EOPNOTSUPP;
	memory = kzalloc(MODULE_ADDRESSES, GFP_KERNEL);
	if (!memory)
		return -ENOMEM;
	labnic_identity(memory);
	labnic_health(port, memory + 256);
	memcpy(data, memory + ee->offset, min_t(u32, ee->len, MODULE_ADDRESSES - ee->offset));
	kfree(memory);
	return 0;
}
