import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { childModule } from "../../../src/core/child-processes/child-module.ts";

test("a built module runs without options", () => {
  expect(childModule("file:///app/dist/speech/pool.js", "./programs/voice")).toEqual({
    path: "/app/dist/speech/programs/voice.js",
    execArgv: [],
  });
});

test("a module of the source runs from any directory", () => {
  const { path, execArgv } = childModule(import.meta.url, "../../speech/tts/providers/espeak/programs/unstartable");
  const { status, stderr } = spawnSync(process.execPath, [...execArgv, path], { cwd: tmpdir(), encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(7);
});
