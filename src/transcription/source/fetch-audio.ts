import type { IncomingMessage } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { TrunklineError } from "../../core/errors.ts";
import {
  TRANSCRIPTION_REDIRECTS_MAX,
  UPLOAD_BYTES_PER_SECOND_MIN,
  UPLOAD_WINDOW_MS,
} from "../../core/limits/transcriptions.ts";
import { type GuardedHttp, isRefusedAddress } from "../../core/network/guarded-http.ts";

const ANSWER_HEAD_BYTES_MAX = 16 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What a server sends that has a page at the address, and no audio. */
const NO_AUDIO = /^(?:text\/|application\/(?:json|xml|xhtml|x-mpegurl|vnd\.apple\.mpegurl|dash)|image\/|font\/)/i;

/** The audio cannot be had at present: another attempt may succeed. */
const audioUnreachable = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("audio_unreachable", "caller", what, { cause });

/** The audio of a transcription cannot be had; `what` says why, in words that a person understands. */
export const audioUnavailable = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("audio_unavailable", "caller", what, { cause });

export interface FetchAudioOptions {
  http: Pick<GuardedHttp, "send">;
  clock: Pick<Clock, "after">;
  bytesMax: number;
  /** There is no room for more on the disk. */
  isDiskLow: () => boolean;
}

/**
 * Fetches audio from an address that a client has chosen, in pieces. Every redirect is checked as the first address is. Throws
 * `audio_unavailable`, and `audio_unreachable` where another attempt may succeed.
 */
export async function* fetchAudio(
  url: string,
  { http, clock, bytesMax, isDiskLow }: FetchAudioOptions,
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
    const response = await request(url, http, AbortSignal.any([signal, slow.signal]));
    checkHead(response, bytesMax);
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      if (isDiskLow()) throw audioUnreachable("the service has too little room for the audio");
      yield chunk as Buffer;
    }
    const claimed = response.headers["content-length"];
    if (!response.complete || (claimed !== undefined && Number(claimed) !== bytes)) {
      throw audioUnreachable("the address broke off in the middle of the audio");
    }
  } catch (error) {
    signal.throwIfAborted();
    if (slow.signal.aborted) throw audioUnreachable("the address sends the audio too slowly");
    throw error instanceof TrunklineError ? error : failureOf(error);
  } finally {
    cancel();
  }
}

async function request(first: string, http: FetchAudioOptions["http"], signal: AbortSignal): Promise<IncomingMessage> {
  let url = first;
  for (let redirects = 0; redirects <= TRANSCRIPTION_REDIRECTS_MAX; redirects += 1) {
    const headers = { accept: "audio/*, video/*, application/octet-stream", "accept-encoding": "identity" };
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
    if (!URL.canParse(location, url)) throw audioUnavailable("the address redirects to something that is no address");
    url = new URL(location, url).href;
  }
  throw audioUnavailable(`the address redirects more than ${TRANSCRIPTION_REDIRECTS_MAX} times`);
}

/** Statuses with which a server says that it may answer otherwise later. */
const isTemporary = (status: number): boolean => status >= 500 || status === 429 || status === 408;

function checkHead(response: IncomingMessage, bytesMax: number): void {
  const { statusCode = 0, headers } = response;
  const refused = isTemporary(statusCode) ? audioUnreachable : audioUnavailable;
  const problem =
    statusCode !== 200
      ? refused(`the address answered with status ${statusCode}`)
      : NO_AUDIO.test(headers["content-type"] ?? "")
        ? audioUnavailable(`the address has ${headers["content-type"]?.split(";")[0]}, not audio`)
        : (headers["content-encoding"] ?? "identity") !== "identity"
          ? audioUnavailable("the address sent a compressed answer, although none was asked for")
          : Number(headers["content-length"] ?? 0) > bytesMax
            ? tooLarge(bytesMax)
            : undefined;
  if (problem === undefined) return;
  response.destroy();
  throw problem;
}

const tooLarge = (bytesMax: number): TrunklineError =>
  audioUnavailable(`the audio has more than ${bytesMax} bytes, the most that is transcribed`);

const failureOf = (error: unknown): TrunklineError =>
  isRefusedAddress(error)
    ? audioUnavailable("the address is not one of the public internet", error)
    : audioUnreachable("the address could not be reached", error);
