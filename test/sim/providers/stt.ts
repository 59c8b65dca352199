import { millisecondsOf } from "../../../src/core/clocks.ts";
import { providerFailed } from "../../../src/core/errors.ts";
import { CARRIER_RATE_HZ } from "../../../src/core/limits/streams/media.ts";
import type { Utterance } from "../../../src/simulator/callers/utterance.ts";
import type { Stt, SttEvent, SttStream } from "../../../src/speech/contracts.ts";
import { EventQueue } from "../../../src/speech/event-queue.ts";
import type { FaultPlan } from "../plan/fault-plan.ts";
import type { Fault } from "../plan/kinds.ts";
import { callerText } from "../plan/words.ts";
import type { Process } from "../process.ts";
import type { OpenStreams, ProviderOptions } from "./open-streams.ts";

type QueuedEvent = SttEvent | { kind: "fail" };

/** With these faults an STT does not emit every word once and in order. */
const DISHONEST: readonly Fault[] = ["duplicate-final", "final-out-of-order", "no-final"];
/** An echo is final when nothing followed it for so long. */
const ECHO_FINAL_MS = 500;
/** Within this time phantom speech comes, and an STT fails. */
const TROUBLED_MS = 25_000;

/** An STT that gets the caller's words and emits them after a delay, as its seed decides. */
export class SimulatedStt implements Stt {
  readonly provider = "simulated";
  readonly capabilities: {
    readonly ratesHz: readonly [number];
    readonly interimTranscripts: boolean;
    readonly anyLanguage: true;
  };
  readonly #process: Process;
  readonly #fate: FaultPlan;
  readonly #streams: OpenStreams;
  readonly #timers = new Set<() => void>();
  #deliver: (event: QueuedEvent) => void = () => {};
  #heardSamples = 0;
  #finals = 0;
  /** The agent's words that came back since the last final, and when their final is due; all that ever were emitted. */
  #echo: { words: string[]; cancel: () => void } | undefined;
  readonly #echoTexts = new Set<string>();
  /** What the caller says now, and since when, in the clock's ms; until its final transcript. */
  #saying: { words: Utterance["words"]; sinceMs: number } | undefined;
  /** When the last of the ordered transcripts will have been emitted, in the clock's ms. */
  #emittedMs = 0;
  /** A final transcript that waits for the next one. */
  #held: SttEvent | undefined;

  constructor({ process, fate, streams }: ProviderOptions) {
    this.#process = process;
    this.#fate = fate;
    this.#streams = streams;
    const rateHz = fate.random.chance(0.3) ? 16_000 : CARRIER_RATE_HZ;
    if (rateHz !== CARRIER_RATE_HZ) fate.chronicle.note("stt-other-rate");
    this.capabilities = { ratesHz: [rateHz], interimTranscripts: !fate.occurs("no-interims"), anyLanguage: true };
  }

