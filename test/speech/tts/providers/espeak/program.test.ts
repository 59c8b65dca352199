import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { expect, test } from "vitest";
import { childModule } from "../../../../../src/core/child-processes/child-module.ts";
import {
  encodeRequest,
  FrameReader,
  GO,
  type ProgramFrame,
} from "../../../../../src/speech/tts/providers/espeak/protocol.ts";

const HERE = new URL("../../../../../src/speech/tts/providers/espeak/any.ts", import.meta.url).href;

test("the eSpeak process ignores the signals that start a drain, and ends when its input ends", async () => {
  const { path, execArgv } = childModule(HERE, "./program");
  const program = spawn(process.execPath, [...execArgv, path], {
    stdio: ["pipe", "ignore", "ignore", "pipe"],
    env: {},
  });
  const reader = new FrameReader();
  const frames: ProgramFrame[] = [];
  (program.stdio[3] as Readable).on("data", (bytes: Buffer) => {
    for (const frame of reader.push(bytes)) {
      frames.push(frame);
      if (frame.kind === "audio") program.stdin?.write(Uint8Array.of(GO));
    }
  });
  const saw = (kind: ProgramFrame["kind"]) =>
    expect.poll(() => frames.map((frame) => frame.kind), { timeout: 10_000 }).toContain(kind);

  await saw("ready");
  program.kill("SIGTERM");
  program.kill("SIGINT");
  program.stdin?.write(encodeRequest({ text: "Still here.", voice: "gmw/en-US", watermark: true }));
  await saw("end");
  const words = frames.flatMap((frame) => (frame.kind === "words" ? frame.words : []));
  expect(words.map((word) => word.text)).toEqual(["Still", "here."]);

  const exit = once(program, "exit");
  program.stdin?.end();
  expect(await exit).toEqual([0, null]);
});
