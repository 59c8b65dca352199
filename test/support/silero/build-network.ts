import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SILERO_FILES } from "../../../src/media/voice-activity/silero/silero.ts";
import { buildNetwork, CLANG_VERSION, canBuildNetwork } from "./network-build.ts";

// Writes src/media/voice-activity/silero/network.wasm from network.c, and prints its SHA-256.

if (!canBuildNetwork()) throw new Error(`clang-19 ${CLANG_VERSION} and wasm-ld-19 are not installed`);
const folder = mkdtempSync(join(tmpdir(), "silero-"));
try {
  buildNetwork(fileURLToPath(SILERO_FILES.network), folder);
  // The linker makes it executable.
  chmodSync(SILERO_FILES.network, 0o644);
} finally {
  rmSync(folder, { recursive: true });
}
const wasm = readFileSync(SILERO_FILES.network);
console.log(`${createHash("sha256").update(wasm).digest("hex")}  network.wasm, ${wasm.length} bytes`);
