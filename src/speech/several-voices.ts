import { strict as assert } from "node:assert";
import { providerFailed } from "../core/errors.ts";
import type { ClosableTts, SpeechRequest, Tts, TtsChunk, Voice } from "./speech.ts";

/**
 * Several voice providers as one. A voice's id begins with the name of its provider, who speaks with it; what begins
 * with nobody's name is for the first.
 */
export class SeveralVoices implements ClosableTts {
  readonly provider: string;
  readonly capabilities: Tts["capabilities"];
  readonly #first: Tts;
  readonly #voices: readonly ClosableTts[];

  constructor(voices: readonly ClosableTts[]) {
    const [first] = voices;
    assert.ok(first !== undefined, "at least one voice");
    this.#first = first;
    this.#voices = voices;
    this.provider = first.provider;
    this.capabilities = first.capabilities;
  }

  of(voiceId: string): Tts {
    return this.#voices.find(({ provider }) => voiceId.startsWith(`${provider}/`)) ?? this.#first;
  }

  /** The voices of all that can tell theirs, in order; rejects only where none can. */
  async voices(): Promise<readonly Voice[]> {
    const told = await Promise.allSettled(this.#voices.map((voice) => voice.voices()));
    const lists = told.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const failed = told.find((result) => result.status === "rejected");
    if (lists.length === 0) throw failed?.reason ?? providerFailed(this.provider, "no voices");
    return lists.flat();
  }

  speak(request: SpeechRequest, signal: AbortSignal): AsyncIterable<TtsChunk> {
    return this.of(request.voiceId).speak(request, signal);
  }

  close(): void {
    for (const voice of this.#voices) voice.close();
  }
}
