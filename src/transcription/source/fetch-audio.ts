import { TrunklineError } from "../../core/errors.ts";
import { TRANSCRIPTION_REDIRECTS_MAX } from "../../core/limits/transcriptions/transcriptions.ts";
import { type FetchedKind, type FetchFileOptions, fetchFile } from "../../core/network/fetch-file.ts";

/** The audio of a transcription cannot be had; `what` says why, in words that a person understands. */
export const audioUnavailable = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("audio_unavailable", "caller", what, { cause });

const AUDIO: FetchedKind = {
  name: "audio",
  accept: "audio/*, video/*, application/octet-stream",
  // What a server sends that has a page at the address, and no audio.
  refusedTypes: /^(?:text\/|application\/(?:json|xml|xhtml|x-mpegurl|vnd\.apple\.mpegurl|dash)|image\/|font\/)/i,
  redirectsMax: TRANSCRIPTION_REDIRECTS_MAX,
  unavailable: audioUnavailable,
  unreachable: (what, cause) => new TrunklineError("audio_unreachable", "caller", what, { cause }),
};

/**
 * Fetches audio from an address that a client has chosen, as it arrives. Throws `audio_unavailable`, and `audio_unreachable` where another
 * attempt may succeed.
 */
export const fetchAudio = (
  url: string,
  options: Omit<FetchFileOptions, "kind">,
  signal: AbortSignal,
): AsyncGenerator<Buffer> => fetchFile(url, { kind: AUDIO, ...options }, signal);
