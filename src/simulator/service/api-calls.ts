import type { BodyOf, Schema, TrunklineClient } from "#client";
import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, callMs } from "../../core/clocks.ts";
import { unavailable } from "../../core/errors.ts";
import type { SimulatedLine } from "../lines.ts";

/** The fields used of the response to `GET /calls/{id}`. */
export interface CallResource {
  status: string;
  endReason: string | null;
  durationMs: number | null;
  recording: object | null;
  parameters: Readonly<Record<string, string>> | null;
  agentId: string | null;
  agentVersion: number | null;
  configuration: { recordingEnabled: boolean };
}

/** The response to `POST /calls`. */
export type CreatedCall = BodyOf<"post", "/calls">;

/** Maximum time from the end of the call to its record and recording. */
const RECORD_MS_MAX = 10_000;
const POLL_MS = 100;

/**
 * Creates a call over `line`. Its agent speaks `language`, can hang up and opens with `greeting`; its LLM is given the
 * parameters of the line, if it has some.
 */
export async function createCall(
  api: TrunklineClient,
  { line, ...call }: { systemPrompt: string; greeting: string; language: string; line: SimulatedLine },
): Promise<CreatedCall> {
  const voices = await api.get("/voices", { query: { language: call.language } });
  const voice = voiceOf(voices.data, call.language);
  return await api.post("/calls", {
    body: { ...call, ...connectionOf(line), voice, selectedTools: [{ toolName: "hang_up" }] },
  });
}

/**
 * Creates a call over `line` from a saved agent. `variables` are texts, which are sent as what the agent declares. Rejects with
 * TrunklineApiError when the service refuses the request.
 */
export async function createAgentCall(
  api: TrunklineClient,
  { id, version, variables, line }: NewAgentCall,
): Promise<CreatedCall> {
  const agent = await api.get("/agents/{id}", { path: { id } });
  const number = version === "draft" ? agent.draftVersion : version;
  const declared =
    typeof number === "number"
      ? await api.get("/agents/{id}/versions/{version}", { path: { id, version: number } })
      : agent;
  const types = new Map(declared.variables.map(({ name, type }) => [name, type]));
  const values = Object.entries(variables).map(([name, text]) => [name, typedValue(text, types.get(name))]);
  return await api.post("/agents/{id}/calls", {
    path: { id },
    body: { ...streamOf(line), ...(version !== undefined && { version }), variables: Object.fromEntries(values) },
  });
}

export interface NewAgentCall {
  /** The agent's. */
  id: string;
  version?: number | "draft";
  variables: Readonly<Record<string, string>>;
  line: SimulatedLine;
}

/** A text that is no value of its type stays one: the service refuses it by name. */
function typedValue(text: string, type: "string" | "number" | "boolean" | undefined): string | number | boolean {
  if (type === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}

type Connection = Pick<Schema<"NewCallInput">, "connectionType" | "websocket" | "useParameters">;

/** The fields of a new call that describe its line. */
export function connectionOf(line: SimulatedLine): Connection {
  const usesParameters = line.wire !== "websocket" && line.parameters !== undefined;
  return { ...streamOf(line), ...(usesParameters && { useParameters: true }) };
}

function streamOf(line: SimulatedLine): Pick<Connection, "connectionType" | "websocket"> {
  if (line.wire !== "websocket") return { connectionType: line.wire };
  const { codec, inputRateHz: inputSampleRate, outputRateHz: outputSampleRate } = line.format;
  return { connectionType: line.wire, websocket: { codec, inputSampleRate, outputSampleRate } };
}

/** The call's record once the call is over and its recording rendered, if it is recorded. Rejects with `unavailable` after ten seconds. */
export async function finishedRecord(api: TrunklineClient, callId: string, clock: Clock): Promise<CallResource> {
  for (const endMs = addMs(clock.nowMs(), RECORD_MS_MAX); clock.nowMs() < endMs; ) {
    const record = await api.get("/calls/{id}", { path: { id: callId } });
    if (record.status !== "created" && record.status !== "active") {
      if (record.recording !== null || !record.configuration.recordingEnabled) return record;
    }
    await new Promise<void>((resolve) => {
      clock.after(POLL_MS, resolve);
    });
  }
  throw unavailable(`call ${callId} has no record and recording ${RECORD_MS_MAX} ms after its end`);
}

/**
 * The transcript of an ended call, without the passages that it used; its turns have no `text` where words are not stored. Rejects with TrunklineApiError when the
 * service refuses the request.
 */
export async function transcriptOf(api: TrunklineClient, callId: string): Promise<TranscriptTurn[]> {
  const turns: TranscriptTurn[] = [];
  const listed = api.list("/calls/{id}/transcript", { path: { id: callId } });
  for await (const turn of listed) {
    const { retrieval: _, ...spoken } = turn;
    turns.push({ ...spoken, startMs: callMs(turn.startMs), endMs: callMs(turn.endMs) } as TranscriptTurn);
  }
  return turns;
}

/** The id of the first voice of `language`; throws `unavailable` when there is none. */
export function voiceOf(voices: readonly { id: string; language: string }[], language: string): string {
  const voice = voices.find((candidate) => candidate.language === language);
  if (voice === undefined) throw unavailable(`no voice speaks ${language}`);
  return voice.id;
}
