import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TranscriptTurn } from "../../core/call-spec.ts";
import { childModule } from "../../core/child-module.ts";
import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";
import { createReferenceEar } from "../../speech/providers/reference-ear.ts";
import { createReferenceVoice } from "../../speech/providers/reference-voice.ts";
import type { Tts, Voice } from "../../speech/speech.ts";
import { openStores } from "../../store/sqlite/stores.ts";
import { ApiClient } from "./api-client.ts";
import type { Step } from "./caller.ts";
import { placeCall } from "./place-call.ts";
import type { DemoResult } from "./report.ts";
import { SCENARIO } from "./scenario.ts";
import { startService } from "./service.ts";
import type { Terminal } from "./terminal.ts";
import { synthesise } from "./utterance.ts";
import { readWavFormat } from "./wav.ts";

export interface DemoOptions {
  /** A folder of this run's own, made if need be: the service's data and log, and the recording. */
  dataDir: string;
  clock: Clock;
  terminal: Terminal;
}

/** Two languages for two voices that are told apart at once. */
const AGENT_LANGUAGE = "en-GB";
const CALLER_LANGUAGE = "en-US";
/** The script takes about half a minute; a caller who is still there by then will not come to its end. */
const HANG_UP_AFTER_MS = 34_000;
/** From the end of the call to its record and recording. */
const RECORD_MS_MAX = 10_000;
const POLL_MS = 100;

/** What is read of the answer to `GET /calls/{id}`. */
interface CallResource {
  status: string;
  endReason: string | null;
  durationMs: number | null;
  recording: object | null;
}

/**
 * The demo: starts the real service, creates a call, plays a simulated carrier and caller into it in real time, and
 * collects what both ends know of it. An abort of `signal` ends the call and rejects; whatever happens, the service is
 * stopped.
 */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<DemoResult> {
  const { dataDir, clock, terminal } = options;
  const voice = createReferenceVoice({ children: 1, clock });
  try {
    terminal.note(`Starting the service (data and log in ${dataDir})`);
    const preparing = prepareScript(voice, signal);
    // Awaited below, whether or not the service has started by the time it fails.
    preparing.catch(() => {});
    const program = childModule(import.meta.url, "../../main");
    const service = await startService({ program, dataDir, clock }, signal);
    try {
      const script = await preparing;
      const api = new ApiClient(service.apiUrl, await makeApiKey(dataDir, clock), signal);
      return await holdCall(api, script, options, signal);
    } finally {
      await service.stop();
    }
  } finally {
    voice.close();
  }
}

/** As `npm run keys -- create` does, beside the running service. */
async function makeApiKey(dataDir: string, clock: Clock): Promise<string> {
  const stores = await openStores(dataDir, clock);
  try {
    const { key } = await stores.apiKeys.create({ accountId: await stores.accounts.ensure("demo"), name: "demo" });
    return key;
  } finally {
    await stores.close();
  }
}

/** The caller's lines, spoken before the call so that nothing of it waits for a voice. */
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
  const voices = await api.get<{ data: Voice[] }>("/voices");
  const { id: callId, websocketUrl } = await api.post<{ id: string; websocketUrl: string }>("/calls", {
    systemPrompt: SCENARIO.systemPrompt,
    greeting: SCENARIO.greeting,
    voice: voiceOf(voices.data, AGENT_LANGUAGE),
    language: AGENT_LANGUAGE,
    connectionType: "carrier_a",
    selectedTools: [{ toolName: "hang_up" }],
  });
  terminal.note(`Call ${callId} created; a simulated telephone of carrier_a connects\n`);
  terminal.begin(clock.nowMs());
  const { caller, violations } = await placeCall(
    {
      url: websocketUrl,
      id: randomBytes(16).toString("hex"),
      script,
      hangUpAfterMs: HANG_UP_AFTER_MS,
      stt: createReferenceEar(),
      language: AGENT_LANGUAGE,
      clock,
      notice: (notice) => terminal.show(notice),
    },
    signal,
  );
  terminal.note("\nThe line is closed");
  const record = await finishedRecord(api, callId, clock);
  const transcript = await api.get<{ data: TranscriptTurn[] }>(`/calls/${callId}/transcript`);
  const wav = await api.getBytes(`/calls/${callId}/recording`);
  const path = join(dataDir, `${callId}.wav`);
  writeFileSync(path, wav);
  return {
    callId,
    script: SCENARIO.lines,
    caller,
    record,
    transcript: transcript.data,
    recording: { path, ...readWavFormat(wav) },
    violations,
  };
}

/** The call's record once the call is over and its recording rendered. */
async function finishedRecord(api: ApiClient, callId: string, clock: Clock): Promise<CallResource> {
  for (const endMs = clock.nowMs() + RECORD_MS_MAX; clock.nowMs() < endMs; ) {
    const record = await api.get<CallResource>(`/calls/${callId}`);
    if (record.status !== "created" && record.status !== "active" && record.recording !== null) return record;
    await new Promise<void>((resolve) => {
      clock.after(POLL_MS, resolve);
    });
  }
  throw unavailable(`call ${callId} has no record and recording ${RECORD_MS_MAX} ms after its end`);
}

function voiceOf(voices: readonly Voice[], language: string): string {
  const voice = voices.find((candidate) => candidate.language === language);
  if (voice === undefined) throw unavailable(`no voice speaks ${language}`);
  return voice.id;
}
