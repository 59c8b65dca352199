import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs } from "../../core/clocks.ts";
import { unavailable } from "../../core/errors.ts";
import type { Voice } from "../../speech/contracts.ts";
import type { SimulatedLine } from "../lines.ts";
import type { ApiClient } from "./api-client.ts";

/** The fields used of the response to `GET /calls/{id}`. */
export interface CallResource {
  status: string;
  endReason: string | null;
  durationMs: number | null;
  recording: object | null;
  parameters: Readonly<Record<string, string>> | null;
}

export interface CreatedCall {
  id: string;
  websocketUrl: string;
}

/** Maximum time from the end of the call to its record and recording. */
const RECORD_MS_MAX = 10_000;
const POLL_MS = 100;

/**
 * Creates a call over `line`. Its agent speaks `language`, can hang up and opens with `greeting`; its LLM is given the
 * parameters of the line, if it has some.
 */
export async function createCall(
  api: ApiClient,
  { line, ...call }: { systemPrompt: string; greeting: string; language: string; line: SimulatedLine },
): Promise<CreatedCall> {
  const voices = await api.get<{ data: Voice[] }>(`/voices?language=${encodeURIComponent(call.language)}`);
  const voice = voiceOf(voices.data, call.language);
  const selectedTools = [{ toolName: "hang_up" }];
  return await api.post<CreatedCall>("/calls", { ...call, ...connectionOf(line), voice, selectedTools });
}

/** The fields of a new call that describe its line. */
export function connectionOf(line: SimulatedLine): object {
  if (line.wire !== "websocket")
    return { connectionType: line.wire, ...(line.parameters !== undefined && { useParameters: true }) };
  const { codec, inputRateHz: inputSampleRate, outputRateHz: outputSampleRate } = line.format;
  return { connectionType: line.wire, websocket: { codec, inputSampleRate, outputSampleRate } };
}

/** The call's record once the call is over and its recording rendered. Rejects with `unavailable` after ten seconds. */
export async function finishedRecord(api: ApiClient, callId: string, clock: Clock): Promise<CallResource> {
  for (const endMs = addMs(clock.nowMs(), RECORD_MS_MAX); clock.nowMs() < endMs; ) {
    const record = await api.get<CallResource>(`/calls/${callId}`);
    if (record.status !== "created" && record.status !== "active" && record.recording !== null) return record;
    await new Promise<void>((resolve) => {
      clock.after(POLL_MS, resolve);
    });
  }
  throw unavailable(`call ${callId} has no record and recording ${RECORD_MS_MAX} ms after its end`);
}

/**
 * The first page of an ended call's transcript, which holds all but very long ones. Throws `unavailable` when the
 * service refuses the request.
 */
export async function transcriptOf(api: ApiClient, callId: string): Promise<TranscriptTurn[]> {
  return (await api.get<{ data: TranscriptTurn[] }>(`/calls/${callId}/transcript`)).data;
}

/** The id of the first voice of `language`; throws `unavailable` when there is none. */
export function voiceOf(voices: readonly Voice[], language: string): string {
  const voice = voices.find((candidate) => candidate.language === language);
  if (voice === undefined) throw unavailable(`no voice speaks ${language}`);
  return voice.id;
}
