import { expect, test } from "vitest";
import { ATTACKS } from "./attacks/attacks.ts";
import type { StageResult } from "./stage-result.ts";
import { judge } from "./verdict.ts";

/** A stage of one attack that went well, but that good streams took so long to open at p99, ms. */
function judged(
  id: string,
  p99: number,
  judgesSpeed: boolean,
  upgradesFailed: StageResult["upgradesFailed"] = {},
): StageResult {
  const attack = ATTACKS.find((one) => one.id === id);
  if (attack === undefined) throw new Error(`no attack is called ${id}`);
  const answers = { count: 100, p50: 1, p99: 1, max: 1 };
  const result: StageResult = {
    attacks: [
      {
        ...{ id, name: attack.name, attackers: 1, closed: 1, longestMs: 0, answers: {}, endReasons: {} },
        ...{ llmRequests: 0, inputTokens: 0 },
      },
    ],
    ...{ workerGrowthBytes: 0, controlGrowthBytes: 0, perAttackerBytes: 0, workerCpuMs: 0, controlCpuMs: 0 },
    control: { calls: 20, sent: 100, lostIn: 0, heard: 100, lostOut: 0, broken: 0 },
    ...{ quiet: answers, during: answers, upgrades: { ...answers, p99 }, upgradesFailed, refusedByStore: 0 },
    loopDelay: { p99: 1, max: 1 },
    problems: [],
    late: [],
  };
  judge(result, [{ attack, size: attack.small }], judgesSpeed);
  return result;
}

test("ADV-M1: streams that open in more than 50 ms at p99 are a problem, where speed is judged", () => {
  expect(judged("ADV-M1", 51, true)).toMatchObject({
    problems: ["good streams took 51.0 ms at p99, more than 50 ms"],
    late: [],
  });
  expect(judged("ADV-M1", Number.NaN, true).problems).toHaveLength(1);
  expect(judged("ADV-M1", 50, true)).toMatchObject({ problems: [], late: [] });
});

test("ADV-M1: on a machine that has other things to do they are only late", () => {
  expect(judged("ADV-M1", 51, false)).toMatchObject({ problems: [], late: ["good streams took 51.0 ms at p99"] });
});

test("D2: streams that open late beside any other attack are no problem", () => {
  expect(judged("D2", 501, true)).toMatchObject({ problems: [], late: ["good streams took 501.0 ms at p99"] });
});

test("a stream that an overloaded worker refuses with 503 is a problem only where speed is judged; any other answer always is", () => {
  const refused = "2 good streams were not taken: 503";
  expect(judged("D2", 1, true, { 503: 2 })).toMatchObject({ problems: [refused], late: [] });
  expect(judged("D2", 1, false, { 503: 2 })).toMatchObject({ problems: [], late: [refused] });
  expect(judged("D2", 1, false, { none: 1 }).problems).toEqual(["1 good streams were not taken: none"]);
});
