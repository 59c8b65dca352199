// The dashboard: Vite bundles web/dashboard/ to dist/web/dashboard/, where each file is also compressed once, so that the service
// compresses nothing while it answers. Beside them are the licences of the packages that they contain.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";
import { licencesText, packageFolders } from "./licences.mjs";
import { inProject } from "./paths.mjs";

const CONTENT_TYPES = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const SHELL = "index.html";

/** NOTICE names it; it is not served. */
const LICENCES = "licences.txt";

/** Writes the files and a manifest of them to `folder`. False when a module has errors, which the bundler writes. */
export async function buildDashboard(folder) {
  const modules = new Set();
  const chunks = new Map();
  // The worker has a bundle of its own.
  const plugins = [noting(modules)];
  try {
    await build({
      configFile: inProject("web/dashboard/vite.config.ts"),
      build: { outDir: folder, emptyOutDir: true },
      plugins: [...plugins, notingChunks(chunks)],
      worker: { plugins: () => plugins },
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return false;
  }
  const files = {};
  for (const name of readdirSync(folder)) {
    const contentType = CONTENT_TYPES[extname(name)];
    compress(join(folder, name));
    if (contentType !== undefined) files[name] = { contentType };
    else if (name !== SHELL) throw new Error(`the service has no content type for ${name} of the dashboard`);
  }
  writeFileSync(join(folder, LICENCES), licencesText(packageFolders([...modules])));
  // Last: who finds it finds all files.
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files, pages: filesOfPages(chunks) }));
  return true;
}

/** Adds the paths of the modules that are in the files to `modules`. */
const noting = (modules) => ({
  name: "note-modules",
  generateBundle(_options, bundle) {
    for (const { type, moduleIds } of Object.values(bundle)) {
      if (type === "chunk") for (const id of moduleIds) modules.add(id);
    }
  },
});

/** Adds what the program of each module loads to `chunks`, by the path of the module. */
const notingChunks = (chunks) => ({
  name: "note-chunks",
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === "chunk" && chunk.facadeModuleId) {
        chunks.set(chunk.facadeModuleId, [...filesOf(chunk, bundle, new Set())]);
      }
    }
  },
});

/** The names of a chunk and of all that it imports, with their styles. */
function filesOf(chunk, bundle, found) {
  if (found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const name of chunk.viteMetadata?.importedCss ?? []) found.add(name);
  for (const name of chunk.imports) filesOf(bundle[name], bundle, found);
  return found;
}

/** The files of each page beyond those of the document, by the page's path as `PAGES` has it: `calls/:id`. */
function filesOfPages(chunks) {
  const source = readFileSync(inProject("web/dashboard/app/pages.ts"), "utf8");
  const pages = [...source.matchAll(/\bpath: "([^"]+)"[^}]*?import\("\.\.\/([^"]+)"\)/g)];
  const ofDocument = new Set(chunks.get(inProject("web/dashboard/index.html")));
  return Object.fromEntries(
    pages.map(([, path, module]) => {
      const files = chunks.get(inProject(`web/dashboard/${module}`));
      if (files === undefined) throw new Error(`the page ${path} has no program: ${module}`);
      return [path, files.filter((name) => !ofDocument.has(name))];
    }),
  );
}

function compress(path) {
  const content = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
}
