import type { IncomingMessage } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { TrunklineError } from "../../core/errors.ts";
import { TRANSCRIPTION_FETCH_SILENCE_MS_MAX, TRANSCRIPTION_REDIRECTS_MAX } from "../../core/limits/transcriptions.ts";
import { type GuardedHttp, isRefusedAddress } from "../../core/network/guarded-http.ts";

const ANSWER_HEAD_BYTES_MAX = 16 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What a server sends that has a page at the address, and no audio. */
const NO_AUDIO = /^(?:text\/|application\/(?:json|xml|xhtml|x-mpegurl|vnd\.apple\.mpegurl|dash)|image\/|font\/)/i;

/** The audio of a transcription cannot be had; `what` says why, in words that a person understands. */
export const audioUnavailable = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("audio_unavailable", "caller", what, { cause });

export interface FetchAudioOptions {
  http: Pick<GuardedHttp, "send">;
  clock: Pick<Clock, "after">;
  bytesMax: number;
}

/**
 * Fetches audio from an address that a client has chosen, in pieces. Every redirect is checked as the first address is. Throws
 * `audio_unavailable`.
 */
export async function* fetchAudio(
  url: string,
  { http, clock, bytesMax }: FetchAudioOptions,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const silent = new AbortController();
  const watch = (): (() => void) =>
    clock.after(TRANSCRIPTION_FETCH_SILENCE_MS_MAX, () =>
      silent.abort(audioUnavailable("the address sent nothing for too long")),
    );
  let cancel = watch();
  const both = AbortSignal.any([signal, silent.signal]);
  try {
    const response = await request(url, http, both);
    checkHead(response, bytesMax);
    let bytes = 0;
    for await (const chunk of response) {
      cancel();
      bytes += (chunk as Buffer).length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      yield chunk as Buffer;
      cancel = watch();
    }
    const claimed = response.headers["content-length"];
    if (!response.complete || (claimed !== undefined && Number(claimed) !== bytes)) {
      throw audioUnavailable("the address broke off in the middle of the audio");
    }
  } catch (error) {
    signal.throwIfAborted();
    if (silent.signal.aborted) throw silent.signal.reason;
    throw error instanceof TrunklineError ? error : audioUnavailable(meaningOf(error), error);
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

function checkHead(response: IncomingMessage, bytesMax: number): void {
  const { statusCode, headers } = response;
  const problem =
    statusCode !== 200
      ? audioUnavailable(`the address answered with status ${statusCode}`)
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

function meaningOf(error: unknown): string {
  if (isRefusedAddress(error)) return "the address is not one of the public internet";
  return "the address could not be reached";
}
