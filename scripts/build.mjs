// `npm run build`: compiles src/ to dist/, and copies the network of the speech detector. The mark is removed first and written last, so that `npm start` knows a finished build from
// one that was interrupted.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { BUILD_MARK, inProject } from "./paths.mjs";

const NETWORK_FOLDER = "media/voice-activity/silero";
const NETWORK_FILES = ["network.wasm", "weights.f32"];

const compiler = inProject("node_modules/typescript/bin/tsc");
if (existsSync(compiler)) {
  rmSync(BUILD_MARK, { force: true });
  const { status } = spawnSync(process.execPath, [compiler, "-p", inProject("tsconfig.build.json")], {
    stdio: "inherit",
  });
  if (status === 0) {
    for (const file of NETWORK_FILES)
      copyFileSync(inProject(`src/${NETWORK_FOLDER}/${file}`), inProject(`dist/${NETWORK_FOLDER}/${file}`));
    writeFileSync(BUILD_MARK, "");
  } else process.exitCode = 1;
} else {
  process.stderr.write("There is no compiler to build with: run npm ci first.\n");
  process.exitCode = 1;
}
