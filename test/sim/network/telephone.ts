import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { AudioFormats } from "../../../src/simulator/audio/format.ts";
import { Caller, type Step } from "../../../src/simulator/callers/caller.ts";
import type { Utterance } from "../../../src/simulator/callers/utterance.ts";
import { formatsOf, simulatePeer } from "../../../src/simulator/lines.ts";
import { SimulatedCarrier } from "../../../src/simulator/peers/carrier.ts";
import type { SimulatedPeer } from "../../../src/simulator/peers/peer.ts";
import { WebsocketClient } from "../../../src/simulator/peers/websocket-client.ts";
import { opus } from "../../support/audio/opus-codecs.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import type { SegmentFacts } from "../observer/facts.ts";
import type { FaultPlan } from "../plan/fault-plan.ts";
import type { Plan } from "../plan/plan.ts";
import { drawScript } from "../plan/script.ts";
import { lineNoise, soundFrame } from "../plan/words.ts";
import type { SimulatedStt } from "../providers/stt.ts";
import { RESULT } from "../providers/tools.ts";
import { ECHO_MS, LineEcho, UNTIMED } from "./line-echo.ts";

export interface TelephoneOptions {
  world: ManualClock;
  plan: Plan;
  fate: FaultPlan;
  /** What the service understands the caller with. */
  stt: SimulatedStt | undefined;
  /** The TTS says when each of its words sounds. */
  hasWordTimes: boolean;
  /** The carrier says something to the service. */
  send(message: string | Uint8Array): void;
  /** The carrier has said `stop`, and closes. */
  close(): void;
  /** The carrier is gone without a word, and for so many ms the service does not know. */
  vanish(unknownForMs: number): void;
  /** 20 ms of the service's audio begin to sound; lent. */
  onPlayed(frame: Uint8Array): void;
}

const STOPS_CHANCE = 0.75;
/** Music begins within this, and lasts at least this long; a stray voiced frame comes so often. */
const MUSIC_WITHIN_MS = 20_000;
const MUSIC_MS = [5_000, 60_000] as const;
const STRAY_EVERY_FRAMES = 450;
/** An echo within the caller's own sounds, of a word or two, may be taken for the caller: there is none so soon after them. */
const QUIET_FRAMES = 40;

/** A socket whose peer has vanished is given up after this, or at once. */
const VANISHED_MS_MAX = 20_000;

/** The person, the telephone and the carrier's end of the stream. */
export class Telephone {
  readonly carrier: SimulatedPeer;
  readonly #formats: AudioFormats;
  readonly #options: TelephoneOptions;
  readonly #caller: Caller;
  readonly #fate: FaultPlan;
  /** Which frame of what utterance every frame of the script is. */
  readonly #speech = new Map<Uint8Array, { utterance: Utterance; frame: number }>();
  /** What the loudspeaker plays comes back, where that was drawn; and how many words of each segment began to play. */
  readonly #echo: LineEcho | undefined;
  readonly #begun = new Map<SegmentFacts, number>();
  /** How many words of each segment the caller has understood. */
  readonly #understood = new Map<SegmentFacts, number>();
  /** Of a line that is not quite silent. */
  readonly #lineNoise: readonly Uint8Array[];
  #noise = 0;
  /** How many frames ago the caller last made a sound. */
  #quietFrames = 0;
  /** The frames of the line's own sound: from the first on, until the second. */
  readonly #music: readonly [from: number, until: number];

