import { expect, test } from "vitest";
import { listenForTraces } from "../../../src/cli/traces/listen.ts";
import { callMs, epochMs } from "../../../src/core/clocks.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { loadSpanExport } from "../../../src/record/traces/exporter.ts";
import { memoryLog } from "../../support/memory-log.ts";

/** The lines of `npm run traces -- listen`, and its port once it listens. */
function scene(count: number) {
  const printed: string[] = [];
  const stop = new AbortController();
  let done: Promise<void> = Promise.resolve();
  const port = new Promise<number>((resolve) => {
    const note = (line: string): void => resolve(Number(/port (\d+)/.exec(line)?.[1]));
    done = listenForTraces({ port: 0, count }, stop.signal, { print: (line) => printed.push(line), note });
  });
  return { printed, stop, port, done: () => done };
}

test("a trace is drawn once its call is over, each turn to its own scale", async () => {
  const { printed, port, done } = scene(1);
  const settings = {
    url: `http://127.0.0.1:${await port}/v1/traces`,
    headers: {},
    resource: {},
    sampleRatio: 1,
    hasWords: false,
  };
  const exporter = await loadSpanExport(settings, () => {}, memoryLog().log);
  const span = (number: number, parent: number | undefined, name: string, startMs: number, endMs: number) => ({
    ...{ number, parent, name, attributes: {} },
    startMs: callMs(startMs),
    endMs: callMs(endMs),
  });
  const id = asCallId("call_01980000-0000-7000-8000-000000000001");
  exporter.add(id, epochMs(1_767_225_600_000), [
    span(1, 0, "turn", 1_000, 3_000),
    span(2, 1, "caller speech", 1_000, 2_000),
    { ...span(3, 1, "chat", 2_000, 3_000), errorType: "provider_failed" },
    {
      ...span(0, undefined, "call", 0, 5_000),
      attributes: { "trunkline.call.id": id, "trunkline.call.end_reason": "inactivity" },
    },
  ]);
  await exporter.close();
  await done();
  expect(printed).toEqual([
    `${id}  call, 5000 ms, inactivity, trace 01980000000070008000000000000001`,
    "  turn, 2000 ms, at 1000 ms",
    `    ${"caller speech".padEnd(26)} ${"█".repeat(20).padEnd(40)} 1000 ms`,
    `    ${"chat".padEnd(26)} ${" ".repeat(20)}${"█".repeat(20)} 1000 ms provider_failed`,
  ]);
});

test.each([
  ["no protobuf", Buffer.from("hello")],
  ["a length beyond the end", Buffer.from([0x0a, 0xff, 0x01])],
  ["a varint without an end", Buffer.alloc(12, 0xff)],
])("%s is answered with 400", async (_, body) => {
  const { printed, stop, port, done } = scene(1);
  const answer = await fetch(`http://127.0.0.1:${await port}/v1/traces`, { method: "POST", body });
  expect(answer.status).toBe(400);
  stop.abort();
  await done();
  expect(printed).toEqual([]);
});
