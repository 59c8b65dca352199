import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { inProject } from "./paths.mjs";

const COMPILER = inProject("node_modules/typescript/bin/tsc");

/** False, after the reason was written, where only the packages of a release are installed. */
export function hasCompiler() {
  if (existsSync(COMPILER)) return true;
  process.stderr.write("There is no compiler to build with: run npm ci first.\n");
  return false;
}

/** Compiles a project of TypeScript. False when it has errors, which the compiler writes. */
function compile(project, ...options) {
  const args = [COMPILER, "-p", inProject(project), ...options];
  return spawnSync(process.execPath, args, { stdio: "inherit" }).status === 0;
}

/** The client of the API, which the commands and benches import as `#client`: package.json says from where. */
export const compileClient = () => compile("web/client/tsconfig.json", "--outDir", inProject("dist/client"));

/** src/, whose commands need the compiled client. */
export const compileService = () => compile("tsconfig.build.json");

/** The types of a package of web/, whose modules a bundler compiles; checks them too. */
export const writeTypes = (project, folder) => compile(project, "--outDir", folder);
