import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { loadOpus } from "../../../src/media/opus/load.ts";
import { loadNativeOpus } from "../../../src/media/opus/native.ts";
import { createWasmOpus, loadLibopusModule } from "../../../src/media/opus/wasm.ts";

const failing = (code: string) => () => loadNativeOpus(() => Promise.reject(Object.assign(new Error("no"), { code })));

test("the native library is used if it can be loaded", async () => {
  const library = { ...createWasmOpus(await loadLibopusModule()), implementation: "native" as const };
  expect(await loadOpus(async () => library)).toMatchObject({ implementation: "native", nativeFailure: undefined });
});

test.each([
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_DLOPEN_FAILED",
  "EACCES",
])("%s: libopus-wasm is used, and the reason is reported", async (code) => {
  const opus = await loadOpus(failing(code));
  expect(opus).toMatchObject({ implementation: "wasm", nativeFailure: code });
  const [encoder, decoder] = [opus.encoder(48_000), opus.decoder(16_000)];
  expect(decoder.decode(encoder.encode(new Int16Array(960)), new Int16Array(1_920))).toBe(320);
});

test("an incompletely installed native package is reported as broken, and libopus-wasm is used", async () => {
  const require = createRequire(import.meta.url);
  const withoutBinary = await loadOpus(() => loadNativeOpus(async () => require("./no-such-binary.node")));
  expect(withoutBinary).toMatchObject({ implementation: "wasm", nativeFailure: "MODULE_NOT_FOUND" });
  const withoutExport = await loadOpus(() => loadNativeOpus(async () => ({ default: {} as never })));
  expect(withoutExport.implementation).toBe("wasm");
  expect(withoutExport.nativeFailure).toContain("not a constructor");
});
