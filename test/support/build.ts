import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

/** What the build made of `src/{name}.ts`. Tests of whole programs run what users run, which also starts sooner than its source. */
export const builtProgram = (name: string): string => fileURLToPath(new URL(`dist/${name}.js`, root));

/** Builds before the first of them runs (Vitest's `globalSetup`). */
export function setup(): void {
  const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
}
