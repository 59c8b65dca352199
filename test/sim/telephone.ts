import { TELEPHONE_LINE } from "../../src/cli/simulated/audio-format.ts";
import { Caller, type Step } from "../../src/cli/simulated/caller.ts";
import { CarrierA } from "../../src/cli/simulated/carrier-a.ts";
import type { Utterance } from "../../src/cli/simulated/utterance.ts";
import { FRAME_MS } from "../../src/core/limits.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import type { SimulatedEar } from "./ear.ts";
import type { PieceFacts } from "./facts.ts";
import type { Fate } from "./fate.ts";
import type { Plan } from "./plan.ts";
import { drawScript } from "./script.ts";
import { LINE_NOISE } from "./words.ts";

export interface TelephoneOptions {
  world: ManualClock;
  plan: Plan;
  fate: Fate;
  /** What the service understands the caller with. */
  ear: SimulatedEar | undefined;
  /** The carrier says something to the service. */
  send(text: string): void;
  /** The carrier has said `stop`, and closes. */
  close(): void;
  /** The carrier is gone without a word, and for so many ms the service does not know. */
  vanish(unknownForMs: number): void;
  /** 20 ms of the service's audio begin to sound; lent. */
  onPlayed(frame: Uint8Array): void;
}

const STOPS_CHANCE = 0.75;
/** A socket whose peer has vanished is given up after this, or at once. */
const VANISHED_MS_MAX = 20_000;

/** The person, the telephone and the carrier's end of the stream. */
export class Telephone {
  readonly carrier: CarrierA;
  readonly #options: TelephoneOptions;
  readonly #caller: Caller;
  readonly #fate: Fate;
  /** Which frame of what utterance every frame of the script is. */
  readonly #speech = new Map<Uint8Array, { utterance: Utterance; frame: number }>();
  /** How many words of each piece the caller has understood. */
  readonly #understood = new Map<PieceFacts, number>();
  readonly #isNoisy: boolean;
  #noise = 0;

  constructor(options: TelephoneOptions) {
    this.#options = options;
    const { world, plan, fate, send, close } = options;
    this.#fate = fate;
    this.#isNoisy = fate.random.chance(0.3);
    const script = drawScript(plan, fate.fork());
    for (const step of script) this.#remember(step);
    this.#caller = new Caller({
      script,
      formats: TELEPHONE_LINE,
      hangUpAfterMs: Number.POSITIVE_INFINITY,
      listen: () => {},
      hangUp: () => this.leave(),
      press: (key) => this.carrier.pressKey(key),
      type: (text) => this.carrier.typeText(text),
      notice: (notice) => {
        if (notice.kind === "caller-began") fate.chronicle.note(plan.manner);
      },
    });
    this.carrier = new CarrierA({
      clock: world,
      id: plan.seed.toString(16).padStart(32, "0"),
      send,
      close,
      microphone: () => this.#microphone(),
      earphone: (frame, samples, atMs) => {
        if (samples > 0) options.onPlayed(frame);
        this.#caller.played(frame, atMs);
      },
    });
  }

  /** The caller hangs up. */
  leave(): void {
    const { plan, fate, vanish } = this.#options;
    fate.chronicle.note(plan.leave);
    if (fate.random.chance(STOPS_CHANCE)) {
      fate.chronicle.note("carrier-stops");
      this.carrier.stop();
    } else {
      fate.chronicle.note("carrier-vanishes");
      this.carrier.closed();
      vanish(fate.random.chance(0.5) ? 0 : fate.random.between(100, VANISHED_MS_MAX));
    }
  }

  /** One more frame of a piece sounds: the caller understands the words that it completes. */
  heard(piece: PieceFacts): void {
    const words = piece.spoken?.words ?? [];
    let next = this.#understood.get(piece) ?? 0;
    for (let word = words[next]; word !== undefined; word = words[next]) {
      if (word.endMs > piece.playedFrames * FRAME_MS) break;
      const { text } = word;
      this.#fate.chronicle.tell("hears", () => text);
      this.#caller.understood({ kind: "final", text });
      next += 1;
    }
    this.#understood.set(piece, next);
  }

  #begin(utterance: Utterance): void {
    const { chronicle } = this.#fate;
    const { text, words, frames } = utterance;
    const lastWord = words.at(-1);
    chronicle.tell("says", () => text || "(a cough)");
    if (lastWord !== undefined && frames.length * FRAME_MS > lastWord.endMs + FRAME_MS) chronicle.note("voice-goes-on");
    this.#options.ear?.hear(utterance);
  }

  #remember(step: Step): void {
    if (step.do !== "say" && step.do !== "interrupt") return;
    const { utterance } = step;
    for (const [frame, bytes] of utterance.frames.entries()) this.#speech.set(bytes, { utterance, frame });
  }

  #microphone(): Uint8Array | undefined {
    const spoken = this.#caller.frame();
    const place = this.#speech.get(spoken);
    if (this.#fate.has("dead-microphone")) {
      this.#fate.chronicle.note("dead-microphone");
      return undefined;
    }
    if (place?.frame === 0) this.#begin(place.utterance);
    if (place !== undefined) return spoken;
    if (this.#fate.has("silence-suppressed")) {
      this.#fate.chronicle.note("silence-suppressed");
      return undefined;
    }
    this.#noise = (this.#noise + 1) % LINE_NOISE.length;
    return this.#isNoisy ? LINE_NOISE[this.#noise] : spoken;
  }
}
