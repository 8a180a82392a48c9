// @ts-check
/* What a boot loader does: kernel, root file system and command line into memory, 32-bit protected mode, and off
 * (Documentation/arch/x86/boot.rst of Linux, "32-bit Boot Protocol"). There is no BIOS. */

import { rootOf } from "./cpio.mjs";
import { load } from "./elf.mjs";

/** Memory of the machine. Of it only what is used is there. */
export const MEMORY = 144 << 20;

const SOCKETS = 4096; // places in the tables of TCP and UDP sockets: as in the guest
const COMMAND_LINE = [
  "quiet",
  "panic=-1",
  "norandmaps",
  "notsc",
  `thash_entries=${SOCKETS}`,
  `uhash_entries=${SOCKETS}`,
].join(" ");

const FOLDERS = ["proc", "sys", "dev", "run"];
const STUB = 0xfe000;
const PARAMETERS = 0x90000;
const COMMAND_LINE_AT = 0x91000;
const LOW_MEMORY_END = 0x9f000;
const HIGH_MEMORY = 0x100000;
const RESET = 0xffff0;
const PAGE = 4096;

/**
 * Where each part of the 32-bit stub goes: real mode at the reset vector, then protected mode with flat segments.
 * @param {Uint8Array} ram
 * @param {number} entry
 */
function layStub(ram, entry) {
  const little = (/** @type {number} */ n) =>
    [0, 8, 16, 24].map((shift) => ((n >>> shift) & 255).toString(16).padStart(2, "0")).join("");
  const put = (/** @type {number} */ at, /** @type {string} */ hex) =>
    ram.set(
      (hex.replace(/\s/g, "").match(/../g) ?? []).map((byte) => parseInt(byte, 16)),
      at,
    );
  put(RESET, "ea 00e0 00f0"); // jmp f000:e000
  put(STUB, "fa"); // cli
  put(STUB + 1, "2e 66 0f0116 80e0"); // lgdt cs:[0xe080]
  put(STUB + 8, "0f20c0 0c01 0f22c0"); // cr0 |= 1
  put(STUB + 16, `66 ea ${little(STUB + 0x40)} 1000`); // jmp 0x10:protected
  put(STUB + 0x40, "66 b8 1800 8ed8 8ec0 8ed0 8ee0 8ee8"); // ds = es = ss = fs = gs = 0x18
  put(STUB + 0x4e, `be ${little(PARAMETERS)} 31db 31ed 31ff`); // esi = parameters; ebx = ebp = edi = 0
  put(STUB + 0x59, `b8 ${little(entry)} ffe0`); // jmp entry
  put(STUB + 0x80, `1f00 ${little(STUB + 0x90)}`);
  put(STUB + 0x90, "0000000000000000 0000000000000000 ffff0000009bcf00 ffff00000093cf00");
}

/**
 * The "zero page".
 * @param {Uint8Array} ram
 * @param {number} rootAt
 * @param {number} rootSize
 */
function layParameters(ram, rootAt, rootSize) {
  const page = new DataView(ram.buffer, ram.byteOffset + PARAMETERS, PAGE);
  page.setUint16(0x1fe, 0xaa55, true); // boot_flag
  page.setUint32(0x202, 0x53726448, true); // header: "HdrS"
  page.setUint16(0x206, 0x20f, true); // version
  page.setUint8(0x210, 0xff); // type_of_loader: none that is known
  page.setUint8(0x211, 1); // loadflags: loaded high
  page.setUint32(0x218, rootAt, true); // ramdisk_image
  page.setUint32(0x21c, rootSize, true); // ramdisk_size
  page.setUint32(0x228, COMMAND_LINE_AT, true); // cmd_line_ptr
  page.setUint32(0x238, 2047, true); // cmdline_size
  const areas = [
    [0, LOW_MEMORY_END],
    [HIGH_MEMORY, ram.length - HIGH_MEMORY],
  ];
  page.setUint8(0x1e8, areas.length); // e820_entries
  areas.forEach(([from, size], i) => {
    const at = 0x2d0 + 20 * i;
    page.setUint32(at, from, true);
    page.setUint32(at + 8, size, true);
    page.setUint32(at + 16, 1, true); // RAM
  });
  ram.set(new TextEncoder().encode(`${COMMAND_LINE}\0`), COMMAND_LINE_AT);
}

/**
 * Memory as a boot loader leaves it; the processor starts at its reset vector.
 * @param {Uint8Array} ram all zeros
 * @param {Uint8Array} kernel an ELF file
 * @param {Uint8Array} agent a 32-bit program without libraries
 */
export function layOut(ram, kernel, agent) {
  const root = rootOf(FOLDERS, agent);
  const rootAt = (ram.length - root.length) & ~(PAGE - 1);
  ram.set(root, rootAt);
  layStub(ram, load(kernel, ram));
  layParameters(ram, rootAt, root.length);
}
