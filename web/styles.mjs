// A site's style sheet without the rules that no page needs, and its icons without the pictures that no page shows.
//
//     node styles.mjs SITE SHEET     SHEET lies in SITE and is written anew; the fonts that it names get the ending "-used"
//
// What a page, or a script of the site, may be looking for stays: PurgeCSS takes every word of theirs for a name.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PurgeCSS } from "purgecss";
import subsetFont from "subset-font";

const READ = ["*.html", "book/**/*.html", "chapters/**/*.html", "_static/**/*.js", "_static/**/*.mjs"];
const KEPT = [/^lp/, /data-theme/, /^vega/, /^mermaid/]; // made of pieces by scripts

const [site, sheet] = process.argv.slice(2);
const content = READ.map((pattern) => join(site, pattern));
const [{ css }] = await new PurgeCSS().purge({ content, css: [sheet], safelist: { greedy: KEPT } });
writeFileSync(sheet, await withUsedIcons(css));

/**
 * Fonts of icons hold hundreds of them; the sheet names those that are shown by their code.
 * @param {string} text
 */
async function withUsedIcons(text) {
  const icons = [...text.matchAll(/"\\(f[0-9a-f]{3})"/g)].map(([, code]) =>
    String.fromCodePoint(parseInt(code, 16)),
  );
  let found = text;
  for (const [, address] of new Set([...text.matchAll(/url\(["']?([^"')]*\/fa-[\w-]+\.woff2)["']?\)/g)])) {
    const file = join(dirname(sheet), address);
    if (!existsSync(file)) throw new Error(`${sheet} names ${address}, which is not there`);
    const used = file.replace(/\.woff2$/, "-used.woff2");
    writeFileSync(used, await subsetFont(readFileSync(file), icons.join(""), { targetFormat: "woff2" }));
    found = found.replaceAll(address, address.replace(/\.woff2$/, "-used.woff2"));
  }
  return found;
}
