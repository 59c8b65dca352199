import { expect, test } from "vitest";
import type { DemoDocument } from "../../../src/cli/demo/report.ts";
import { builtProgram } from "../../support/services/build.ts";
import { runProgram } from "../../support/services/run-program.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

/** The call takes a minute; a service and its speech model have to start before it. */
const TEST_MS_MAX = 150_000;

test("a recorded person calls over G.711, is understood by the local STT but for two words, and interrupts the agent", {
  retry: ifMachineStalled,
  timeout: TEST_MS_MAX,
}, async () => {
  const { code, stdout, stderr } = await runProgram([builtProgram("cli/demo"), "--human", "--json"]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("the caller interrupts") });
  const document = JSON.parse(stdout) as DemoDocument;
  expect(document).toMatchObject({ status: "ended", endReason: "caller_hangup", words: { said: 70 } });
  expect(document.words.wrong).toBeLessThanOrEqual(2);
  const heard = document.turns.map(({ role, text, interrupted }) => [role, text.split(" ")[0], interrupted]);
  expect(heard).toEqual([
    ["agent", "Good", false],
    ["user", "And", false],
    ["agent", "John", false],
    ["user", "He", false],
    ["agent", "A", false],
    ["user", "Unless", false],
    ["agent", "Cold", false],
    ["user", "Had", false],
    ["agent", "The", true],
    ["user", "He", false],
    ["agent", "Amiable", false],
  ]);
  // Each reply has its delay, and how long the final transcript took of it.
  const replies = document.turns.filter(({ role }) => role === "agent").slice(1);
  for (const { finalTranscriptMs, latencyMs } of replies) {
    expect(latencyMs).toBeGreaterThanOrEqual(finalTranscriptMs ?? Number.NaN);
  }
  expect(document.lines.map(({ understood }) => understood)).not.toContain(null);
  expect(document.recording).toMatchObject({ channels: 2, sampleRateHz: 8_000 });
});
