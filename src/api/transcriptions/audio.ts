import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { systemErrorCodeOf, unavailable } from "../../core/errors.ts";
import type { AccountId, TranscriptionId } from "../../core/ids.ts";
import type { Logger } from "../../core/log/logger.ts";
import { AUDIO_TYPE_BYTES, AUDIO_TYPES, type AudioType, audioTypeOf } from "../../core/transcriptions/audio-type.ts";
import type { TranscriptionAudio } from "../../store/data-dir/transcription-audio.ts";
import type { TranscriptionStore } from "../../store/transcription-store.ts";
import {
  isResourceShortage,
  isTemporary,
  openRecording,
  openSharedRecording,
  RangeConditions,
  type RecordingFile,
  sendRange,
} from "../calls/recordings/recording-file.ts";
import { found, notFound } from "../http/errors.ts";
import { NoQuery } from "../http/requests/query.ts";
import { LARGE_RESPONSE_ERRORS, largeResponseHooks } from "../http/responses/large-response-hooks.ts";
import type { LargeResponses } from "../http/responses/large-responses.ts";
import { TranscriptionParams } from "./schemas/response-schemas.ts";

export interface TranscriptionAudioDeps {
  transcriptions: Pick<TranscriptionStore, "get">;
  transcriptionAudio: Pick<TranscriptionAudio, "path" | "isShared" | "openShared">;
  /** Bounds the concurrent downloads. */
  downloads: LargeResponses;
  log: Logger;
}

const content = Object.fromEntries(Object.keys(AUDIO_TYPES).map((type) => [type, { schema: z.unknown() }])) as Record<
  AudioType,
  { schema: z.ZodUnknown }
>;

const GET = {
  operationId: "getTranscriptionAudio",
  scope: "read" as const,
  tags: ["transcriptions"],
  summary: "Download a transcription's audio",
  description:
    "The audio as it was uploaded or fetched, while `hasAudio` says that it is kept; its media type is that of its content. 404 once it is " +
    "deleted, before it is fetched, for live transcriptions, and with `redact`, because the audio has every word. That of a call's " +
    "recording is `getRecording` of the call.",
  params: TranscriptionParams,
  querystring: NoQuery,
  headers: RangeConditions,
  errors: ["not_found", "range_not_satisfiable", ...LARGE_RESPONSE_ERRORS] as const,
  response: {
    200: { description: "The whole file.", content },
    206: { description: "The requested bytes.", content },
    304: z.undefined().meta({ description: "If-None-Match names this file." }),
  },
  responseHeaders: {
    200: ["ETag", "Accept-Ranges", "Content-Disposition", "Content-Length"],
    206: ["ETag", "Accept-Ranges", "Content-Disposition", "Content-Range"],
    304: ["ETag", "Accept-Ranges"],
    416: ["ETag", "Accept-Ranges", "Content-Range"],
  } as const,
};

/** Registers the route of the audio of transcriptions in `scope`, which must require an API key. */
export function transcriptionAudioRoutes(scope: FastifyInstance, deps: TranscriptionAudioDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const options = { schema: GET, ...largeResponseHooks(deps.downloads) };
  app.get("/transcriptions/:id/audio", options, async (request, reply) => {
    const { id, file, type } = await openAudio(deps, request.accountId, request.params.id);
    return await sendRange(file, request, reply, {
      "content-type": type,
      "content-disposition": `attachment; filename="${id}.${AUDIO_TYPES[type]}"`,
    });
  });
}

interface OpenAudio {
  id: TranscriptionId;
  file: RecordingFile;
  type: AudioType;
}

async function openAudio(
  { transcriptions, transcriptionAudio, log }: TranscriptionAudioDeps,
  accountId: AccountId,
  givenId: TranscriptionId,
): Promise<OpenAudio> {
  const { id, source, hasAudio, options } = found(await transcriptions.get(accountId, givenId), "transcription");
  const isShown = hasAudio && (source === "upload" || source === "url") && (options.redact ?? []).length === 0;
  if (!isShown) throw notFound("audio");
  try {
    const file = await openFile(transcriptionAudio, id);
    return { id, file, type: await typeOf(file) };
  } catch (error) {
    if (isTemporary(error)) throw error;
    if (isResourceShortage(error)) throw unavailable("the process is out of memory or file descriptors", error);
    // It is still to be fetched, or was deleted meanwhile.
    log.debug({ transcriptionId: id, err: error }, "audio of a transcription could not be opened");
    throw notFound("audio");
  }
}

/** The file of this disk, or else that of the bucket. */
async function openFile(
  audio: TranscriptionAudioDeps["transcriptionAudio"],
  id: TranscriptionId,
): Promise<RecordingFile> {
  try {
    return await openRecording({ path: audio.path(id), key: undefined }, audio.isShared);
  } catch (error) {
    const shared = systemErrorCodeOf(error) === "ENOENT" ? await audio.openShared(id) : undefined;
    if (shared === undefined) throw error;
    return await openSharedRecording(shared.file, shared.bytes, undefined);
  }
}

/** Closes the file where it cannot be read. */
async function typeOf({ handle }: RecordingFile): Promise<AudioType> {
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(AUDIO_TYPE_BYTES), 0, AUDIO_TYPE_BYTES, 0);
    return audioTypeOf(buffer.subarray(0, bytesRead));
  } catch (error) {
    await handle.close();
    throw error;
  }
}
