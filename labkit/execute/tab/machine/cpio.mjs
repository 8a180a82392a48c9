// @ts-check
/* The root file system of a kernel that starts: folders, and one program, as "newc" cpio
 * (Documentation/driver-api/early-userspace/buffer-format.rst of Linux). */

const FOLDER = 0o040755;
const PROGRAM = 0o100755;

/**
 * One entry: a header of hexadecimal numbers, its name, its content, each padded to 4 bytes.
 * @param {number} number
 * @param {string} name
 * @param {number} mode
 * @param {Uint8Array} content
 */
function entry(number, name, mode, content) {
  const path = new TextEncoder().encode(name + "\0");
  const fields = [number, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, path.length, 0];
  const head = "070701" + fields.map((field) => field.toString(16).padStart(8, "0")).join("");
  const body = (head.length + path.length + 3) & ~3;
  const made = new Uint8Array(body + ((content.length + 3) & ~3));
  made.set(new TextEncoder().encode(head));
  made.set(path, head.length);
  made.set(content, body);
  return made;
}

/**
 * A root with these folders and /init.
 * @param {string[]} folders
 * @param {Uint8Array} init
 */
export function rootOf(folders, init) {
  const nothing = new Uint8Array();
  const entries = folders.map((name, i) => entry(i + 1, name, FOLDER, nothing));
  entries.push(entry(folders.length + 1, "init", PROGRAM, init), entry(0, "TRAILER!!!", 0, nothing));
  const made = new Uint8Array(entries.reduce((size, one) => size + one.length, 0));
  let at = 0;
  for (const one of entries) {
    made.set(one, at);
    at += one.length;
  }
  return made;
}
