import { strict as assert } from "node:assert";
import type { Clock } from "../../../core/clock.ts";
import { TELEPHONE } from "../../../simulator/audio/format.ts";
import { Caller, type CallerEvent, type CallerReport, type Step } from "../../../simulator/callers/caller.ts";
import { synthesise, type Utterance } from "../../../simulator/callers/utterance.ts";
import { type PersonOf, silentPerson } from "../../../simulator/emulator/media-streams.ts";
import type { Leg } from "../../../simulator/emulator/network.ts";
import { voiceOf } from "../../../simulator/service/api-calls.ts";
import type { Stt } from "../../../speech/contracts.ts";
import { createReferenceTts } from "../../../speech/reference/tts.ts";

/** The time in which the STT finishes its last transcript after the end of a leg. */
const STT_SETTLE_MS = 500;

export interface PhonePeopleOptions {
  /** What people say, as audio, by its text. */
  readonly utterances: ReadonlyMap<string, Utterance>;
  /** The people's own. */
  readonly stt: Stt;
  readonly language: string;
  readonly clock: Clock;
  onEvent(event: CallerEvent): void;
}

/**
 * People at the ends of emulated legs, who say what their plans have and understand what they hear, by an STT of their own. After
 * the last text they wait until the other end hangs up. People without texts are silent.
 */
export class PhonePeople {
  readonly #options: PhonePeopleOptions;
  readonly #callers = new Map<Leg, { caller: Caller; stop: AbortController }>();

  constructor(options: PhonePeopleOptions) {
    this.#options = options;
  }

  readonly personOf: PersonOf = (leg, hangUp, outboundCodec) => {
    const { stt, language, onEvent } = this.#options;
    if (leg.person.says.length === 0) return silentPerson(leg, hangUp, outboundCodec);
    const stop = new AbortController();
    const stream = stt.open({ language, rateHz: TELEPHONE.rateHz }, stop.signal);
    const caller = new Caller({
      script: this.#scriptOf(leg),
      formats: { inbound: TELEPHONE, outbound: { ...TELEPHONE, codec: outboundCodec } },
      hangUpAfterMs: Number.POSITIVE_INFINITY,
      listen: (samples) => stream.write(samples),
      hangUp,
      press: () => {},
      type: () => {},
      onEvent,
    });
    this.#callers.set(leg, { caller, stop });
    void (async () => {
      for await (const event of stream.events) caller.onTranscript(event);
    })();
    return { frame: () => caller.frame(), played: (frame, atMs) => caller.played(frame, atMs) };
  };

  /** What the person of a leg that hears nothing any more has said and heard. */
  async reportOf(leg: Leg): Promise<CallerReport> {
    const { caller, stop } = this.#callers.get(leg) ?? {};
    if (caller === undefined) return { said: [], heard: [], finished: false };
    caller.onClosed();
    await new Promise<void>((resolve) => {
      this.#options.clock.after(STT_SETTLE_MS, resolve);
    });
    stop?.abort();
    return caller.report();
  }

  #scriptOf({ person }: Leg): Step[] {
    const { utterances } = this.#options;
    const steps = person.says.flatMap((text): Step[] => {
      const utterance = utterances.get(text);
      assert.ok(utterance !== undefined, "every text has its audio");
      return [{ do: "listen" }, { do: "say", utterance }];
    });
    return [...steps, { do: "await-hang-up" }];
  }
}

/** The texts as audio for a telephone. Rejects where they cannot be synthesised. */
export async function speechOf(
  texts: readonly string[],
  language: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Utterance>> {
  const tts = createReferenceTts({ children: 1, clock });
  try {
    const voiceId = voiceOf(await tts.voices(), language);
    const utterances = new Map<string, Utterance>();
    for (const text of texts) utterances.set(text, await synthesise(tts, { text, voiceId, language }, signal));
    return utterances;
  } finally {
    tts.close();
  }
}
