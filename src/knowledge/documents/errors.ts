import { TrunklineError } from "../../core/errors.ts";
import {
  DOCUMENT_FAILURE_CODES,
  type DocumentFailure,
  type DocumentFailureCode,
} from "../../core/knowledge/documents.ts";

/** A document cannot be processed, however often it is attempted; `message` says why, in words that a person understands. */
export const documentError = (code: DocumentFailureCode, message: string, cause?: unknown): TrunklineError =>
  new TrunklineError(code, "caller", message, { cause });

/** The file that a document was uploaded as is there no more. */
export const withoutFile = (cause?: unknown): TrunklineError =>
  documentError("document_unavailable", "the uploaded file has been deleted", cause);

/** The failure that an error means for a document; undefined for one that is none of the document's. */
export function failureOf(error: unknown): DocumentFailure | undefined {
  if (!(error instanceof TrunklineError) || error.fault !== "caller") return undefined;
  const code = DOCUMENT_FAILURE_CODES.find((known) => known === error.code);
  return code && { code, message: error.message };
}
