import { writeFileSync } from "node:fs";
import { asCallId } from "../../src/core/ids.ts";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { journalPath } from "../../src/record/journal/reader.ts";
import { frameSamples } from "../../src/simulator/audio/format.ts";
import { formatsOf } from "../../src/simulator/lines.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { Random } from "../support/random.ts";
import { SimulatedConnection } from "./network/connection.ts";
import { scheduleFaults } from "./network/faults.ts";
import { MemoryDisk } from "./network/memory-disk.ts";
import { MessageKinds } from "./network/message-kinds.ts";
import { Telephone } from "./network/telephone.ts";
import { Chronicle } from "./observer/chronicle.ts";
import { Facts } from "./observer/facts.ts";
import { Observer } from "./observer/observer.ts";
import { FaultPlan } from "./plan/fault-plan.ts";
import { HangUp } from "./plan/hang-up.ts";
import { drawPlan, type Plan } from "./plan/plan.ts";
import { Process } from "./process.ts";
import { SimulatedLlm } from "./providers/llm.ts";
import { OpenStreams } from "./providers/open-streams.ts";
import { SimulatedRetriever } from "./providers/retriever.ts";
import { SimulatedStt } from "./providers/stt.ts";
import { SimulatedTools } from "./providers/tools.ts";
import { SimulatedTts } from "./providers/tts.ts";
import { Answers } from "./rules/answers.ts";
import { ClientTranscript } from "./rules/client-transcript.ts";
import { Context } from "./rules/context.ts";
import { Ending } from "./rules/ending.ts";
import { Endpointing } from "./rules/endpointing.ts";
import { Flow } from "./rules/flow.ts";
import { Interruption } from "./rules/interruption.ts";
import { checkJournal } from "./rules/journal.ts";
import { Output } from "./rules/output.ts";
import { Passages } from "./rules/passages.ts";
import { Queues } from "./rules/queues.ts";
import { Silence } from "./rules/silence.ts";
import { Transcript } from "./rules/transcript.ts";
import { createTextWire, Service, type Shared } from "./service.ts";

/** One call, played to its end. */
export interface SimulatedCall {
  plan: Plan;
  chronicle: Chronicle;
  /** How long it lasted, ms of its own time. */
  durationMs: number;
}

/** After the end there is time for the slowest disk and the slowest network. */
const AFTERMATH_MS = 8_000;
/** A call that has not ended so long after its cap never will. */
const OVERTIME_MS = 5_000;
/** Time moves in steps of this, so that the end is seen. */
const STEP_MS = 100;

/** Plays the call of a seed; with `readable` its chronicle has the whole story. The same seed gives the same call. */
export async function simulate(seed: number, shared: Shared, readable = false): Promise<SimulatedCall> {
  const plan = drawPlan(seed);
  const world = new World(plan, shared, readable);
  const durationMs = await world.play();
  return { plan, chronicle: world.chronicle, durationMs };
}

/** Everything around one call, and the call in it. */
class World {
  readonly chronicle: Chronicle;
  readonly #plan: Plan;
  readonly #shared: Shared;
  readonly #clock = new ManualClock();
  readonly #facts: Facts;
  readonly #watch: Observer;
  readonly #telephone: Telephone;
  readonly #service: Service;
  readonly #line: SimulatedConnection;
  readonly #disk: MemoryDisk;

