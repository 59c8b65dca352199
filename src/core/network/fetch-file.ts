import type { IncomingMessage } from "node:http";
import type { Clock } from "../clock.ts";
import { TrunklineError } from "../errors.ts";
import { UPLOAD_BYTES_PER_SECOND_MIN, UPLOAD_WINDOW_MS } from "../limits/transcriptions/transcriptions.ts";
import { type GuardedHttp, isRefusedAddress } from "./guarded-http.ts";

const ANSWER_HEAD_BYTES_MAX = 16 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What is fetched, for the request and for the words of its failures. */
export interface FetchedKind {
  /** As in "the audio". */
  name: string;
  /** The header Accept. */
  accept: string;
  /** Types of content that it never has. */
  refusedTypes: RegExp;
  redirectsMax: number;
  /** The error of one that cannot be had; `what` says why, in words that a person understands. */
  unavailable(what: string, cause?: unknown): TrunklineError;
  /** The error of one that cannot be had at present: another attempt may succeed. */
  unreachable(what: string, cause?: unknown): TrunklineError;
}

export interface FetchFileOptions {
  kind: FetchedKind;
  http: Pick<GuardedHttp, "send">;
  clock: Pick<Clock, "after">;
  bytesMax: number;
  /** There is no room for more on the disk. */
  isDiskLow: () => boolean;
}

/**
 * Fetches a file from an address that a client has chosen, as it arrives. Every redirect is checked as the first address is. Throws the
 * errors of its kind.
 */
export async function* fetchFile(
  url: string,
  { kind, http, clock, bytesMax, isDiskLow }: FetchFileOptions,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const slow = new AbortController();
  let bytes = 0;
  let cancel = (): void => {};
  const watch = (before: number): void => {
    cancel = clock.after(UPLOAD_WINDOW_MS, () => {
      if (bytes - before < (UPLOAD_BYTES_PER_SECOND_MIN * UPLOAD_WINDOW_MS) / 1_000) slow.abort();
      else watch(bytes);
    });
  };
  watch(0);
  try {
    const response = await request(url, kind, http, AbortSignal.any([signal, slow.signal]));
    checkHead(response, kind, bytesMax);
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > bytesMax) throw tooLarge(kind, bytesMax);
      if (isDiskLow()) throw kind.unreachable(`the service has too little room for the ${kind.name}`);
      yield chunk as Buffer;
    }
    const claimed = response.headers["content-length"];
    if (!response.complete || (claimed !== undefined && Number(claimed) !== bytes)) {
      throw kind.unreachable(`the address broke off in the middle of the ${kind.name}`);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (slow.signal.aborted) throw kind.unreachable(`the address sends the ${kind.name} too slowly`);
    throw error instanceof TrunklineError ? error : failureOf(kind, error);
  } finally {
    cancel();
  }
}

async function request(
  first: string,
  { accept, redirectsMax, unavailable }: FetchedKind,
  http: FetchFileOptions["http"],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let url = first;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const headers = { accept, "accept-encoding": "identity" };
    const response = await http.send({
      method: "GET",
      url: new URL(url),
      headers,
      body: undefined,
      signal,
      answerHeadBytesMax: ANSWER_HEAD_BYTES_MAX,
    });
    const { location } = response.headers;
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return response;
    response.destroy();
    if (!URL.canParse(location, url)) throw unavailable("the address redirects to something that is no address");
    url = new URL(location, url).href;
  }
  throw unavailable(`the address redirects more than ${redirectsMax} times`);
}

/** Statuses with which a server says that it may answer otherwise later. */
const isTemporary = (status: number): boolean => status >= 500 || status === 429 || status === 408;

function checkHead(response: IncomingMessage, kind: FetchedKind, bytesMax: number): void {
  const { unavailable, unreachable } = kind;
  const { statusCode = 0, headers } = response;
  const refused = isTemporary(statusCode) ? unreachable : unavailable;
  const problem =
    statusCode !== 200
      ? refused(`the address answered with status ${statusCode}`)
      : kind.refusedTypes.test(headers["content-type"] ?? "")
        ? unavailable(`the address has ${headers["content-type"]?.split(";")[0]}, not ${kind.name}`)
        : (headers["content-encoding"] ?? "identity") !== "identity"
          ? unavailable("the address sent a compressed answer, although none was asked for")
          : Number(headers["content-length"] ?? 0) > bytesMax
            ? tooLarge(kind, bytesMax)
            : undefined;
  if (problem === undefined) return;
  response.destroy();
  throw problem;
}

const tooLarge = ({ name, unavailable }: FetchedKind, bytesMax: number): TrunklineError =>
  unavailable(`the ${name} has more than ${bytesMax} bytes, the most that is read`);

const failureOf = ({ unavailable, unreachable }: FetchedKind, error: unknown): TrunklineError =>
  isRefusedAddress(error)
    ? unavailable("the address is not one of the public internet", error)
    : unreachable("the address could not be reached", error);
