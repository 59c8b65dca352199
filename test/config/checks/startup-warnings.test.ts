import { chmodSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { startupWarnings } from "../../../src/config/checks/startup-warnings.ts";
import { readConfig } from "../../../src/config/config.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** A checkout in which calls were placed has a data directory of its own. */
const read = (env: Record<string, string>) => readConfig({ DATA_DIR: temporaryDirectory(), ...env });
const messagesOf = (env: Record<string, string>, callsMax = Number.POSITIVE_INFINITY): string[] =>
  startupWarnings(read(env), [], callsMax).map(({ message }) => message);

test("a configuration of defaults gives no warning", () => {
  expect(messagesOf({})).toEqual([]);
});

test("tools that may call this machine give a warning", () => {
  expect(messagesOf({ TOOLS_ALLOW_LOOPBACK: "true" })).toEqual([
    expect.stringContaining("TOOLS_ALLOW_LOOPBACK is set"),
  ]);
});

test("ADV-M8: secrets without a binding give a warning with only their names", () => {
  const accounts = ["account_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"];
  const config = read({
    ...{ STT: "reference", TOOL_SECRET_SHOP: "canary", TOOL_SECRET_OLD: "canary", TOOL_SECRET_ANY: "canary" },
    TOOL_SECRET_BINDINGS: JSON.stringify({ SHOP: { hosts: ["api.example.com"], accounts } }),
  });
  expect(startupWarnings(config, [], 1_000)).toEqual([
    {
      fields: { secrets: ["TOOL_SECRET_OLD", "TOOL_SECRET_ANY"] },
      message: "tool secrets without a binding are never sent: add them to TOOL_SECRET_BINDINGS or remove them",
    },
  ]);
});

test("a data directory that other users can access gives a warning and is not changed", () => {
  const DATA_DIR = temporaryDirectory();
  for (const [mode, notes] of [
    [0o700, []],
    [0o755, [expect.stringContaining("DATA_DIR is accessible to other users of this machine")]],
  ] as const) {
    chmodSync(DATA_DIR, mode);
    expect(messagesOf({ STT: "reference", TTS: "reference", DATA_DIR })).toEqual(notes);
    expect(statSync(DATA_DIR).mode & 0o777).toBe(mode);
  }
});

test("a worker that can carry fewer calls than configured gives a warning with the number", () => {
  const config = read({ STT: "reference" });
  expect(startupWarnings(config, [], 192)).toEqual([
    { fields: { callsMax: 192 }, message: expect.stringContaining("fewer calls than CALLS_PER_WORKER") },
  ]);
});

test("all unknown variables are in one line, each with the most similar known one", () => {
  const unknown = [
    { name: "DEEPGRAM_KEY", nearest: "DEEPGRAM_API_KEY" },
    { name: "OPENAI_APIKEY", nearest: "OPENAI_API_KEY" },
  ];
  expect(startupWarnings(read({ STT: "reference" }), unknown, 1_000)).toEqual([
    {
      fields: {
        variables: ["DEEPGRAM_KEY: did you mean DEEPGRAM_API_KEY?", "OPENAI_APIKEY: did you mean OPENAI_API_KEY?"],
      },
      message: "unknown environment variables",
    },
  ]);
});
