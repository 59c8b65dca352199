import { expect, test } from "vitest";
import { LOG_PENDING_BYTES_MAX } from "../../../src/core/limits/service/processes.ts";
import { LogOutput } from "../../../src/core/log/output.ts";

/** An output whose reader takes as many bytes as it has room for. */
function scene(roomBytes: number) {
  let room = roomBytes;
  let taken = "";
  const later: (() => void)[] = [];
  const output = new LogOutput({
    write: (bytes) => {
      if (room === 0) throw Object.assign(new Error("full"), { code: "EAGAIN" });
      const written = Math.min(room, bytes.length);
      room -= written;
      taken += Buffer.from(bytes).toString("utf8", 0, written);
      return written;
    },
    droppedLine: (lines) => `${lines} dropped\n`,
    later: (task) => later.push(task),
  });
  return {
    output,
    taken: () => taken,
    retries: () => later.length,
    /** The reader takes so many bytes more, and what was put off is tried. */
    reads: (bytes: number): void => {
      room += bytes;
      for (const task of later.splice(0)) task();
    },
  };
}

test("ADV-L1: lines that cannot be written are queued in order and complete, and retried by one timer at a time", () => {
  const { output, taken, reads, retries } = scene(4);
  for (const line of ["first\n", "second\n", "third\n"]) output.write(line);
  expect([taken(), retries()]).toEqual(["firs", 1]);
  reads(6);
  expect([taken(), retries()]).toEqual(["first\nseco", 1]);
  reads(100);
  expect([taken(), retries(), output.droppedLines]).toEqual(["first\nsecond\nthird\n", 0, 0]);
});

test("ADV-L1: beyond the limit new lines are dropped, and a later line has their number", () => {
  const { output, taken, reads } = scene(0);
  const line = `${"x".repeat(1_023)}\n`;
  const kept = LOG_PENDING_BYTES_MAX / line.length;
  for (let n = 0; n < kept + 7; n += 1) output.write(line);
  expect(output.droppedLines).toBe(7);
  reads(2 * LOG_PENDING_BYTES_MAX);
  expect(taken()).toBe(`${line.repeat(kept)}7 dropped\n`);
  output.write("again\n");
  expect(taken().endsWith("7 dropped\nagain\n")).toBe(true);
});

test("ADV-L1: a line that can never be written is dropped, and nothing is thrown", () => {
  const output = new LogOutput({
    write: () => {
      throw Object.assign(new Error("gone"), { code: "EPIPE" });
    },
    droppedLine: (lines) => `${lines} dropped\n`,
    later: () => {},
  });
  output.write("lost\n");
  expect(output.droppedLines).toBe(1);
});

test("ADV-L1: an exiting process waits for a slow reader for a limited time", () => {
  const { output, taken, reads } = scene(0);
  output.write("last words\n");
  let looks = 0;
  output.flushUntil(() => {
    looks += 1;
    return looks === 3;
  });
  expect([looks, taken()]).toEqual([3, ""]);
  output.flushUntil(() => {
    reads(100);
    return false;
  });
  expect(taken()).toBe("last words\n");
});
