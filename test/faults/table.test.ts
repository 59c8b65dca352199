import { describe, expect, test } from "vitest";
import { STAGES, type Stage } from "../../src/core/calls/stages.ts";
import { FAULTS, faultTable, REASONS, rowsOf, stagesIn, type TestResult } from "./table.ts";

const result = (stages: readonly Stage[], title: string, status: TestResult["status"] = "passed"): TestResult => ({
  file: "test/speech/provider.test.ts",
  titles: ["a provider", title],
  stages,
  status,
});

/** One test for every cell that must have one. */
const whole = (): TestResult[] =>
  Object.keys(FAULTS).flatMap((id) =>
    STAGES.filter((kind) => REASONS[id]?.[kind] === undefined).map((kind) => result([kind], `${id}: a fault`)),
  );

describe("the row of a test", () => {
  test.each([
    ["P7: no JSON", ["P7"]],
    ["P3, P4: comments after the first words", ["P3", "P4"]],
    ["P12 without a colon", []],
    ["what comes in time, P6: or not", []],
  ])("%s", (title, rows) => {
    expect(rowsOf(result([], title))).toEqual(rows);
  });

  test("may be named by a describe block", () => {
    const titles = ["P7: server-sent events", "a comment"];
    expect(rowsOf({ ...result([], ""), titles })).toEqual(["P7"]);
  });
});

describe("the stages that a test is about", () => {
  test.each<[tags: string[], stages: Stage[]]>([
    [["stt"], ["stt"]],
    [["llm"], ["llm"]],
    [["tts"], ["tts"]],
    [
      ["stt", "llm", "tts"],
      ["stt", "llm", "tts"],
    ],
    [
      ["tts", "stt"],
      ["stt", "tts"],
    ],
    [["slow", "llm"], ["llm"]],
    [["languages"], []],
    [[], []],
  ])("with the tags %j are %j", (tags, stages) => {
    expect(stagesIn(tags)).toEqual(stages);
  });
});

describe("the table", () => {
  test("counts the tests that passed, and explains rows that cannot have tests", () => {
    const { head, rows, problems } = faultTable([...whole(), result(["stt"], "P1: refused")]);
    expect(head).toEqual(["fault", "stt", "llm", "tts"]);
    expect(rows[0]?.slice(1)).toEqual(["2 passed", "1 passed", "1 passed"]);
    expect(rows[9]?.slice(1)).toEqual(["1 passed", "no WebSocket", "1 passed"]);
    expect(problems).toEqual([]);
  });

  test("has every row of the catalogue, and reports every gap", () => {
    const { rows, problems } = faultTable([]);
    expect(rows).toHaveLength(16);
    const cells = rows.flatMap((row) => row.slice(1));
    expect(problems).toHaveLength(cells.filter((cell) => cell === "GAP").length);
    expect(problems[0]).toBe("P1, stt: no test, and no reason why");
  });

  test("reports failures, tests that did not run, and explanations that are no longer true", () => {
    const more = [
      result(["stt"], "P1: refused", "failed"),
      result(["stt"], "P1: a certificate", "skipped"),
      result(["llm"], "P10: a WebSocket"),
    ];
    const { rows, problems } = faultTable([...whole(), ...more]);
    expect(rows[0]?.[1]).toBe("1 passed, 1 failed, 1 skipped");
    expect(problems).toEqual([
      "test/speech/provider.test.ts: a provider > P1: refused: failed",
      "P10, llm: has tests, and a reason for none",
    ]);
  });

  test("reports tests that belong to no row", () => {
    const { problems } = faultTable([...whole(), result([], "P11: too long"), result(["stt"], "P17: new")]);
    expect(problems).toEqual([
      "test/speech/provider.test.ts: a provider > P11: too long: has no tag of a stage (stt, llm, tts)",
      "test/speech/provider.test.ts: a provider > P17: new: there is no row P17",
    ]);
  });
});
