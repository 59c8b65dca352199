import { strict as assert } from "node:assert";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TrunklineClient } from "#client";
import type { Clock } from "../../core/clock.ts";
import { millisecondsOf } from "../../core/clocks.ts";
import { readWavFormat } from "../../simulator/audio/wav.ts";
import type { Step } from "../../simulator/callers/caller.ts";
import { placeCall } from "../../simulator/place-call.ts";
import { createCall, finishedRecord, transcriptOf } from "../../simulator/service/api-calls.ts";
import { withOwnService } from "../../simulator/service/own-service.ts";
import { createReferenceStt } from "../../speech/reference/stt.ts";
import type { Terminal } from "../terminal.ts";
import type { DemoResult } from "./report.ts";
import type { Scenario } from "./scenario.ts";

export interface DemoOptions {
  scenario: Scenario;
  /** A folder for this run, created if necessary: the service's data and log, and the recording. */
  dataDir: string;
  clock: Clock;
  terminal: Terminal;
}

const AGENT_LANGUAGE = "en-GB";
/** Mu-law at 8,000 Hz, in both directions. */
const LINE = { wire: "carrier_a" } as const;

/**
 * The demo: starts the real service, creates a call, connects a simulated carrier and caller to it in real time, and collects what
 * both ends know of it. An abort of `signal` ends the call and rejects. The service is stopped in every case.
 */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<DemoResult> {
  const { scenario, dataDir, clock, terminal } = options;
  terminal.note(`Starting the service (data and log in ${dataDir})`);
  const preparing = prepareScript(scenario, clock, signal);
  // Awaited below, even if it fails before the service has started.
  preparing.catch(() => {});
  return await withOwnService({ dataDir, clock, env: { STT: scenario.stt } }, signal, async (api) =>
    holdCall(api, await preparing, options, signal),
  );
}

/** The caller's script. Its audio is prepared before the call, so that the call does not wait for it. */
async function prepareScript(scenario: Scenario, clock: Clock, signal: AbortSignal): Promise<Step[]> {
  const utterances = await scenario.speak(clock, signal);
  const steps = scenario.lines.flatMap(({ interrupts }, index): Step[] => {
    const utterance = utterances[index];
    assert.ok(utterance !== undefined, "every line has its audio");
    if (interrupts) return [{ do: "interrupt", afterWords: scenario.interruptAfterWords, utterance }];
    return [{ do: "listen" }, { do: "say", utterance }];
  });
  return [...steps, scenario.endReason === "agent_hangup" ? { do: "await-hang-up" } : { do: "listen" }];
}

async function holdCall(
  api: TrunklineClient,
  script: readonly Step[],
  { scenario, dataDir, clock, terminal }: DemoOptions,
  signal: AbortSignal,
): Promise<DemoResult> {
  const { id: callId, websocketUrl } = await createCall(api, {
    systemPrompt: scenario.systemPrompt,
    greeting: scenario.greeting,
    language: AGENT_LANGUAGE,
    line: LINE,
  });
  terminal.note(`Call ${callId} created; a simulated telephone of carrier_a connects\n`);
  terminal.begin(millisecondsOf(clock.nowMs()));
  const { caller, violations } = await placeCall(
    {
      url: websocketUrl,
      line: LINE,
      id: randomBytes(16).toString("hex"),
      script,
      hangUpAfterMs: scenario.hangUpAfterMs,
      stt: createReferenceStt(),
      language: AGENT_LANGUAGE,
      clock,
      onEvent: (event) => terminal.show(event),
    },
    signal,
  );
  terminal.note("\nThe stream is closed");
  const record = await finishedRecord(api, callId, clock);
  const transcript = await transcriptOf(api, callId);
  const recording = await api.download("/calls/{id}/recording", { path: { id: callId } });
  const wav = new Uint8Array(await recording.arrayBuffer());
  const path = join(dataDir, `${callId}.wav`);
  writeFileSync(path, wav);
  return {
    callId,
    script: scenario,
    caller,
    record,
    transcript,
    recording: { path, ...readWavFormat(wav) },
    violations,
  };
}
