import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * Runs the module `name`, relative to the module `parentUrl` (its `import.meta.url`) and without an extension, in a worker thread.
 * Built code runs as it stands. Source runs through tsx, which registers itself in main threads only, so the thread does it.
 */
export function startThread(parentUrl: string, name: string, options: WorkerOptions): Worker {
  if (!parentUrl.endsWith(".ts")) return new Worker(fileURLToPath(new URL(`${name}.js`, parentUrl)), options);
  const folder = pathToFileURL(createRequire(import.meta.url).resolve("tsx/package.json"));
  const tsx = JSON.stringify(new URL("dist/esm/api/index.mjs", folder).href);
  const module = JSON.stringify(new URL(`${name}.ts`, parentUrl).href);
  const source = `import(${tsx}).then(({ register }) => { register(); return import(${module}); });`;
  return new Worker(source, { ...options, eval: true });
}
