import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { localSttFailure } from "../../../src/cli/demo/local-stt-failure.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const line = (level: number, process: string, msg: string, detail?: string): string =>
  `${JSON.stringify({ level, process, msg, detail })}\n`;

function failureIn(...lines: string[]): string | undefined {
  const dataDir = temporaryDirectory();
  writeFileSync(join(dataDir, "service.log"), lines.join(""));
  return localSttFailure(dataDir);
}

test("the last warning of the local STT says why it cannot run", () => {
  const ended = "local speech process ended and is replaced";
  const lines = [
    line(40, "speech", ended, "killed"),
    "a line of a native library\n",
    line(40, "speech", ended, "speech model: decoder.onnx (5 bytes) is not the file of the model"),
    line(30, "speech", "process started"),
    line(50, "worker", "process failed"),
  ];
  expect(failureIn(...lines)).toBe(
    "The local STT cannot run: speech model: decoder.onnx (5 bytes) is not the file of the model.",
  );
  expect(failureIn(line(50, "speech", "process failed"))).toBe("The local STT cannot run: process failed.");
});

test("without a warning of the local STT there is no failure", () => {
  expect(failureIn(line(40, "worker", "event loop lags"), line(30, "speech", "process started"))).toBeUndefined();
});
