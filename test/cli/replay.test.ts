import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { planReplay } from "../../src/cli/replay/arguments.ts";
import { comparisonText, replayDocument } from "../../src/cli/replay/report.ts";
import { traceText } from "../../src/cli/replay/trace.ts";
import { callMs } from "../../src/core/clocks.ts";
import { asTurnId } from "../../src/core/ids.ts";
import { SOFTWARE } from "../../src/core/runtime/version.ts";
import { compareJournal } from "../../src/record/replay/comparison.ts";
import { traceJournal } from "../../src/record/replay/trace.ts";
import { CORPUS } from "../support/journals/corpus.ts";
import { START } from "../support/journals/example-call.ts";
import { JournalFile } from "../support/journals/journal-file.ts";
import { builtProgram } from "../support/services/build.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const run = promisify(execFile);
const root = new URL("../../", import.meta.url);
const journal = (name: string): string => fileURLToPath(new URL(`${name}.tlj`, CORPUS));

/** Runs the command as a process of its own. */
async function replay(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return {
      code: 0,
      ...(await run(process.execPath, [builtProgram("cli/replay"), ...args], { cwd: root })),
    };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

describe("npm run replay", () => {
  test("exits with 0 when every command is the same, 1 when one differs, 2 when nothing can be compared", async () => {
    const different = new JournalFile()
      .add({ kind: "event", timeMs: callMs(5), event: { kind: "tick" } })
      .add({ kind: "command", timeMs: callMs(5), command: { kind: "pause", turnId: asTurnId(3) } });
    const [same, other, missing, unasked] = await Promise.all([
      replay(journal("cough")),
      replay(different.path, "--json"),
      replay(join(temporaryDirectory(), "none.tlj")),
      replay("--until", "soon"),
    ]);
    expect(same).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("The same: ") });
    expect(other).toMatchObject({ code: 1, stderr: "" });
    expect(JSON.parse(other.stdout)).toMatchObject({ same: false, difference: { journaled: { kind: "pause" } } });
    expect(missing).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("cannot be opened") });
    expect(unasked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the journal is missing: its path, data/journals/<call id>.tlj\n--until must"),
    });
  }, 60_000);

  test("reads times with their units, and one journal", () => {
    expect(planReplay(["a.tlj"])).toEqual({
      path: "a.tlj",
      untilMs: Number.POSITIVE_INFINITY,
      trace: false,
      json: false,
    });
    expect(planReplay(["a.tlj", "--until", "12.3s", "--trace"])).toMatchObject({ untilMs: 12_300, trace: true });
    expect(planReplay(["a.tlj", "--until", "250ms", "--json"])).toMatchObject({ untilMs: 250, json: true });
    for (const args of [[], ["a", "b"], ["a", "--until", "12"], ["a", "--until", "-1s"], ["a", "--what"]]) {
      expect(() => planReplay(args)).toThrow();
    }
  });
});

