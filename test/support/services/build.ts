import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = new URL("../../../", import.meta.url);

/** What the build made of `src/{name}.ts`. Tests of whole programs run what users run, which also starts sooner than its source. */
export const builtProgram = (name: string): string => fileURLToPath(new URL(`dist/${name}.js`, root));

/** Builds before the first of them runs (Vitest's `globalSetup`). */
export function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL("scripts/build.mjs", root))], { cwd: root, stdio: "inherit" });
}
