// `npm start`: runs the service from its build, and builds it first where there is none, as in a fresh clone. A build that is there is
// taken as it is: after a change `npm run build` makes a new one.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

function build() {
  const compiler = path("node_modules/typescript/bin/tsc");
  if (!existsSync(compiler)) {
    process.stderr.write("There is no build in dist/, and no compiler to make one: run npm ci first.\n");
    return false;
  }
  process.stderr.write("There is no build in dist/ yet: building it, once.\n");
  const { status } = spawnSync(process.execPath, [compiler, "-p", path("tsconfig.build.json")], { stdio: "inherit" });
  return status === 0;
}

if (existsSync(path("dist/main.js")) || build()) await import("../dist/main.js");
else process.exitCode = 1;