describe("the output", () => {
  test("names a difference: the event, the journaled and the replayed command, and the members that differ", async () => {
    const path = new JournalFile()
      .add({ kind: "event", timeMs: callMs(12), event: { kind: "leg-started", codec: "mulaw" } })
      .add({
        kind: "command",
        timeMs: callMs(12),
        command: { kind: "speak", turnId: asTurnId(1), segment: 0, text: "Good evening.", reason: "greeting" },
      }).path;
    const text = comparisonText("x.tlj", await compareJournal(path));
    expect(text.split("\n")).toEqual([
      `x.tlj: call_01980000-0000-7000-8000-000000000001, written by trunkline test, replayed by ${SOFTWARE}`,
      "Speech was detected by fvad3; the replay uses the journal's decisions.",
      "Different at 0.012 s. The same until there: 0 commands after 1 event, until 0.012 s.",
      "",
      '  after      leg-started  codec "mulaw"',
      '  journaled  speak        turnId 1, segment 0, text "Good evening.", reason "greeting"',
      '  replayed   speak        turnId 1, segment 0, text "Good morning, this is the dentist.", reason "greeting"',
      '  text: journaled "Good evening.", replayed "Good morning, this is the dentist."',
    ]);
  });

  test("explains the state at one time: events, turn state, transcript and pending deadlines", async () => {
    const path = journal("interruption-by-words");
    const text = traceText(await traceJournal(path, callMs(6_500)));
    expect(text).toContain("At 6.500 s");
    expect(text).toMatch(/ {2}4\.720 s {2}command {2}speak +turnId 2, segment 0, text "We have rye bread/);
    // Consecutive texts of the LLM are one line: one before the first segment, and one after it.
    expect(text.match(/reply-text/g)).toHaveLength(2);
    expect(text).toMatch(/\+ +7\.\d{3} s {2}event +speech-started/);
    expect(text).toMatch(/the agent replies \(reply 2\): sent \d\.\d{3} s, heard "We have/);
    expect(text).toMatch(/agent +Hello, this is the bakery\.\n.*user +what do you sell\n/);
    expect(text).toMatch(/3000\.000 s +in 2993500 ms +the maximum duration is reached/);
    const after = traceText(await traceJournal(path, callMs(Number.POSITIVE_INFINITY)));
    expect(after).toContain("At 11.000 s");
    expect(after).toContain("the call is over");
    expect(after).toContain("none: the call is over");
  });

  test("explains why a reply is paused, and which deadline is pending", async () => {
    const text = traceText(await traceJournal(journal("cough"), callMs(7_200)));
    expect(text).toMatch(/the caller spoke until 6\.\d{3} s: no words yet/);
    expect(text).toMatch(/paused since 6\.\d{3} s/);
    expect(text).toMatch(/7\.\d{3} s +in \d+ ms +no words: the paused reply resumes/);
  });

  test("F14-3: says that another ICU than the journal's may find other word boundaries", async () => {
    const path = new JournalFile().path;
    const comparison = await compareJournal(path);
    expect(comparison.header.icu).toBe(process.versions.icu);
    expect(comparisonText(path, comparison)).not.toContain("ICU");
    const other = { ...comparison, header: { ...comparison.header, icu: "1.0" } };
    expect(comparisonText(path, other)).toContain(`Written with ICU 1.0, replayed with ${process.versions.icu}`);
  });

  test("says that turns may end at other times where the call was scored with other weights", async () => {
    const { path } = new JournalFile();
    const comparison = await compareJournal(path);
    expect(comparison.header.turnWeights).toMatch(/^[0-9a-f]{8}$/);
    expect(comparisonText(path, comparison)).not.toContain("weights");
    const header = { ...comparison.header, turnWeights: "00000000" };
    const scored = { ...comparison.setup, parameters: { ...comparison.setup.parameters, turnWaitMsMax: 800 } };
    expect(comparisonText(path, { ...comparison, header, setup: scored })).toContain(
      `scored with the weights 00000000, in the replay with ${comparison.header.turnWeights}: turns may end sooner or later`,
    );
    const paused = { ...comparison.setup, parameters: { ...comparison.setup.parameters, turnWaitMsMax: 0 } };
    expect(comparisonText(path, { ...comparison, header, setup: paused })).not.toContain("weights");
  });

  test("names the detector that decided about the call's frames, and that of all calls before journals named it", async () => {
    const older = new JournalFile().path;
    expect(comparisonText(older, await compareJournal(older))).toContain("Speech was detected by fvad3;");
    const { path } = new JournalFile({ ...START, detector: "silero-v5-8khz-00000000+fvad2" });
    const comparison = await compareJournal(path);
    expect(comparisonText(path, comparison)).toContain("Speech was detected by silero-v5-8khz-00000000+fvad2;");
    expect(replayDocument(path, comparison, undefined)).toMatchObject({ detector: "silero-v5-8khz-00000000+fvad2" });
  });

  test("is one JSON document with --json, including the trace", async () => {
    const path = journal("cough");
    const comparison = await compareJournal(path, callMs(7_000));
    const document = replayDocument(path, comparison, await traceJournal(path, callMs(7_000)));
    expect(JSON.parse(JSON.stringify(document))).toMatchObject({
      path,
      replayedBy: SOFTWARE,
      same: true,
      difference: null,
      // Journals of that time do not name the detector.
      detector: "fvad3",
      icu: { writtenBy: null, replayedBy: process.versions.icu },
      // The journal is older than these parameters, and has one that is gone.
      parameters: {
        assumed: expect.arrayContaining(["confirmationMs", "endpointQuestionMs"]),
        unmatched: [],
        unknown: ["sustainedSpeechMs"],
      },
      trace: { atMs: 7_000, snapshot: { reply: { turnId: 2 }, deadlines: { stream: null, max_duration: 3_000_000 } } },
    });
  });
});
