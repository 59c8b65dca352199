import { STAGES, type Stage } from "../../src/core/calls/stages.ts";

/** One test in Vitest's report. */
export interface TestResult {
  /** The test file, by its path in the repository. */
  file: string;
  /** What the test is called, after the names of its describe blocks. */
  titles: readonly string[];
  /** The stages that it is about: those among its tags. */
  stages: readonly Stage[];
  status: "passed" | "failed" | "skipped";
}

/** The rows of the fault catalogue that are about providers. */
export const FAULTS: Readonly<Record<string, string>> = {
  P1: "refused, no such name, bad certificate",
  P2: "accepts and never answers",
  P3: "begins, then silence or an end",
  P4: "kept alive with nothing",
  P5: "[DONE], and no end of the body",
  P6: "drips",
  P7: "broken or odd messages",
  P8: "statuses, Retry-After, redirects",
  P9: "compression, bombs",
  P10: "a WebSocket that breaks its protocol",
  P11: "transcripts out of order, twice, too long",
  P12: "an answer for a turn that is over",
  P13: "tools called wrongly, or too often",
  P14: "bytes that are no audio",
  P15: "dead for long",
  P16: "key revoked, quota spent",
};

/** Why there can be no test, where there is none. */
export const REASONS: Readonly<Record<string, Partial<Record<Stage, string>>>> = {
  P5: { stt: "no [DONE]" },
  P10: { llm: "no WebSocket" },
  P11: { llm: "no transcripts", tts: "no transcripts" },
  P12: { stt: "knows no turns" },
  P13: { stt: "calls no tools", tts: "calls no tools" },
  P14: { stt: "sends no audio", llm: "sends no audio" },
};

const ID = /^(P\d+(?:, P\d+)*):/;

/** Which rows a test proves: those that its own title begins with, or that of a describe block around it. */
export const rowsOf = ({ titles }: TestResult): string[] =>
  titles.flatMap((title) => ID.exec(title)?.[1]?.split(", ") ?? []);

/** The stages among a test's tags, in the order of the table. vitest.config.ts declares the tags. */
export const stagesIn = (tags: readonly string[]): Stage[] => STAGES.filter((stage) => tags.includes(stage));

interface FaultTable {
  head: readonly string[];
  rows: readonly (readonly string[])[];
  /** Gaps without a reason, failures, reasons where there are tests, and tests without a stage or of an unknown row. */
  problems: readonly string[];
}

/** Rows by stage: how many tests passed and failed in each cell, or why there are none. */
export function faultTable(results: readonly TestResult[]): FaultTable {
  const tests = results.filter((result) => rowsOf(result).length > 0);
  const problems = tests.flatMap((test) => {
    const strange = rowsOf(test).filter((id) => !Object.hasOwn(FAULTS, id));
    const name = `${test.file}: ${test.titles.join(" > ")}`;
    if (strange.length > 0) return [`${name}: there is no row ${strange.join(", ")}`];
    if (test.stages.length === 0) return [`${name}: has no tag of a stage (stt, llm, tts)`];
    return test.status === "failed" ? [`${name}: failed`] : [];
  });
  const rows = Object.entries(FAULTS).map(([id, what]) => {
    const cells = STAGES.map((stage) => {
      const here = tests.filter((test) => rowsOf(test).includes(id) && test.stages.includes(stage));
      const reason = REASONS[id]?.[stage];
      if (here.length === 0 && reason === undefined) problems.push(`${id}, ${stage}: no test, and no reason why`);
      if (here.length > 0 && reason !== undefined) problems.push(`${id}, ${stage}: has tests, and a reason for none`);
      return here.length === 0 ? (reason ?? "GAP") : counted(here);
    });
    return [`${id} ${what}`, ...cells];
  });
  return { head: ["fault", ...STAGES], rows, problems };
}

function counted(tests: readonly TestResult[]): string {
  const count = (wanted: TestResult["status"]): number => tests.filter(({ status }) => status === wanted).length;
  const others = (["failed", "skipped"] as const).filter((status) => count(status) > 0);
  return [`${count("passed")} passed`, ...others.map((status) => `${count(status)} ${status}`)].join(", ");
}
