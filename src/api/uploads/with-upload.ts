import type { FileHandle } from "node:fs/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../../core/clock.ts";
import { liftBodyDeadline } from "../http/requests/body-deadline.ts";
import type { ActiveResponse, LargeResponses } from "../http/responses/large-responses.ts";
import { lingerAfterRefusal } from "./linger.ts";
import { receiveUpload, type Upload, type UploadOptions } from "./receive.ts";

export interface UploadDeps {
  isDiskLow: () => boolean;
  /** Bounds the concurrent uploads. */
  uploads: LargeResponses;
  clock: Clock;
}

/** Where an upload goes, and what becomes of it. */
export interface UploadTarget<Created extends { isNew: boolean }>
  extends Pick<UploadOptions, "bytesMax" | "bytesMaxName" | "head" | "onFile"> {
  create: () => Promise<FileHandle>;
  remove: () => Promise<void>;
  /** Makes something of the file. Unless that is new, no file is left. */
  use: (upload: Upload) => Promise<Created>;
}

/** Receives an upload as a file, and hands it to `use`. Where that fails, or has created nothing new, no file is left. */
export async function withUpload<Created extends { isNew: boolean }>(
  { uploads, clock, isDiskLow }: UploadDeps,
  request: FastifyRequest,
  { create, remove, use, ...options }: UploadTarget<Created>,
): Promise<Created> {
  let slot: ActiveResponse | undefined;
  let isStarted = false;
  let isKept = false;
  try {
    slot = await uploads.begin(request.accountId, () => request.raw.socket.destroy());
    // From here on the upload has a least speed instead.
    liftBodyDeadline(request.raw);
    const file = await create();
    isStarted = true;
    const created = await use(await receiveUpload(request.raw, { file, clock, isDiskLow, ...options }));
    isKept = created.isNew;
    return created;
  } finally {
    slot?.end();
    if (isStarted && !isKept) await remove();
    lingerAfterRefusal(request.raw);
  }
}

export const isForm = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  /^multipart\/form-data\s*(;|$)/i.test(headers["content-type"] ?? "");

/** The routes of `scope` read forms themselves, as they arrive. */
export function acceptForms(scope: FastifyInstance): void {
  scope.addContentTypeParser("multipart/form-data", (_request, _payload, done) => done(null, undefined));
}
