import type { Clock } from "../../src/core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs } from "../../src/core/clocks.ts";
import { providerFailed } from "../../src/core/errors.ts";
import { CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import type { Llm, Stt, SttEvent, SttStream, Tts } from "../../src/speech/contracts.ts";
import { EventQueue } from "../../src/speech/event-queue.ts";
import { createReferenceStt } from "../../src/speech/reference/stt.ts";
import type { Rendered } from "../rig/speech.ts";

// The engines of the load: as cheap as can be, since it is the way to them and from them that is measured.

/** A TTS with prepared audio, available at once. Fails for any other text. */
export function replayTts(speech: readonly Rendered[]): Tts {
  const chunks = new Map(speech.map((rendered) => [rendered.text, rendered.chunks]));
  return {
    provider: "replay",
    capabilities: { wordTimestamps: true },
    voices: async () => [],
    async *speak({ text }, signal) {
      const known = chunks.get(text);
      if (known === undefined) throw providerFailed("replay", "a text that was not rendered");
      for (const chunk of known) {
        if (signal.aborted) return;
        yield chunk;
      }
    },
  };
}

/** Sentences emitted ahead of those that are spoken: the TTS never waits for the LLM. */
const SENTENCES_AHEAD = 2;

/** An LLM that never stops: the same sentences in turn, one each time that another has been spoken. */
export function endlessLlm(speech: readonly Rendered[], clock: Clock): Llm {
  const spokenMs = speech.map(durationMs);
  return {
    provider: "endless",
    async *reply(_request, signal) {
      const startMs = clock.nowMs();
      for (let sentence = 0, untilMs = 0; !signal.aborted; sentence += 1) {
        yield { kind: "text", text: `${speech[sentence % speech.length]?.text} ` };
        if (sentence < SENTENCES_AHEAD) continue;
        untilMs += spokenMs[(sentence - SENTENCES_AHEAD) % speech.length] as number;
        await until(addMs(startMs, untilMs), clock, signal);
      }
    },
  };
}

/** How long a segment sounds: segments are padded to whole frames. */
function durationMs({ chunks }: Rendered): number {
  const samples = chunks.reduce((sum, chunk) => sum + chunk.samples.length, 0);
  return Math.ceil((samples * 1_000) / CARRIER_RATE_HZ / FRAME_MS) * FRAME_MS;
}

function until(atMs: MonotonicMs, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(Math.max(0, elapsedMs(clock.nowMs(), atMs)), done);
    signal.addEventListener("abort", done);
  });
}

/** An STT that understands nothing and reports when it received a frame. */
export function countingStt(onFrame: () => void): Stt {
  return {
    provider: "counting",
    capabilities: { ratesHz: [CARRIER_RATE_HZ, 16_000], interimTranscripts: true },
    open: (_options, signal) => ({ write: () => onFrame(), events: new EventQueue<SttEvent>(signal) }),
  };
}

/** The reference STT, which records what it understood. */
export class CapturingStt implements Stt {
  readonly #stt = createReferenceStt();
  readonly provider = this.#stt.provider;
  readonly capabilities = this.#stt.capabilities;
  #transcripts: { text: string }[] = [];

  /** What was understood of each call that began since this was asked last. */
  takeTranscripts(): string[] {
    return this.#transcripts.splice(0).map(({ text }) => text);
  }

  open(options: { language: string; rateHz: number }, signal: AbortSignal): SttStream {
    const stream = this.#stt.open(options, signal);
    const understood = { text: "" };
    this.#transcripts.push(understood);
    return { write: (frame) => stream.write(frame), events: capturing(stream.events, understood) };
  }
}

async function* capturing(events: AsyncIterable<SttEvent>, understood: { text: string }): AsyncGenerator<SttEvent> {
  for await (const event of events) {
    if (event.kind === "final") understood.text = `${understood.text} ${event.text}`.trim();
    yield event;
  }
}
