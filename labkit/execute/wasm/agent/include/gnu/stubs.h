/* Which functions the C library only pretends to have: no C library is linked. SPDX: MIT */
