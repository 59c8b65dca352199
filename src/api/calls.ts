import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import type { Logger } from "../core/log.ts";
import type { CallRecord, CallStore } from "../store/call-store.ts";
import { hashSecret, mintToken } from "../store/secrets.ts";
import { CallId, CallItem, CreatedCall, NewCallBody, Transcript } from "./call-schemas.ts";
import { ApiError, notFound, refused } from "./errors.ts";
import type { NewCalls } from "./health.ts";
import { specOf } from "./new-call.ts";
import type { VoiceCatalogue } from "./voices.ts";

export interface CallRoutesDeps {
  calls: Pick<CallStore, "create" | "get" | "transcript">;
  voices: VoiceCatalogue;
  newCalls: () => NewCalls;
  /** What a `websocketUrl` begins with, for example `wss://media.example.com`, without a slash at the end. */
  publicMediaUrl: string;
  tokenTtlMs: number;
  /** Where the stereo WAV of a call lies once it has been rendered. */
  recordingPath: (callId: string) => string;
  log: Logger;
}

/** `basePath` is where the routes stand, for `Location`. */
export function callRoutes(scope: FastifyInstance, basePath: string, deps: CallRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  // The schema's problems are not thrown at once: those that only the catalogue can find belong to the same answer.
  const creation = { schema: { body: NewCallBody, response: { 201: CreatedCall } }, attachValidation: true };
  app.post("/calls", creation, async (request, reply) => {
    const { validationError } = request;
    // Whatever else was thrown says nothing about the body, which must then not be taken for a checked one.
    if (validationError !== undefined && !(validationError instanceof ApiError)) throw validationError;
    const spec = await specOf(request.body, validationError?.details ?? [], deps.voices);
    const state = deps.newCalls();
    if (!state.taken) throw refused(state.reason);
    const token = mintToken();
    const call = await deps.calls.create({
      accountId: request.accountId,
      spec,
      tokenHash: hashSecret(token),
      tokenTtlMs: deps.tokenTtlMs,
    });
    deps.log.info({ callId: call.id, accountId: call.accountId, requestId: request.id }, "call created");
    return reply
      .code(201)
      .header("location", `${basePath}/calls/${call.id}`)
      .send({
        id: call.id,
        websocketUrl: `${deps.publicMediaUrl}/stream/${token}`,
        status: call.status,
        connectionType: spec.connectionType,
        createdAt: isoTime(call.createdAtMs),
      });
  });

  const get = async (accountId: string, callId: string): Promise<CallRecord> => {
    const call = await deps.calls.get(accountId, callId);
    if (call === undefined) throw notFound("call");
    return call;
  };

  app.get("/calls/:id", { schema: { params: CallId, response: { 200: CallItem } } }, async (request) =>
    itemOf(await get(request.accountId, request.params.id)),
  );

  app.get("/calls/:id/transcript", { schema: { params: CallId, response: { 200: Transcript } } }, async (request) => {
    const call = await get(request.accountId, request.params.id);
    const turns = (await deps.calls.transcript(request.accountId, call.id)) ?? [];
    return { data: turns.map(({ text, ...turn }) => (call.settings.recordingEnabled ? { ...turn, text } : turn)) };
  });

  app.get("/calls/:id/recording", { schema: { params: CallId } }, async (request, reply) => {
    const call = await get(request.accountId, request.params.id);
    if (call.recording === undefined) throw notFound("recording");
    const file = await openRecording(deps.recordingPath(call.id)).catch((error: unknown) => {
      deps.log.error({ callId: call.id, err: error }, "recording could not be opened");
      throw notFound("recording");
    });
    return reply
      .type("audio/wav")
      .header("content-length", file.bytes)
      .header("content-disposition", `attachment; filename="${call.id}.wav"`)
      .send(file.handle.createReadStream());
  });
}

/** Rejects when there is no such file, or something else in its place: a link, a folder. */
async function openRecording(path: string): Promise<{ handle: FileHandle; bytes: number }> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const status = await handle.stat();
  if (status.isFile()) return { handle, bytes: status.size };
  await handle.close();
  throw new Error("not a file");
}

const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();

function itemOf(call: CallRecord): z.output<typeof CallItem> {
  const { settings } = call;
  return {
    id: call.id,
    status: call.status,
    connectionType: settings.connectionType,
    createdAt: isoTime(call.createdAtMs),
    startedAt: call.startedAtMs === undefined ? null : isoTime(call.startedAtMs),
    endedAt: call.endedAtMs === undefined ? null : isoTime(call.endedAtMs),
    durationMs: call.durationMs ?? null,
    endReason: call.endReason ?? null,
    configuration: {
      voice: settings.voiceId,
      language: settings.language,
      model: settings.model,
      temperature: settings.temperature,
      firstSpeaker: settings.firstSpeaker,
      interruptible: settings.interruptible,
      maxDuration: settings.maxDurationMs / 1_000,
      inactivityTimeout: settings.inactivityTimeoutMs / 1_000,
      inactivityAction: settings.inactivityAction,
      recordingEnabled: settings.recordingEnabled,
      selectedTools: settings.tools.map((toolName) => ({ toolName })),
    },
    metadata: settings.metadata ?? null,
    recording: call.recording ?? null,
    counters: call.counters ? { ...call.counters } : null,
  };
}
