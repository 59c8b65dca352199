// `npm start`: runs the service from its build, and builds it first where there is no finished build, as in a fresh clone. A build that
// is there is taken as it is: after a change `npm run build` makes a new one.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { BUILD_MARK, inProject } from "./paths.mjs";

function build() {
  process.stderr.write("There is no build in dist/ yet: building it, once.\n");
  return spawnSync(process.execPath, [inProject("scripts/build.mjs")], { stdio: "inherit" }).status === 0;
}

if (existsSync(BUILD_MARK) || build()) await import("../dist/main.js");
else process.exitCode = 1;
