import { strict as assert } from "node:assert";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { TrunklineClient } from "#client";
import { carrierOf } from "../../carriers/list.ts";
import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import type { Clock } from "../../core/clock.ts";
import { millisecondsOf } from "../../core/clocks.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { monoWav } from "../../media/wav.ts";
import { decodeSamples, frameSamples } from "../../simulator/audio/format.ts";
import { type MonoAudio, readWav } from "../../simulator/audio/wav.ts";
import type { Step } from "../../simulator/callers/caller.ts";
import { SCENARIO } from "../../simulator/callers/scenario.ts";
import { concatenated, synthesise, type Utterance, utteranceOf } from "../../simulator/callers/utterance.ts";
import { codecsOf, formatsOf, type SimulatedLine } from "../../simulator/lines.ts";
import { type PlacedCall, placeCall } from "../../simulator/place-call.ts";
import {
  type CallResource,
  createAgentCall,
  createCall,
  finishedRecord,
  transcriptOf,
  voiceOf,
} from "../../simulator/service/api-calls.ts";
import { type LocalService, openLocalService } from "../../simulator/service/local-service.ts";
import { withOwnService } from "../../simulator/service/own-service.ts";
import { createReferenceStt } from "../../speech/reference/stt.ts";
import { createReferenceTts } from "../../speech/reference/tts.ts";
import { UsageError } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import type { CallPlan, PlannedStep } from "./arguments.ts";

/** A finished call with the caller's report and, if a service could be asked, the service's record. */
export interface CallResult extends PlacedCall {
  line: SimulatedLine;
  service: { callId: string; record: CallResource; transcript: readonly TranscriptTurn[] } | undefined;
  /** The file with what the caller heard, if it was written. */
  recordPath: string | undefined;
}

export interface CallOptions {
  /** A folder for this run, for a service of its own; created if necessary. */
  dataDir: string;
  local: LocalService;
  clock: Clock;
  terminal: Terminal;
}

/** A caller who hears nothing for this long speaks first, or at the end hangs up. */
const FIRST_WORD_MS_MAX = 6_000;
/** Timeout of a call, in addition to the duration of the caller's speech. */
const CALL_TIMEOUT_MS = 300_000;

/**
 * Places one call, in real time. An abort of `signal` makes the caller hang up. Throws UsageError for a file that cannot be read,
 * before anything is started; rejects when the service cannot be reached or refuses the call.
 */
export async function runCall(plan: CallPlan, options: CallOptions, signal: AbortSignal): Promise<CallResult> {
  const script = await scriptOf(plan, options.clock, signal);
  const { destination, line } = plan;
  switch (destination.at) {
    case "stream":
      return { ...(await place(plan, destination.url, script, options, signal)), service: undefined };
    case "service": {
      const api = new TrunklineClient({ baseUrl: destination.apiUrl, apiKey: destination.apiKey, signal });
      return await placeByApi(plan, api, script, options, signal);
    }
    case "local-service": {
      const api = await openLocalService(options.local, destination.apiKey, signal);
      return await placeByApi(plan, api, script, options, signal);
    }
    case "own-service": {
      const { dataDir, clock, terminal } = options;
      terminal.note(`Starting a service for the call (data and log in ${dataDir})`);
      const env = outboundCodecOf(line);
      return await withOwnService({ dataDir, clock, env }, signal, (api) =>
        placeByApi(plan, api, script, options, signal),
      );
    }
  }
}

/** The environment of a service that sends in the codec of `line`. */
function outboundCodecOf(line: SimulatedLine): Record<string, string> {
  const variable = carrierOf(line.wire)?.outboundCodec?.variable;
  return variable === undefined ? {} : { [variable]: codecsOf(line).outbound === "alaw" ? "pcma" : "pcmu" };
}

