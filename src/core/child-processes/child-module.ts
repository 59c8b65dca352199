import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** What `child_process` needs to run a module of this package as a program. */
export interface ChildModule {
  path: string;
  /** Node options before the path. */
  execArgv: string[];
}

/**
 * The module `name`, relative to the module `parentUrl` (its `import.meta.url`) and without an extension, as a program.
 * Built code runs directly. Source runs through tsx, resolved from this module, so that the working directory does not matter.
 */
export function childModule(parentUrl: string, name: string): ChildModule {
  if (!parentUrl.endsWith(".ts")) return { path: fileURLToPath(new URL(`${name}.js`, parentUrl)), execArgv: [] };
  const tsx = createRequire(import.meta.url).resolve("tsx");
  return {
    path: fileURLToPath(new URL(`${name}.ts`, parentUrl)),
    execArgv: ["--import", pathToFileURL(tsx).href],
  };
}

/** What `worker_threads` needs to run a module of this package as a thread. */
export interface ThreadModule {
  /** The module, or code that imports it. */
  source: URL | string;
  /** `source` is code. */
  isCode: boolean;
}

/** `childModule` for a thread: `--import` does not register tsx in threads, so the code registers it. */
export function threadModule(parentUrl: string, name: string): ThreadModule {
  if (!parentUrl.endsWith(".ts")) return { source: new URL(`${name}.js`, parentUrl), isCode: false };
  const tsx = createRequire(import.meta.url).resolve("tsx");
  // The file that `import "tsx/esm/api"` resolves to. `require.resolve` returns another file, which cannot be imported.
  const api = new URL("./esm/api/index.mjs", pathToFileURL(tsx));
  const module = new URL(`${name}.ts`, parentUrl);
  const [apiText, moduleText] = [api, module].map(({ href }) => JSON.stringify(href));
  return { source: `import(${apiText}).then(({ register }) => (register(), import(${moduleText})))`, isCode: true };
}
