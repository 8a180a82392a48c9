// What widgets are drawn by, as one script each: of the site classic ones, which a page that is opened as a file runs, too;
// of a notebook a module, which anywidget hands to the front end.
//
//     node build.mjs           writes them
//     node build.mjs --check   fails if they are not what would be written

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SCRIPTS = [
  { from: "widgets/site.mjs", to: "../book/static/widgets.js", format: /** @type {const} */ ("iife") },
  { from: "widgets/mystery.mjs", to: "../book/static/mystery.js", format: /** @type {const} */ ("iife") },
  { from: "widgets/notebook.mjs", to: "../labkit/widgets/face.mjs", format: /** @type {const} */ ("esm") },
];

const here = fileURLToPath(new URL(".", import.meta.url));
const stale = [];
for (const { from, to, format } of SCRIPTS) {
  const banner = `// Made by web/build.mjs from web/${from}. Do not edit.`;
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: [from],
    bundle: true,
    write: false,
    format,
    target: "es2022",
    charset: "utf8",
    minify: true,
    banner: { js: banner },
  });
  const path = new URL(to, import.meta.url);
  const text = outputFiles[0].text;
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) stale.push(to.replace("../", ""));
}
if (stale.length) {
  console.error(`${stale.join(", ")}: not what web/widgets gives now: run node web/build.mjs`);
  process.exit(1);
}
