import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Prices } from "../../core/billing/prices.ts";
import type { CallId, TranscriptionId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { FILE_NAME_CHARS_MAX } from "../../core/limits/transcriptions/transcriptions.ts";
import type { Logger } from "../../core/log/logger.ts";
import { newId } from "../../core/new-id.ts";
import type { CallStore } from "../../store/calls/call-store.ts";
import type { TranscriptionAudio } from "../../store/data-dir/transcription-audio.ts";
import type { NewTranscription, Transcription, TranscriptionStore } from "../../store/transcription-store.ts";
import { idempotencyMismatch, problemsOfHead, problemsOfRequest } from "../calls/create.ts";
import { ApiError, invalidRequest, type Problem, REFUSALS } from "../http/errors.ts";
import type { CallAcceptance } from "../http/health.ts";
import { IdempotencySealer } from "../http/requests/idempotency.ts";
import { problem } from "../http/requests/validation.ts";
import { isForm, type UploadDeps, type UploadTarget, withUpload } from "../uploads/with-upload.ts";
import type { VoiceCatalogue } from "../voices/catalogue.ts";
import type { BatchCapabilitiesOf } from "./capabilities.ts";
import { optionsInForm } from "./form.ts";
import { transcriptionItemOf } from "./item.ts";
import { checkedOptions, speakersProblems, type TranscriptionOffer } from "./options.ts";
import type { TranscriptionSummary } from "./schemas/response-schemas.ts";
import { WAV_ONLY } from "./wav-head.ts";

export interface TranscriptionCreationDeps extends UploadDeps {
  transcriptions: Pick<TranscriptionStore, "create" | "createOnce">;
  calls: Pick<CallStore, "get">;
  transcriptionAudio: Pick<TranscriptionAudio, "create" | "share" | "release" | "remove">;
  batchCapabilities: BatchCapabilitiesOf;
  voices: VoiceCatalogue;
  callAcceptance: () => CallAcceptance;
  /** The most bytes of an uploaded file. */
  transcriptionBytesMax: number;
  /** Whether the service reads files other than WAV. */
  hasFfmpeg: boolean;
  prices: Prices | undefined;
  log: Logger;
}

/** The part of Fastify's reply that a creation uses. */
interface CreationReply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

/** What an account may ask of transcriptions. */
export const offerOf = async (
  { voices, batchCapabilities }: TranscriptionCreationDeps,
  { account }: FastifyRequest,
): Promise<TranscriptionOffer> => ({
  voices: voices.forAccount(account.settings),
  capabilities: await batchCapabilities(account),
});

/** Throws the ApiError with which transcriptions are refused at present: as new calls are, but for the slots of calls. */
export function refuseTranscriptions({ callAcceptance }: Pick<TranscriptionCreationDeps, "callAcceptance">): void {
  const state = callAcceptance();
  if (state.accepted || state.reason === "overloaded") return;
  throw new ApiError(state.reason, `new transcriptions are not accepted: ${REFUSALS[state.reason]}`);
}

/** Creates the transcription of a request, or finds the one that the same request created before. */
export async function createTranscription(
  deps: TranscriptionCreationDeps,
  request: FastifyRequest,
  reply: CreationReply,
): Promise<z.output<typeof TranscriptionSummary>> {
  refuseTranscriptions(deps);
  const { transcription, isNew } = isForm(request)
    ? await createFromUpload(deps, request)
    : await createFromSource(deps, request);
  if (isNew) logCreated(deps, request, transcription);
  else reply.header("idempotent-replayed", "true");
  reply.code(202);
  reply.header("location", `${request.server.prefix}/transcriptions/${transcription.id}`);
  return transcriptionItemOf(transcription, deps.prices);
}

export function logCreated(
  { log }: Pick<TranscriptionCreationDeps, "log">,
  { id: requestId }: FastifyRequest,
  { id: transcriptionId, accountId, source }: Transcription,
): void {
  log.info({ transcriptionId, accountId, requestId, source }, "transcription created");
}

interface Created {
  transcription: Transcription;
  isNew: boolean;
}

async function createFromSource(deps: TranscriptionCreationDeps, request: FastifyRequest): Promise<Created> {
  const given: Record<string, unknown> = isObject(request.body) ? request.body : {};
  const found = [...problemsOfRequest(request), ...(await callProblems(deps, request, given))];
  const options = await checkedOptions(given, found, await offerOf(deps, request));
  const { url, callId, metadata, deleteAudio } = given as unknown as { url?: string; callId?: CallId } & CheckedForm;
  const transcription = {
    id: newId("transcription"),
    accountId: request.accountId,
    source: url === undefined ? ("call" as const) : ("url" as const),
    options,
    metadata,
    deletesAudio: deleteAudio,
    ...(url !== undefined && { url }),
    ...(callId !== undefined && { callId }),
  };
  return await store(deps, request, transcription, request.sentBody ?? {});
}

/** A call whose recording cannot be transcribed. */
async function callProblems(
  { calls }: TranscriptionCreationDeps,
  { accountId }: FastifyRequest,
  { callId }: Record<string, unknown>,
): Promise<readonly Problem[]> {
  if (typeof callId !== "string") return [];
  const call = await calls.get(accountId, callId as CallId);
  if (call?.recording !== undefined) return [];
  return [problem(["callId"], "must be the id of a call of this account whose recording can be downloaded", callId)];
}

/** The members of a form besides the options of the transcription, once they are checked. */
interface CheckedForm {
  metadata: Record<string, unknown>;
  deleteAudio: boolean;
}

async function createFromUpload(deps: TranscriptionCreationDeps, request: FastifyRequest): Promise<Created> {
  const offer = await offerOf(deps, request);
  const id = newId("transcription");
  return await withAudioUpload(deps, request, id, {
    onFile(fields) {
      const { given, problems } = optionsInForm(fields);
      const all = [...problemsOfHead(request), ...problems, ...speakersProblems(given, offer)];
      if (all.length > 0) throw invalidRequest(all);
    },
    async use({ fields, fileName, sha256 }) {
      const { given, problems } = optionsInForm(fields);
      const options = await checkedOptions(given, [...problemsOfHead(request), ...problems], offer);
      const { metadata, deleteAudio } = given as unknown as CheckedForm;
      const transcription = {
        id,
        accountId: request.accountId,
        source: "upload" as const,
        options,
        metadata,
        fileName: fileName.slice(0, FILE_NAME_CHARS_MAX),
        deletesAudio: deleteAudio,
      };
      return await store(deps, request, transcription, [fields, fileName, sha256]);
    },
  });
}

/** Receives an upload as the audio of transcription `id`, and hands it to `use`. Unless that creates the transcription, no file is left. */
export function withAudioUpload(
  deps: TranscriptionCreationDeps,
  request: FastifyRequest,
  id: TranscriptionId,
  handlers: Pick<UploadTarget<Created>, "onFile" | "use">,
): Promise<Created> {
  const { transcriptionAudio, transcriptionBytesMax: bytesMax, hasFfmpeg } = deps;
  return withUpload(deps, request, {
    create: () => transcriptionAudio.create(id),
    remove: () => transcriptionAudio.remove(id),
    bytesMax,
    bytesMaxName: "TRANSCRIPTION_BYTES_MAX",
    ...(!hasFfmpeg && { head: WAV_ONLY }),
    onFile: handlers.onFile,
    async use(upload) {
      // Before any node can learn of the transcription.
      await transcriptionAudio.share(id);
      await transcriptionAudio.release(id);
      return await handlers.use(upload);
    },
  });
}

/** Stores a transcription, once for all requests with the same Idempotency-Key that ask for the same. */
async function store(
  { transcriptions }: TranscriptionCreationDeps,
  { headers, credential }: FastifyRequest,
  transcription: NewTranscription,
  asked: unknown,
): Promise<Created> {
  const name = headers["idempotency-key"];
  if (typeof name !== "string" || credential === "") {
    return { transcription: await transcriptions.create(transcription), isNew: true };
  }
  const { keyHash, fingerprint } = new IdempotencySealer({ name, credential, asked: ["transcriptions", asked] }).seal(
    "",
  );
  const creation = await transcriptions.createOnce(transcription, { keyHash, fingerprint });
  if (creation.kind === "mismatch") throw idempotencyMismatch();
  return { transcription: creation.transcription, isNew: creation.kind === "created" };
}
