import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { formatsOf, type SimulatedLine } from "../../../src/simulator/lines.ts";
import { connectionOf } from "../../../src/simulator/service/api-calls.ts";
import { conversation, telephone, utterance } from "../../callers/telephone.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** Has every process of the service fail to load @discordjs/opus with this code, as it does where the package is broken. */
function withoutNativeOpus(code: string): { NODE_OPTIONS: string } {
  const hook = `export const resolve = (specifier, context, next) => {
    if (specifier === "@discordjs/opus") throw Object.assign(new Error("cannot be loaded"), { code: "${code}" });
    return next(specifier, context);
  };`;
  const url = `data:text/javascript,${encodeURIComponent(hook)}`;
  const preload = `import { register } from "node:module"; register(${JSON.stringify(url)});`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
}

/** The built `main` module in a tree of its own, in which @discordjs/opus is an empty folder, or nothing. */
function serviceWith({ opusFolder }: { opusFolder: boolean }): string {
  const tree = temporaryDirectory();
  const project = fileURLToPath(new URL("../../../", import.meta.url));
  for (const part of ["dist", "package.json"]) cpSync(join(project, part), join(tree, part), { recursive: true });
  mkdirSync(join(tree, "node_modules"));
  for (const name of readdirSync(join(project, "node_modules"))) {
    if (name !== "@discordjs") symlinkSync(join(project, "node_modules", name), join(tree, "node_modules", name));
  }
  if (opusFolder) mkdirSync(join(tree, "node_modules/@discordjs/opus"), { recursive: true });
  return join(tree, "dist/main.js");
}

const LINE: SimulatedLine = { wire: "websocket", format: { codec: "opus", inputRateHz: 48_000, outputRateHz: 48_000 } };
const WASM = "Opus codec selected";
const BROKEN = "@discordjs/opus is installed and cannot be loaded: libopus-wasm takes its place";

describe("the start is logged with the Opus library in use", () => {
  test("with a broken native package libopus-wasm is used, a warning gives the reason, and a call in Opus works", {
    retry: ifMachineStalled,
  }, async () => {
    const service = await Service.start({ env: withoutNativeOpus("ERR_DLOPEN_FAILED") });
    expect(service.logged(WASM)).toMatchObject([{ level: "info", opus: "wasm" }]);
    expect(service.logged(BROKEN)).toMatchObject([{ level: "warn", code: "ERR_DLOPEN_FAILED" }]);
    const { id, websocketUrl } = await service.createCall({ ...connectionOf(LINE), greeting: "Hartwell bakery." });
    const goodbye = await utterance("Goodbye!", formatsOf(LINE).inbound);
    const { caller, violations } = await telephone(websocketUrl, conversation([goodbye]), { line: LINE });
    expect([...violations]).toEqual([]);
    expect(caller.heard.map(({ text }) => text)).toEqual(["Hartwell bakery.", "Thank you for calling. Goodbye!"]);
    expect(await service.ended(id)).toMatchObject({ endReason: "agent_hangup" });
    await service.stop();
  });

  test("with an incompletely installed native package libopus-wasm is used, and one worker logs the reason", async () => {
    const main = serviceWith({ opusFolder: true });
    const service = await Service.start({ main, env: { WORKERS: "2" } });
    expect(service.logged(WASM)).toHaveLength(1);
    expect(service.logged(BROKEN)).toMatchObject([{ level: "warn", code: "ERR_MODULE_NOT_FOUND" }]);
    await service.stop();
  });

  test("without the native package there is no warning", async () => {
    const service = await Service.start({ main: serviceWith({ opusFolder: false }) });
    expect(service.logged(WASM)).toHaveLength(1);
    expect(service.logged(BROKEN)).toEqual([]);
    await service.stop();
  });
});
