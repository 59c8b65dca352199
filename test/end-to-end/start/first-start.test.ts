import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Service, ServiceProcess } from "../../support/services/service.ts";

/** A screen of a terminal. */
const SCREEN_LINES = 20;

test("a new data directory gets a first API key, which works and is in no log; the next start creates none", async () => {
  const service = await Service.start({ env: { WORKERS: "1" } });
  const path = join(service.dataDir, "first-api-key");
  expect(service.logged("first API key written")).toMatchObject([{ process: "control", path }]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const key = readFileSync(path, "utf8").trim();
  const answer = await fetch(`${service.apiUrl}/api/v1/voices`, { headers: { "X-API-Key": key } });
  expect(answer.status).toBe(200);
  expect(service.process.stdout).not.toContain(key);
  await service.stop();
  const again = await Service.start({ dataDir: service.dataDir, env: { WORKERS: "1" } });
  expect(again.logged("first API key written")).toEqual([]);
  expect(readFileSync(path, "utf8").trim()).toBe(key);
  await again.stop();
}, 60_000);

test("in production there is no first API key, and the log says how to create one", async () => {
  const service = await Service.start({ env: { WORKERS: "1", NODE_ENV: "production" } });
  expect(existsSync(join(service.dataDir, "first-api-key"))).toBe(false);
  expect(service.process.log.map(({ msg }) => msg)).toContainEqual(
    expect.stringMatching(/^no API key exists: create one with npm run api-keys -- create --name <name>/),
  );
  await service.stop();
}, 60_000);

test("all notes of the start fit on a screen, each once for any number of workers, without values of variables", async () => {
  const SECRET = "a-value-that-must-stay-secret";
  const env = { WORKERS: "3", STT: "reference", TTS: "espeak", DEEPGRAM_KEY: SECRET, TOOLS_ALLOW_LOOPBACK: "true" };
  const service = await Service.start({ env });
  const messages = service.process.log.map(({ msg }) => msg);
  expect(messages.length).toBeLessThanOrEqual(SCREEN_LINES);
  expect(service.logged("unknown environment variables")).toMatchObject([
    { process: "supervisor", variables: ["DEEPGRAM_KEY: did you mean DEEPGRAM_API_KEY?"] },
  ]);
  expect(messages.filter((message) => message.startsWith("TOOLS_ALLOW_LOOPBACK is set"))).toHaveLength(1);
  expect(service.process.stdout).not.toContain(SECRET);
  await service.stop();
}, 60_000);

test("a configuration that lacks a key names the variable that it may be in", async () => {
  const service = new ServiceProcess({ env: { STT: "deepgram", DEEPGRAM_KEY: "secret-of-mine" } });
  expect(await service.exited).toBe(1);
  expect(service.stderr).toContain("DEEPGRAM_API_KEY must be set with STT=deepgram\n");
  expect(service.stderr).toContain("  DEEPGRAM_KEY is not known: did you mean DEEPGRAM_API_KEY?\n");
  expect(service.stderr).not.toContain("secret-of-mine");
});