  constructor(options: TelephoneOptions) {
    this.#options = options;
    const { world, plan, fate, send, close } = options;
    this.#fate = fate;
    const { stt } = options;
    const hasEcho = fate.has("echo") && options.hasWordTimes && !UNTIMED.some((fault) => fate.has(fault));
    if (hasEcho && stt !== undefined)
      this.#echo = new LineEcho({
        world,
        stt,
        delayMs: fate.random.between(...ECHO_MS),
        isQuiet: () => this.#quietFrames >= QUIET_FRAMES,
      });
    this.#formats = formatsOf(plan.line);
    this.#lineNoise = fate.random.chance(0.3) ? lineNoise(this.#formats.inbound) : [];
    const musicFrom = Math.floor(fate.random.between(0, MUSIC_WITHIN_MS) / FRAME_MS);
    this.#music = [musicFrom, musicFrom + Math.floor(fate.random.between(...MUSIC_MS) / FRAME_MS)];
    const script = drawScript(plan, fate.fork());
    for (const step of script) this.#remember(step);
    this.#caller = new Caller({
      script,
      formats: this.#formats,
      hangUpAfterMs: Number.POSITIVE_INFINITY,
      listen: () => {},
      hangUp: () => this.leave(),
      press: (key) => this.carrier.pressDigit(key),
      type: (text) => this.carrier.typeText(text),
      onEvent: (notice) => {
        const isCaller = notice.kind === "caller-began" || (notice.kind === "word" && notice.who === "caller");
        if (isCaller) fate.chronicle.note(plan.manner);
      },
    });
    this.carrier = simulatePeer(plan.line, {
      clock: world,
      opus,
      onServiceMessage: (message) => {
        if (message.type === "toolCall") this.#carryOut(message.id);
      },
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

  /** By which the far end calls its stream, where it has a name for it. */
  get streamId(): string | undefined {
    return this.carrier instanceof SimulatedCarrier ? this.carrier.streamId : undefined;
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

  /** One more frame of a segment plays: the caller understands the words that it completes. */
  heard(segment: SegmentFacts): void {
    this.#echoOf(segment);
    const words = segment.spoken?.words ?? [];
    let next = this.#understood.get(segment) ?? 0;
    for (let word = words[next]; word !== undefined; word = words[next]) {
      if (word.endMs > segment.playedFrames * FRAME_MS) break;
      const { text } = word;
      this.#fate.chronicle.tell("hears", () => text);
      this.#caller.onTranscript({ kind: "final", text });
      next += 1;
    }
    this.#understood.set(segment, next);
  }

  /** One more frame of a segment plays: words that begin with it come back. */
  #echoOf(segment: SegmentFacts): void {
    const words = segment.spoken?.words ?? [];
    let next = this.#begun.get(segment) ?? 0;
    for (let word = words[next]; word !== undefined; word = words[next]) {
      if (word.startMs >= segment.playedFrames * FRAME_MS) break;
      if (this.#echo !== undefined) {
        this.#fate.chronicle.note("echo");
        this.#echo.playing(word);
      }
      next += 1;
    }
    this.#begun.set(segment, next);
  }

  /** A tool that only the client has: in its own time, or never. */
  #carryOut(id: string): void {
    const { world } = this.#options;
    const { random } = this.#fate;
    if (this.#fate.occurs("tool-never-answers", 0.4)) return;
    const isSlow = this.#fate.occurs("tool-slow", 0.6);
    const outcome = this.#fate.occurs("tool-fails", 0.5) ? { error: "as drawn" } : { result: RESULT };
    world.after(isSlow ? random.between(1_000, 9_000) : random.between(0, 600), () => {
      if (this.carrier instanceof WebsocketClient) this.carrier.answerTool(id, outcome);
    });
  }

  #begin(utterance: Utterance): void {
    const { chronicle } = this.#fate;
    const { text, words, frames } = utterance;
    const lastWord = words.at(-1);
    chronicle.tell("says", () => text || "(a cough)");
    if (lastWord !== undefined && frames.length * FRAME_MS > lastWord.endMs + FRAME_MS)
      chronicle.note("speech-goes-on");
    this.#options.stt?.hear(utterance);
  }

  #remember(step: Step): void {
    if (step.do !== "say" && step.do !== "interrupt") return;
    const { utterance } = step;
    for (const [frame, bytes] of utterance.frames.entries()) this.#speech.set(bytes, { utterance, frame });
  }

  /** The line makes a sound of its own in this frame: music, or a stray one. */
  #isSounding(): boolean {
    const [from, until] = this.#music;
    if (this.#noise >= from && this.#noise < until && this.#fate.occurs("music")) return true;
    return this.#noise % STRAY_EVERY_FRAMES === 0 && this.#fate.occurs("stray-voice");
  }

  #microphone(): Uint8Array | undefined {
    const spoken = this.#caller.frame();
    const place = this.#speech.get(spoken);
    if (this.#fate.has("dead-microphone")) {
      this.#fate.chronicle.note("dead-microphone");
      return undefined;
    }
    if (place?.frame === 0) this.#begin(place.utterance);
    this.#quietFrames = place === undefined ? this.#quietFrames + 1 : 0;
    if (place !== undefined) return spoken;
    this.#noise += 1;
    if (this.#isSounding() || this.#echo?.isSounding() === true) return soundFrame(this.#noise, this.#formats.inbound);
    if (this.#fate.has("silence-suppressed")) {
      this.#fate.chronicle.note("silence-suppressed");
      return undefined;
    }
    return this.#lineNoise[this.#noise % this.#lineNoise.length] ?? spoken;
  }
}
