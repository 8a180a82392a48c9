// @ts-check
/* Makes of Python's sources what a page starts from: compiled modules, and the memory of a Python that has loaded its
 * own library. Run by node when the site is built (python_files.py).
 *
 *   node image.mjs PYODIDE FOLDER     PYODIDE: the npm package; FOLDER: stdlib.zip, sources.zip, core.so,
 *                                     settings.json in it; then also modules.zip and snapshot.bin */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

process.on("uncaughtException", (error) => {
  console.error(error.message ?? error); // not the line of Pyodide's script, which has a million characters
  process.exit(1);
});

const [pyodide, folder] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")).href);
const file = (/** @type {string} */ name) => join(folder, name);
const common = { indexURL: pyodide, stdLibURL: file("stdlib.zip"), ...JSON.parse(readFileSync(file("settings.json"), "utf8")).pyodide };

const COMPILE = `
import importlib._bootstrap_external as external, zipfile
with zipfile.ZipFile("/sources.zip") as sources, zipfile.ZipFile("/modules.zip", "w") as modules:
    for name in sources.namelist():
        content, compiled = sources.read(name), name.endswith(".py")
        if compiled:
            code = compile(content, "/" + name, "exec", dont_inherit=True, optimize=1)
            content = external._code_to_hash_pyc(code, bytes(8), False)
        info = zipfile.ZipInfo(name + "c" * compiled, (2026, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        modules.writestr(info, content)
`;
const USE = `
import json, sys
sys.path.insert(0, "/site")
from live.in_page import answer
from labkit import Experiment, Flow, pair
exp = Experiment(pair(rate="1mbit"), flows=[Flow("left", "right", size="1kB")])
plans = json.loads(answer(json.dumps({"experiments": [json.loads(exp.to_json())], "built_in": []})))["plans"]
assert len(plans) == 1
library = sys.path[1:]
own = [name for name, module in sys.modules.items() if "/site" not in (getattr(module, "__file__", None) or "")]
json.dumps([name for name in own if name.isidentifier() and name not in ("__main__", "__mp_main__", "yaml")])
`;

const first = await loadPyodide(common);
first.FS.writeFile("/sources.zip", readFileSync(file("sources.zip")));
first.runPython(COMPILE);
const modules = first.FS.readFile("/modules.zip");
writeFileSync(file("modules.zip"), modules);
first.unpackArchive(modules, "zip", { extractDir: "/site" });
first.FS.writeFile("/site/pydantic_core/_pydantic_core.so", readFileSync(file("core.so")));
/** @type {string[]} */
const used = JSON.parse(first.runPython(USE));

const second = await loadPyodide({ ...common, _makeSnapshot: true });
second.runPython(`import gc\n${used.map((name) => `import ${name}\n`).join("")}gc.collect()\n`);
writeFileSync(file("snapshot.bin"), second.makeMemorySnapshot());