/** All speech of the caller, prepared before the call so that the call waits neither for the TTS nor for a file. */
async function scriptOf(plan: CallPlan, clock: Clock, signal: AbortSignal): Promise<Step[]> {
  const files = readFiles(plan.steps);
  const script: Step[] = [];
  const tts = createReferenceTts({ children: 1, clock });
  try {
    const { language } = plan;
    const { inbound } = formatsOf(plan.line);
    const speak = async (text: string): Promise<Utterance> => {
      const voiceId = voiceOf(await tts.voices(), language);
      return await synthesise(tts, { text, voiceId, language }, signal, inbound);
    };
    for (const step of plan.steps) {
      script.push({ do: "listen", atMostMs: FIRST_WORD_MS_MAX });
      if (step.do === "press" || step.do === "type") {
        script.push(step);
      } else if (step.do === "say") {
        script.push({ do: "say", utterance: await speak(step.text) });
      } else {
        const audio = files.get(step.path);
        assert.ok(audio !== undefined, "every file has been read");
        script.push({ do: "say", utterance: await utteranceOf(`[${step.path}]`, audio, inbound) });
      }
    }
  } finally {
    tts.close();
  }
  if (plan.hangUpAfterMs === undefined) return [...script, { do: "listen", atMostMs: FIRST_WORD_MS_MAX }];
  return [...script, { do: "stay", untilMs: plan.hangUpAfterMs }];
}

/** How long after the call's start the caller hangs up if no time is given, ms: longer by the files that it plays. */
export const callTimeoutMs = (script: readonly Step[]): number =>
  script.reduce(
    (ms, step) => ms + ("utterance" in step ? step.utterance.frames.length * FRAME_MS : 0),
    CALL_TIMEOUT_MS,
  );

/** The audio of all files to play, by path. */
function readFiles(steps: readonly PlannedStep[]): ReadonlyMap<string, MonoAudio> {
  const files = new Map<string, MonoAudio>();
  const problems: string[] = [];
  for (const step of steps) {
    if (step.do !== "play") continue;
    try {
      files.set(step.path, readWav(readFileSync(step.path)));
    } catch (error) {
      problems.push(`--play ${step.path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0) throw new UsageError(problems);
  return files;
}

async function placeByApi(
  plan: CallPlan,
  api: TrunklineClient,
  script: readonly Step[],
  options: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  const { systemPrompt, greeting } = SCENARIO;
  const { agent, language, line } = plan;
  const { id, websocketUrl } =
    agent === undefined
      ? await createCall(api, { systemPrompt, greeting, language, line })
      : await createAgentCall(api, { ...agent, line });
  options.terminal.note(`Call ${id} created`);
  const placed = await place(plan, websocketUrl, script, options, signal);
  const record = await finishedRecord(api, id, options.clock);
  return { ...placed, service: { callId: id, record, transcript: await transcriptOf(api, id) } };
}

async function place(
  { line, language, recordPath, hangUpAfterMs }: CallPlan,
  url: string,
  script: readonly Step[],
  { clock, terminal }: CallOptions,
  signal: AbortSignal,
): Promise<Omit<CallResult, "service">> {
  const { outbound } = formatsOf(line);
  const heard: Int16Array[] = [];
  terminal.note(
    `${line.wire === "websocket" ? "A WebSocket client" : `A simulated telephone of ${line.wire}`} connects\n`,
  );
  terminal.begin(millisecondsOf(clock.nowMs()));
  const placed = await placeCall(
    {
      url,
      line,
      id: randomBytes(16).toString("hex"),
      script,
      hangUpAfterMs: hangUpAfterMs ?? callTimeoutMs(script),
      stt: createReferenceStt(),
      language,
      clock,
      onEvent: (event) => terminal.show(event),
      onServiceMessage: (message) => terminal.showServiceMessage(message),
      onPlayed: (frame) => {
        if (recordPath === undefined) return;
        const samples = new Int16Array(frameSamples(outbound));
        decodeSamples(frame, outbound.codec, samples);
        heard.push(samples);
      },
    },
    signal,
  );
  terminal.note(`\nThe ${placed.hungUpBy === "caller" ? "caller" : "other end"} has hung up`);
  if (recordPath !== undefined) {
    writeFileSync(recordPath, monoWav(concatenated(heard), outbound.rateHz));
  }
  return { ...placed, line, recordPath };
}
