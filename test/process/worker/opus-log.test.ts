import { expect, test } from "vitest";
import { logOpusImplementation } from "../../../src/process/worker/opus-log.ts";
import { memoryLog } from "../../support/memory-log.ts";

test.each([
  [true, 30],
  [false, 20],
])("The Opus library is logged by the first worker at level info, by the others at debug", (isFirst, level) => {
  const { log, lines } = memoryLog();
  logOpusImplementation({ implementation: "wasm", nativeFailure: undefined }, isFirst, log);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level, opus: "wasm", library: "libopus-wasm (WebAssembly)", msg: "Opus codec selected" },
  ]);
});
