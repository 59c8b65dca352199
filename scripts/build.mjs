// `npm run build`: compiles src/ to dist/, and copies there what the modules read at run time. The mark is removed first and written
// last, so that `npm start` knows a finished build from one that was interrupted.

import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { copyAssets } from "./assets.mjs";
import { BUILD_MARK, inProject } from "./paths.mjs";

const compiler = inProject("node_modules/typescript/bin/tsc");
if (existsSync(compiler)) {
  rmSync(BUILD_MARK, { force: true });
  const { status } = spawnSync(process.execPath, [compiler, "-p", inProject("tsconfig.build.json")], {
    stdio: "inherit",
  });
  if (status === 0) {
    copyAssets(inProject("dist"));
    writeFileSync(BUILD_MARK, "");
  } else process.exitCode = 1;
} else {
  process.stderr.write("There is no compiler to build with: run npm ci first.\n");
  process.exitCode = 1;
}
