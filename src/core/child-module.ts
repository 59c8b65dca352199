import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** What `child_process` needs to run a module of ours as a program of its own. */
export interface ChildModule {
  path: string;
  /** Node options that stand before the path. */
  execArgv: string[];
}

/**
 * The module `name`, relative to the module `parentUrl` (its `import.meta.url`) and without an extension, as a program.
 * Built code runs as it stands. Source runs through tsx, found from here, so that the working directory does not matter.
 */
export function childModule(parentUrl: string, name: string): ChildModule {
  if (!parentUrl.endsWith(".ts")) return { path: fileURLToPath(new URL(`${name}.js`, parentUrl)), execArgv: [] };
  const tsx = createRequire(import.meta.url).resolve("tsx");
  return {
    path: fileURLToPath(new URL(`${name}.ts`, parentUrl)),
    execArgv: ["--import", pathToFileURL(tsx).href],
  };
}
