// Scripts with all that they import, by esbuild.
//
//     node build.mjs               what draws widgets: for the site classic scripts, which a page that is opened as a file
//                                  runs, too; for notebooks a module, which anywidget hands to the front end
//     node build.mjs --check       fails if these are not what would be written
//     node build.mjs --lab FOLDER  the page's laboratory, into a folder of the site's: a page then fetches a few files in
//                                  place of a hundred. They lie as deep as the rooms do, so that addresses stay right.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const WIDGETS = [
  { from: "widgets/site.mjs", to: "../book/static/widgets.js", format: /** @type {const} */ ("iife") },
  { from: "widgets/mystery.mjs", to: "../book/static/mystery.js", format: /** @type {const} */ ("iife") },
  {
    from: "pages/remembering.mjs",
    to: "../book/static/remembering.js",
    format: /** @type {const} */ ("iife"),
  },
  {
    from: "opening/page.mjs",
    to: "../book/static/opening.js",
    format: /** @type {const} */ ("iife"),
    inject: ["senders", "film", "canvas_layout", "glyphs", "stage", "clock", "legend"].map(
      (name) => `../labkit/player/static/${name}.js`,
    ),
  },
  { from: "widgets/notebook.mjs", to: "../labkit/widgets/face.mjs", format: /** @type {const} */ ("esm") },
];
const LABORATORY = ["widgets/start.mjs", "bench/page.mjs", "opening/live.mjs"];

const HOW = {
  absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
  bundle: true,
  target: "es2022",
  charset: /** @type {const} */ ("utf8"),
  minify: true,
};

const [option, folder] = process.argv.slice(2);
if (option === "--lab") await laboratory(folder);
else await widgets(option === "--check");

/** @param {boolean} isCheck */
async function widgets(isCheck) {
  const stale = [];
  for (const { from, to, format, inject } of WIDGETS) {
    const banner = { js: `// Made by web/build.mjs from web/${from}. Do not edit.` };
    const { outputFiles } = await build({
      ...HOW,
      entryPoints: [from],
      write: false,
      format,
      banner,
      inject,
    });
    const path = new URL(to, import.meta.url);
    const text = outputFiles[0].text;
    if (!isCheck) writeFileSync(path, text);
    else if (readFileSync(path, "utf8") !== text) stale.push(to.replace("../", ""));
  }
  if (!stale.length) return;
  console.error(`${stale.join(", ")}: not what web/widgets gives now: run node web/build.mjs`);
  process.exitCode = 1;
}

/** @param {string} outdir */
async function laboratory(outdir) {
  const names = { entryNames: "[name]", chunkNames: "[name]-[hash]", outExtension: { ".js": ".mjs" } };
  await build({ ...HOW, ...names, entryPoints: LABORATORY, outdir, splitting: true, format: "esm" });
}
