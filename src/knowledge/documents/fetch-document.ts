import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DOCUMENT_REDIRECTS_MAX } from "../../core/limits/knowledge/corpora.ts";
import { type FetchedKind, type FetchFileOptions, fetchFile } from "../../core/network/fetch-file.ts";
import { documentError } from "./errors.ts";

const FILE_MODE = 0o600;

const DOCUMENT: FetchedKind = {
  name: "document",
  accept:
    "text/html, text/markdown, text/plain, application/pdf, " +
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document, application/octet-stream",
  // The content decides; of these it is clear before they are fetched.
  refusedTypes: /^(?:image|audio|video|font)\//i,
  redirectsMax: DOCUMENT_REDIRECTS_MAX,
  unavailable: (what, cause) => documentError("document_unavailable", what, cause),
  unreachable: (what, cause) => documentError("document_unreachable", what, cause),
};

/**
 * Fetches a document from an address that a client has chosen to a file, in place of what an attempt before has left. Rejects with
 * `document_unavailable`, and with `document_unreachable` where another attempt may succeed.
 */
export async function fetchDocument(
  url: string,
  path: string,
  options: Omit<FetchFileOptions, "kind">,
  signal: AbortSignal,
): Promise<void> {
  const bytes = fetchFile(url, { kind: DOCUMENT, ...options }, signal);
  await pipeline(Readable.from(bytes), createWriteStream(path, { mode: FILE_MODE }), { signal });
}
