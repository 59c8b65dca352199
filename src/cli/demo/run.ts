import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { millisecondsOf } from "../../core/clocks.ts";
import { readWavFormat } from "../../simulator/audio/wav.ts";
import type { Step } from "../../simulator/callers/caller.ts";
import { SCENARIO } from "../../simulator/callers/scenario.ts";
import { synthesise } from "../../simulator/callers/utterance.ts";
import { placeCall } from "../../simulator/place-call.ts";
import { createCall, finishedRecord, transcriptOf, voiceOf } from "../../simulator/service/api-calls.ts";
import type { ApiClient } from "../../simulator/service/api-client.ts";
import { withOwnService } from "../../simulator/service/own-service.ts";
import type { Tts } from "../../speech/contracts.ts";
import { createReferenceStt } from "../../speech/reference/stt.ts";
import { createReferenceTts } from "../../speech/reference/tts.ts";
import type { Terminal } from "../terminal.ts";
import type { DemoResult } from "./report.ts";

export interface DemoOptions {
  /** A folder for this run, created if necessary: the service's data and log, and the recording. */
  dataDir: string;
  clock: Clock;
  terminal: Terminal;
}

/** Two languages, so that the two voices are easy to distinguish. */
const AGENT_LANGUAGE = "en-GB";
const CALLER_LANGUAGE = "en-US";
const LINE = { wire: "carrier_a" } as const;
/** The script takes about half a minute; a caller who is still there by then will not finish it. */
const HANG_UP_AFTER_MS = 34_000;

/**
 * The demo: starts the real service, creates a call, connects a simulated carrier and caller to it in real time, and collects what
 * both ends know of it. An abort of `signal` ends the call and rejects. The service is stopped in every case.
 */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<DemoResult> {
  const { dataDir, clock, terminal } = options;
  const tts = createReferenceTts({ children: 1, clock });
  try {
    terminal.note(`Starting the service (data and log in ${dataDir})`);
    const preparing = prepareScript(tts, signal);
    // Awaited below, even if it fails before the service has started.
    preparing.catch(() => {});
    return await withOwnService({ dataDir, clock }, signal, async (api) =>
      holdCall(api, await preparing, options, signal),
    );
  } finally {
    tts.close();
  }
}

/** The caller's lines, synthesised before the call so that the call does not wait for the TTS. */
async function prepareScript(tts: Tts, signal: AbortSignal): Promise<Step[]> {
  const voiceId = voiceOf(await tts.voices(), CALLER_LANGUAGE);
  const steps: Step[] = [];
  for (const { text, interrupts } of SCENARIO.lines) {
    const utterance = await synthesise(tts, { text, voiceId, language: CALLER_LANGUAGE }, signal);
    if (interrupts) steps.push({ do: "interrupt", afterWords: SCENARIO.interruptAfterWords, utterance });
    else steps.push({ do: "listen" }, { do: "say", utterance });
  }
  return [...steps, { do: "await-hang-up" }];
}

async function holdCall(
  api: ApiClient,
  script: readonly Step[],
  { dataDir, clock, terminal }: DemoOptions,
  signal: AbortSignal,
): Promise<DemoResult> {
  const { id: callId, websocketUrl } = await createCall(api, {
    systemPrompt: SCENARIO.systemPrompt,
    greeting: SCENARIO.greeting,
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
      hangUpAfterMs: HANG_UP_AFTER_MS,
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
  const wav = await api.getBytes(`/calls/${callId}/recording`);
  const path = join(dataDir, `${callId}.wav`);
  writeFileSync(path, wav);
  return {
    callId,
    script: SCENARIO.lines,
    caller,
    record,
    transcript,
    recording: { path, ...readWavFormat(wav) },
    violations,
  };
}