  /** It tells every word that it hears, once and in its order. */
  get isHonest(): boolean {
    return !DISHONEST.some((trouble) => this.#fate.has(trouble));
  }

  /** How much it was given to hear, ms. */
  get heardMs(): number {
    return (this.#heardSamples * 1_000) / this.capabilities.ratesHz[0];
  }

  open(_options: { language: string; rateHz: number }, signal: AbortSignal): SttStream {
    const queue = new EventQueue<QueuedEvent>(signal);
    this.#deliver = (event) => queue.push(event);
    signal.addEventListener("abort", () => this.#stop(), { once: true });
    this.#scheduleTroubles();
    const write = (frame: Int16Array): void => {
      this.#heardSamples += frame.length;
    };
    const requestInterim = (): void => this.#answerRequest();
    return { write, events: this.#events(queue), ...(!this.capabilities.interimTranscripts && { requestInterim }) };
  }

  /** Emits the words that were said until now; sometimes an STT answers nothing. */
  #answerRequest(): void {
    if (this.#fate.occurs("silent-to-requests", 0.5)) return;
    const nowMs = millisecondsOf(this.#process.nowMs());
    const { words, sinceMs } = this.#saying ?? { words: [], sinceMs: nowMs };
    if (this.#echo !== undefined) {
      this.#emitEcho("interim", this.#echo.words);
      return;
    }
    const said = words.filter(({ endMs }) => sinceMs + endMs <= nowMs).map(({ text }) => text);
    const finals = this.#finals;
    this.#after(this.#fate.random.between(60, 1_500), () => {
      // An answer that is slower than the final of its utterance is dropped.
      if (this.#finals === finals) this.#deliver({ kind: "interim", text: said.join(" ") });
    });
  }

  /** A transcript of the agent's own words. */
  isEcho(text: string): boolean {
    return this.#echoTexts.has(text);
  }

  /** A word of the agent has come back. It is not understood while the caller speaks. */
  hearEcho(word: string): void {
    if (this.#saying !== undefined || millisecondsOf(this.#process.nowMs()) < this.#emittedMs) return;
    this.#echo?.cancel();
    const words = [...(this.#echo?.words ?? []), word];
    const cancel = this.#after(ECHO_FINAL_MS, () => this.#endEcho());
    this.#echo = { words, cancel };
    if (this.capabilities.interimTranscripts) this.#emitEcho("interim", words);
  }

  #endEcho(): void {
    if (this.#echo === undefined) return;
    const { words, cancel } = this.#echo;
    cancel();
    this.#echo = undefined;
    this.#emitEcho("final", words);
  }

  #emitEcho(kind: SttEvent["kind"], words: readonly string[]): void {
    const text = words.join(" ");
    this.#echoTexts.add(text);
    this.#deliver({ kind, text });
  }

  /** The caller begins to say this. */
  hear({ words, text }: Utterance): void {
    const last = words.at(-1);
    if (last === undefined) return;
    this.#endEcho();
    const { random } = this.#fate;
    this.#saying = { words, sinceMs: millisecondsOf(this.#process.nowMs()) };
    const lagMs = random.between(60, 350);
    if (this.capabilities.interimTranscripts) {
      for (const [index, word] of words.entries()) {
        const said = words.slice(0, index + 1).map((other) => other.text);
        this.#emitInOrder(word.endMs + lagMs, { kind: "interim", text: said.join(" ") });
      }
    }
    if (this.#fate.occurs("no-final", 0.7)) return;
    const final: SttEvent = { kind: "final", text };
    if (this.#held === undefined && this.#fate.occurs("final-out-of-order", 0.7)) {
      this.#held = final;
      return;
    }
    const lateMs = this.#fate.occurs("late-final", 0.6) ? random.between(2_000, 6_000) : random.between(10, 250);
    const emittedMs = this.#emitInOrder(last.endMs + lagMs + lateMs, final);
    if (this.#held !== undefined) this.#emit(emittedMs + random.between(1, 300), this.#held);
    this.#held = undefined;
    if (this.#fate.occurs("duplicate-final", 0.7)) this.#emit(emittedMs + random.between(1, 2_500), final);
  }

  #scheduleTroubles(): void {
    const { random, chronicle } = this.#fate;
    if (this.#fate.has("words-without-speech")) {
      for (let ghosts = random.whole(1, 4); ghosts > 0; ghosts -= 1) {
        const ghost: SttEvent = { kind: "final", text: callerText(random) };
        this.#after(random.between(200, TROUBLED_MS), () => {
          chronicle.note("words-without-speech");
          // An utterance of its own: a final in the middle of another one would take its words back.
          this.#emitInOrder(0, ghost);
        });
      }
    }
    if (!this.#fate.has("stt-fails")) return;
    this.#after(random.between(0, TROUBLED_MS), () => {
      chronicle.note("stt-fails");
      this.#deliver({ kind: "fail" });
    });
  }

  /** A late transcript delays the next one. Returns the delay, ms. */
  #emitInOrder(afterMs: number, event: SttEvent): number {
    const nowMs = millisecondsOf(this.#process.nowMs());
    this.#emittedMs = Math.max(this.#emittedMs, nowMs + afterMs);
    this.#emit(this.#emittedMs - nowMs, event);
    return this.#emittedMs - nowMs;
  }

  #emit(afterMs: number, event: SttEvent): void {
    this.#after(afterMs, () => {
      if (event.kind === "final") {
        this.#finals += 1;
        this.#saying = undefined;
      }
      this.#deliver(event);
    });
  }

  #after(delayMs: number, task: () => void): () => void {
    const cancel = this.#process.after(delayMs, () => {
      this.#timers.delete(cancel);
      task();
    });
    this.#timers.add(cancel);
    return () => {
      this.#timers.delete(cancel);
      cancel();
    };
  }

  async *#events(queue: AsyncIterable<QueuedEvent>): AsyncGenerator<SttEvent> {
    const ended = this.#streams.begin("stt");
    try {
      for await (const event of queue) {
        if (event.kind === "fail") throw providerFailed(this.provider, "failed as drawn");
        yield event;
      }
    } finally {
      ended();
    }
  }

  #stop(): void {
    this.#deliver = () => {};
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
