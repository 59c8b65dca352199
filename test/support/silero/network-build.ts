import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The compiler that network.wasm was made with: another version makes other bytes. */
export const CLANG_VERSION = "19.1.7";
const CLANG = "clang-19";
const LINKER = "wasm-ld-19";
const SOURCE = fileURLToPath(new URL("../../../src/media/voice-activity/silero/network.c", import.meta.url));

/** `contract=off`: no fused multiply-add, so that each operation is rounded as IEEE 754 says. */
const COMPILE = [
  ...["--target=wasm32", "-std=c17", "-Os", "-msimd128", "-ffp-contract=off"],
  ...["-ffreestanding", "-nostdlib", "-Wall", "-Wextra", "-Werror", "-c"],
];
/** The stack is first, so that an overflow leaves the memory and traps. */
const LINK = [
  ...["--no-entry", "--strip-all", "--stack-first", "-z", "stack-size=4096"],
  ...["--export=weights", "--export=chunk", "--export=probability", "--export=__heap_base"],
];

/** Whether network.c can be compiled to the same bytes here. */
export function canBuildNetwork(): boolean {
  try {
    const version = execFileSync(CLANG, ["--version"], { encoding: "utf8" });
    execFileSync(LINKER, ["--version"], { stdio: "ignore" });
    return version.includes(`version ${CLANG_VERSION} `);
  } catch {
    return false;
  }
}

/** Compiles network.c to `wasmPath`; `folder` takes the object file. Throws with the compiler's messages where it fails. */
export function buildNetwork(wasmPath: string, folder: string): void {
  const object = join(folder, "network.o");
  execFileSync(CLANG, [...COMPILE, SOURCE, "-o", object]);
  execFileSync(LINKER, [...LINK, object, "-o", wasmPath]);
}