  constructor(plan: Plan, shared: Shared, readable: boolean) {
    this.#plan = plan;
    this.#shared = shared;
    const { spec, random, line: wire } = plan;
    const { outbound } = formatsOf(wire);
    const clock = this.#clock;
    // The beats of the carrier and of the service do not fall together.
    clock.advance(random.between(0, 1_000));
    const process = new Process(clock, random.chance(0.5));
    const facts = new Facts(spec, process);
    const chronicle = new Chronicle(readable, () => facts.nowMs);
    this.#facts = facts;
    this.chronicle = chronicle;

    const fate = new FaultPlan(random.fork(), plan.troubles, chronicle);
    const streams = new OpenStreams();
    const stt = fate.occurs("no-stt") ? undefined : new SimulatedStt({ process, fate: fate.fork(), streams });
    const llm = new SimulatedLlm({ process, fate: fate.fork(), streams });
    const onSpeak = (segment: SimulatedTts["spoken"][number]): void => {
      if (facts.speaking(segment)) return;
      chronicle.violated(
        "one speaker at a time, each frame in its order",
        "the TTS is asked for a segment out of turn",
      );
    };
    const tts = new SimulatedTts({ process, fate: fate.fork(), streams, legRateHz: outbound.rateHz, onSpeak });
    const httpTools = new SimulatedTools({ process, fate: fate.fork(), streams });
    // Its chance is from a source of its own, so that it changes nothing in calls without corpora.
    const retrieverFate = new FaultPlan(new Random(plan.seed), plan.troubles, chronicle);
    const retriever = new SimulatedRetriever({ process, fate: retrieverFate, streams });

    const ending = new Ending(facts, chronicle);
    const line: SimulatedConnection = new SimulatedConnection({
      world: clock,
      process,
      fate: fate.fork(),
      kinds: new MessageKinds(createTextWire(plan)),
      streamId: () => telephone.streamId,
      toCarrier: (message) => telephone.carrier.receive(message),
      carrierClosed: () => telephone.carrier.closed(),
      onSent: (kind, taken) => this.#watch.sent(kind, taken),
      onEnded: () => ending.socketEnded(),
      onInput: (handle) => {
        this.#service.catchUp();
        this.#guarded(handle);
      },
      onFatal: (reason, handle) => ending.mustEnd(reason, handle),
    });
    const telephone: Telephone = new Telephone({
      world: clock,
      plan,
      fate: fate.fork(),
      stt,
      hasWordTimes: tts.capabilities.wordTimestamps,
      send: (message) => line.fromCarrier(message),
      close: () => line.hangUp(),
      vanish: (unknownForMs) => line.vanish(unknownForMs),
      onPlayed: (frame) => this.#watch.played(frame),
    });
    this.#telephone = telephone;
    this.#line = line;
    const go = (afterMs: number): void => {
      clock.after(afterMs, () => {
        if (this.#isLive) telephone.leave();
      });
    };

    const isEcho = (text: string): boolean => stt?.isEcho(text) === true;
    const sttHasInterim = stt?.capabilities.interimTranscripts ?? false;
    this.#watch = new Observer(facts, chronicle, isEcho, [
      new Output({ facts, chronicle, stt, tts, format: outbound, onPlayed: (segment) => telephone.heard(segment) }),
      ending,
      new Flow(facts, chronicle, tts),
      new Silence(facts, chronicle, sttHasInterim),
      new Answers(facts, chronicle, stt),
      new Interruption(facts, chronicle, { isEcho, sttHasInterim }),
      new Context(facts, chronicle),
      new Passages(facts, chronicle),
      new Endpointing(facts, chronicle, stt, plan.turnWaitMsMax),
      new Queues({ facts, chronicle, streams, pendingBytes: () => this.#service.journal.pendingBytes }),
      new Transcript({
        facts,
        chronicle,
        in: line.in,
        out: line.out,
        ttsHasWordTimes: tts.capabilities.wordTimestamps,
        frameSamples: frameSamples(outbound),
      }),
      new ClientTranscript(facts, chronicle),
      new HangUp({ leave: plan.leave, random: random.fork(), facts, go }),
    ]);
    this.#disk = new MemoryDisk(process, fate.fork());
    this.#service = new Service({
      shared,
      plan,
      process,
      disk: this.#disk,
      streams,
      providers: { stt, llm, tts, httpTools, retriever },
      transport: line,
      tap: (journal) => this.#watch.tap(journal),
      guarded: (step) => this.#guarded(step),
    });
    const { carrier } = telephone;
    chronicle.note(wire.wire);
    scheduleFaults({ world: clock, process, fate: fate.fork(), wire, line, carrier, isLive: () => this.#isLive });
    // Where the stream begins with its socket, both ends begin at once.
    if (telephone.streamId === undefined) carrier.start();
    line.open(this.#service.connection);
    if (telephone.streamId !== undefined) {
      clock.after(fate.occurs("late-start") ? random.between(500, 4_800) : random.between(0, 200), () => {
        if (this.#isLive) carrier.start();
      });
    }
  }

  /** Plays the call and looks at what is left of it; returns how long it lasted, ms. */
  async play(): Promise<number> {
    const onRejection = (error: unknown): void => this.#thrown(error);
    process.on("unhandledRejection", onRejection);
    try {
      return await this.#play();
    } finally {
      process.off("unhandledRejection", onRejection);
    }
  }

  async #play(): Promise<number> {
    this.#inspect();
    const limitMs = this.#plan.spec.maxDurationMs + OVERTIME_MS;
    while (this.#isLive && this.#facts.nowMs < limitMs) await this.#clock.play(STEP_MS);
    const durationMs = this.#facts.end?.atMs ?? this.#facts.nowMs;
    await this.#clock.play(AFTERMATH_MS);
    await this.#checkRemains();
    return durationMs;
  }

  get #isLive(): boolean {
    return this.#facts.end === undefined;
  }

  #inspect(): void {
    this.#watch.inspect();
    if (this.#isLive) this.#clock.after(FRAME_MS, () => this.#inspect());
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#thrown(error);
    }
  }

  #thrown(error: unknown): void {
    this.chronicle.violated("nothing is thrown, and no bug is logged", String(error));
  }

  async #checkRemains(): Promise<void> {
    const { chronicle } = this;
    const { manner, leave } = this.#plan;
    // What a call is without can only be said when it is over.
    if (manner === "silent") chronicle.note(manner);
    if (leave === "never-hangs-up") chronicle.note(leave);
    this.#watch.over();
    for (const line of this.#service.bugs) chronicle.violated("nothing is thrown, and no bug is logged", line);
    const { remains } = this.#service;
    if (remains.length > 0) chronicle.violated("everything stops with the call", remains.join(", "));
    // When a connection broke, it is unknown what the other end has received.
    const violations = this.#line.isClean ? [...this.#telephone.carrier.violations.keys()] : [];
    if (violations.length > 0) chronicle.violated("the carrier has nothing to complain of", violations.join(", "));
    if (this.#isLive) return;
    // One file for all calls, so that many seeds need no more room than one.
    const path = journalPath(this.#shared.dataDir, asCallId("call"));
    const { bytes } = this.#disk;
    writeFileSync(path, bytes);
    await checkJournal(this.#facts, chronicle, {
      path,
      bytes,
      framesLeftOut: this.#service.journal.framesWithoutAudio,
    });
  }
}
