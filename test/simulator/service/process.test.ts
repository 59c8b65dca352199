import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { type ServiceOptions, startService } from "../../../src/simulator/service/process.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const NEVER = new AbortController().signal;

/** A program instead of the service, which runs `source`. */
function programOf(source: string): ServiceOptions {
  const folder = temporaryDirectory();
  const path = join(folder, "main.mjs");
  writeFileSync(path, source);
  return { program: { path, execArgv: [] }, dataDir: join(folder, "data"), clock: systemClock };
}

const READY = `process.send({ kind: "ready", apiUrl: "http://127.0.0.1:1234", mediaUrl: "ws://127.0.0.1:1235" });`;
/** Reports an orderly stop, and exits. */
const STOPPABLE = `
  import { writeFileSync } from "node:fs";
  setInterval(() => {}, 1_000);
  process.on("SIGTERM", () => { writeFileSync(process.env.DATA_DIR + "/stopped", ""); process.exit(0); });
`;

test("a ready service reports its address, and is stopped with SIGTERM", async () => {
  const options = programOf(`${STOPPABLE} ${READY} console.log("up");`);
  const service = await startService(options, NEVER);
  expect(service.apiUrl).toBe("http://127.0.0.1:1234");
  await service.stop();
  expect(existsSync(join(options.dataDir, "stopped"))).toBe(true);
  expect(readFileSync(join(options.dataDir, "service.log"), "utf8")).toContain("up");
});

test("its environment has only the reference providers, free ports and the data directory", async () => {
  const options = programOf(`${STOPPABLE} ${READY} console.log(JSON.stringify(process.env));`);
  await (await startService(options, NEVER)).stop();
  const [line = "{}"] = readFileSync(join(options.dataDir, "service.log"), "utf8").split("\n");
  const { TMPDIR, NODE_CHANNEL_FD, NODE_CHANNEL_SERIALIZATION_MODE, ...env } = JSON.parse(line);
  expect(env).toEqual({
    API_PORT: "0",
    MEDIA_PORT: "0",
    METRICS_PORT: "off",
    DATA_DIR: options.dataDir,
    STT: "reference",
    TTS: "reference",
  });
});

test("further variables reach it too", async () => {
  const options = programOf(`${STOPPABLE} ${READY} console.log(process.env.CARRIER_B_OUTBOUND_CODEC);`);
  await (await startService({ ...options, env: { CARRIER_B_OUTBOUND_CODEC: "pcma" } }, NEVER)).stop();
  expect(readFileSync(join(options.dataDir, "service.log"), "utf8")).toContain("pcma");
});

test("a service that exits before it is ready rejects with the end of its log", async () => {
  const options = programOf(`console.log("DATA_DIR is on fire"); process.exitCode = 3;`);
  const starting = startService(options, NEVER);
  await expect(starting).rejects.toMatchObject({ code: "unavailable", cause: { message: "ended with code 3" } });
  await expect(starting).rejects.toThrow(/service\.log:\nDATA_DIR is on fire$/);
});

test("an abort while it starts stops it", async () => {
  const stop = new AbortController();
  const options = programOf(`${STOPPABLE} console.log("listening to signals");`);
  const starting = startService(options, stop.signal);
  const log = join(options.dataDir, "service.log");
  while (!readFileSync(log, "utf8").includes("listening")) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  stop.abort(new Error("enough"));
  await expect(starting).rejects.toThrow("enough");
  expect(existsSync(join(options.dataDir, "stopped"))).toBe(true);
});
