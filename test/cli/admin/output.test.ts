import { expect, test } from "vitest";
import { pacedOutput } from "../../../src/cli/admin/output.ts";
import { ManualClock } from "../../support/manual-clock.ts";

test("progress is said every two seconds, however often it is reported, and other lines at once", () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const { say, progress } = pacedOutput((line) => void lines.push(line), clock);
  let rows = 0;
  for (; rows < 1_000; rows++) {
    progress(() => `${rows} rows`);
    clock.advance(5);
  }
  say("done");
  expect(lines).toEqual(["400 rows", "800 rows", "done"]);
});

test("a short command says no progress", () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const { progress } = pacedOutput((line) => void lines.push(line), clock);
  progress(() => "1 of 1");
  clock.advance(1_999);
  progress(() => "1 of 1");
  expect(lines).toEqual([]);
});
