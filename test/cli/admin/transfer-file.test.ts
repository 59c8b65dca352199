import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { writeTransfer } from "../../../src/cli/admin/transfer-file.ts";

const ROW_BYTES = 16_384;
const ROWS = 200;
/** What gzip, the pipe and the sink hold by themselves, in rows that cannot be compressed. */
const ROWS_HELD_MAX = 20;

/** A sink that takes nothing until it is opened. */
function closedSink(): { sink: Writable; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const sink = new Writable({ write: (_chunk, _encoding, done) => void opened.then(() => done()) });
  return { sink, open };
}

test("rows wait for a slow sink, so that memory is bounded", async () => {
  const { sink, open } = closedSink();
  let taken = 0;
  const written = writeTransfer(sink, "0001", async (take) => {
    for (; taken < ROWS; taken += 1)
      await take({ table: "calls", row: { id: randomBytes(ROW_BYTES).toString("hex") } });
    return { calls: { rows: ROWS, digest: "0" } };
  });
  // Compression is on another thread; the sink holds everything up once its output is full.
  for (let before = -1, turns = 0; turns < 200 || taken !== before; turns += 1) {
    before = taken;
    await setImmediate();
  }
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(ROWS_HELD_MAX);
  open();
  expect(await written).toEqual({ calls: { rows: ROWS, digest: "0" } });
  expect(taken).toBe(ROWS);
});

test("a sink that fails ends the reading with its error, also while a row waits", async () => {
  const sink = new Writable({ write: (_chunk, _encoding, done) => done(new Error("the disk is full")) });
  let taken = 0;
  const written = writeTransfer(sink, "0001", async (take) => {
    for (; taken < ROWS; taken += 1)
      await take({ table: "calls", row: { id: randomBytes(ROW_BYTES).toString("hex") } });
    return {};
  });
  await expect(written).rejects.toThrow("the disk is full");
  expect(taken).toBeLessThan(ROWS_HELD_MAX);
});

test("a database that fails closes the sink", async () => {
  const { sink, open } = closedSink();
  open();
  const written = writeTransfer(sink, "0001", async () => {
    throw new Error("the database is gone");
  });
  await expect(written).rejects.toThrow("the database is gone");
  expect(sink.destroyed).toBe(true);
});
