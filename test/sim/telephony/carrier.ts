import type { CarrierAnswer, CarrierNotice, FoundCall } from "../../../src/carriers/telephony.ts";
import type { PhoneCallOutcome } from "../../../src/core/calls/phone.ts";
import type { World } from "./world.ts";

export const CALL_ID = "call_1";

/** The answer to a webhook that awaits an instruction. */
export type Document =
  | { kind: "stream"; token: string; connect: number }
  | { kind: "transfer"; transfer: number }
  | { kind: "refuse" }
  | { kind: "hang_up" }
  | { kind: "none" };

/** What the carrier knows of the service. */
export interface ServiceEnd {
  /** Delivers a webhook; undefined where the service does not answer. */
  webhook(notice: CarrierNotice, transfer: number | undefined, answer: (document: Document | undefined) => void): void;
  /** Asks what follows the stream of this connection, as a webhook. */
  streamOver(connect: number, answer: (document: Document | undefined) => void): void;
  /** A stream connects; false where its token is refused. `lost` is called when the carrier ends it. */
  attach(token: string): boolean;
  /** For the oracle: the token of the stream is lost. */
  streamFailed(): void;
  detach(): void;
}

/** What the caller's line has at present. */
type Line = "waiting" | "document" | "stream" | "target" | "bridged" | "refusal" | "silence";

/** How long a carrier waits for the answer to a webhook that awaits an instruction. */
const DOCUMENT_MS_MAX = 15_000;
/** How long the service may take to end the stream of an accepted transfer: its answer may be late, and the worker be asked again. */
const RING_LATER_MS_MAX = 30_000;
/** A caller in silence for longer is lost. */
const SILENCE_MS_MAX = 170_000;

/** One telephone call, as the carrier has it. */
export class CarrierCall {
  readonly id: string;
  readonly #carrier: Carrier;
  isAnswered = false;
  isOver = false;
  line: Line = "waiting";
  /** A transfer that waits for the end of the stream. */
  afterStream: (() => void) | undefined;
  /** The caller was asked to hang up by the service. */
  isHungUp = false;
  /** The connection of its latest stream. */
  connect = 0;
  #lineSince = 0;
  readonly listedAtS: number;
  overS = Number.POSITIVE_INFINITY;

  constructor(carrier: Carrier, id: string) {
    this.#carrier = carrier;
    this.id = id;
    this.listedAtS = carrier.world.seconds + carrier.world.between(0, 20);
  }

  /** The stream has ended; whether a transfer has waited for that. */
  ringsTarget(): boolean {
    const ring = this.#carrier.world.dropsTransfers ? undefined : this.afterStream;
    this.afterStream = undefined;
    ring?.();
    return ring !== undefined;
  }

  setLine(line: Line): void {
    const { world } = this.#carrier;
    if (this.isOver) return;
    const before = this.line;
    this.line = line;
    this.#lineSince += 1;
    if (before === "stream" && line !== "stream") this.#carrier.service.detach();
    world.note(`carrier: the line of ${this.id} has ${line}`);
    if (line !== "silence") return;
    const since = this.#lineSince;
    world.after(SILENCE_MS_MAX, () => {
      if (this.isOver || this.#lineSince !== since || !this.#carrier.isKnown()) return;
      world.violated("no caller is lost", `${this.id} hears nothing`);
      this.end("completed");
    });
  }

  end(outcome: PhoneCallOutcome): void {
    if (this.isOver) return;
    const wasStream = this.line === "stream";
    this.isOver = true;
    this.overS = this.#carrier.world.seconds;
    const { world, service } = this.#carrier;
    world.note(`carrier: ${this.id} is over: ${outcome}`);
    if (wasStream) service.detach();
    this.#carrier.notify({ kind: "ended", carrierCallId: this.id, outcome, code: "487" });
  }
}

/** The carrier: it answers late, twice, wrongly, or not at all. */
export class Carrier {
  readonly world: World;
  readonly service: ServiceEnd;
  readonly calls: CarrierCall[] = [];
  /** Calls that the service has ordered. */
  placed = 0;
  readonly #commandIds = new Set<number>();
  /** The service has heard of the call, from an answer, a list or a webhook. */
  isKnown: () => boolean = () => true;

  constructor(world: World, service: ServiceEnd) {
    this.world = world;
    this.service = service;
  }

  /** One request over the network; `work` is what the carrier does. */
  request<T>(work: () => CarrierAnswer<T>, answer: (answer: CarrierAnswer<T>) => void): void {
    const { world } = this;
    const { faults } = world;
    const uncertain: CarrierAnswer<T> = { kind: "uncertain", status: 0 };
    world.after(world.between(20, 800), () => {
      if (world.chance(faults.requestLost)) {
        world.after(10_000, () => answer(uncertain));
        return;
      }
      if (world.chance(faults.busy)) {
        world.after(world.between(20, 400), () => answer({ kind: "busy", afterMs: world.pick([500, 3_000, 20_000]) }));
        return;
      }
      const done = work();
      if (world.chance(faults.answer500)) {
        world.after(world.between(20, 400), () => answer({ kind: "uncertain", status: 500 }));
      } else if (world.chance(faults.answerLost)) {
        world.after(10_000, () => answer(world.chance(0.3) ? done : uncertain));
      } else world.after(world.between(20, world.chance(0.1) ? 9_000 : 400), () => answer(done));
    });
  }

  /** A webhook that awaits no instruction. */
  notify(notice: CarrierNotice, transfer?: number): void {
    const { world } = this;
    const deliver = (tries: number): void => {
      world.after(world.between(5, world.chance(0.2) ? 6_000 : 500), () => {
        if (world.chance(world.faults.webhookLost)) {
          world.note(`carrier: webhook ${notice.kind} is lost`);
          if (tries > 0) world.after(world.between(2_000, 10_000), () => deliver(tries - 1));
          return;
        }
        this.service.webhook(notice, transfer, (document) => {
          if (document === undefined && tries > 0) world.after(world.between(2_000, 10_000), () => deliver(tries - 1));
        });
      });
    };
    const tries = world.chance(0.5) ? 0 : 2;
    deliver(tries);
    if (world.chance(world.faults.webhookTwice)) deliver(0);
  }

  /** A webhook that awaits an instruction. */
  ask(call: CarrierCall, notice: CarrierNotice, transfer?: number): void {
    this.#ask(call, (answer) => this.service.webhook(notice, transfer, answer));
  }

  /** The stream of a carrier with documents is over, or could not be connected. */
  askWhatFollows(call: CarrierCall): void {
    const { connect } = call;
    this.#ask(call, (answer) => this.service.streamOver(connect, answer));
  }

  /** Asked twice, then the carrier gives up. */
  #ask(call: CarrierCall, deliver: (answer: (document: Document | undefined) => void) => void): void {
    const { world } = this;
    call.setLine("document");
    let isDone = false;
    const obey = (document: Document | undefined): void => {
      if (isDone || call.isOver || document === undefined) return;
      isDone = true;
      if (call.line === "document") this.obey(call, document);
    };
    const send = (): void => {
      if (isDone || call.isOver) return;
      world.after(world.between(5, 500), () => {
        if (world.chance(world.faults.webhookLost)) return;
        deliver((document) => {
          if (!world.chance(world.faults.answerLost)) world.after(world.between(5, 300), () => obey(document));
        });
      });
    };
    send();
    if (world.chance(world.faults.webhookTwice)) world.after(world.between(0, 3_000), send);
    world.after(DOCUMENT_MS_MAX / 2, send);
    world.after(DOCUMENT_MS_MAX, () => {
      if (isDone || call.line !== "document") return;
      isDone = true;
      // The carrier itself says that an error has happened.
      call.end(call.isAnswered ? "completed" : "failed");
    });
  }

  obey(call: CarrierCall, document: Document): void {
    switch (document.kind) {
      case "stream":
        call.isAnswered = true;
        this.stream(call, document);
        return;
      case "transfer":
        this.#ringTarget(call, document.transfer, false);
        return;
      case "refuse":
        call.setLine("refusal");
        this.world.after(4_000, () => call.end(call.isAnswered ? "completed" : "declined"));
        return;
      case "hang_up":
      case "none":
        call.end(call.isAnswered ? "completed" : "canceled");
    }
  }

  /** Connects a stream after a while; a carrier whose stream cannot be connected asks what follows, or leaves the call in silence. */
  stream(call: CarrierCall, { token, connect }: Extract<Document, { kind: "stream" }>): void {
    const { world } = this;
    call.connect = connect;
    if (call.line !== "document") call.setLine("silence");
    world.after(world.between(50, 1_500), () => {
      // Another document may have taken its place.
      if (call.isOver || call.connect !== connect) return;
      if (!world.chance(world.faults.streamFails) && this.service.attach(token)) {
        call.setLine("stream");
        return;
      }
      this.service.streamFailed();
      if (world.takesDocuments) this.askWhatFollows(call);
      else {
        this.notify({ kind: "stream", carrierCallId: call.id, state: "failed", connect });
        call.setLine("silence");
      }
    });
  }

  find(carrierCallId: string): CarrierCall | undefined {
    return this.calls.find(({ id, isOver }) => id === carrierCallId && !isOver);
  }

  list(): FoundCall[] {
    const listed = this.calls.filter((call) => call.listedAtS <= this.world.seconds);
    return listed.map(({ id, isOver }) => ({
      carrierCallId: id,
      isLive: !isOver,
      ...(this.world.listsCallIds && { callId: CALL_ID }),
    }));
  }

  /** A request to dial has arrived. */
  dial(ringMsMax: number): CarrierAnswer<{ carrierCallId: string }> {
    const { world } = this;
    if (world.chance(0.05)) return { kind: "refused", status: 400, code: "21211", outcome: "invalid_number" };
    this.placed += 1;
    if (this.placed > 1) world.violated("a call is placed at most once", `${this.placed} calls`);
    const call = new CarrierCall(this, `carrier-call-${this.placed}`);
    this.calls.push(call);
    world.note(`carrier: places ${call.id}`);
    this.notify({ kind: "initiated", carrierCallId: call.id });
    this.notify({ kind: "ringing", carrierCallId: call.id });
    const outcome = world.pick([
      "answers",
      "answers",
      "answers",
      "answers",
      "answers",
      "busy",
      "no_answer",
      "declined",
    ]);
    const ringMs = outcome === "no_answer" ? ringMsMax : world.between(500, ringMsMax);
    world.after(ringMs, () => {
      if (call.isOver) return;
      if (outcome !== "answers") {
        call.end(outcome as PhoneCallOutcome);
        return;
      }
      this.answer(call);
    });
    return { kind: "done", value: { carrierCallId: call.id } };
  }

  answer(call: CarrierCall): void {
    const { world } = this;
    call.isAnswered = true;
    world.note(`carrier: ${call.id} is answered`);
    const notice = { kind: "answered", carrierCallId: call.id, awaitsInstruction: world.takesDocuments } as const;
    if (world.takesDocuments) this.ask(call, notice);
    else {
      call.setLine("silence");
      this.notify(notice);
    }
    this.#maybeHangUp(call);
  }

  /** A call comes in. */
  comesIn(): void {
    const { world } = this;
    const call = new CarrierCall(this, "carrier-call-in");
    this.calls.push(call);
    const notice = { kind: "incoming", carrierCallId: call.id, from: "+1", to: "+2", headers: {} } as const;
    if (world.takesDocuments) this.ask(call, notice);
    else {
      this.notify(notice);
      world.after(60_000, () => {
        if (!call.isAnswered) call.end("no_answer");
      });
    }
    this.#maybeHangUp(call);
  }

  /** The person at the line hangs up at some time, whatever happens there. */
  #maybeHangUp(call: CarrierCall): void {
    const { world } = this;
    const afterMs = world.chance(0.2) ? world.between(0, 20_000) : world.between(300_000, 900_000);
    world.after(afterMs, () => call.end(call.isAnswered ? "completed" : "canceled"));
  }

  hangUp(carrierCallId: string): CarrierAnswer<undefined> {
    const call = this.find(carrierCallId);
    if (call === undefined) return { kind: "gone" };
    if (call.line === "bridged" && !call.isHungUp) this.onBridgedCut();
    call.end(call.isAnswered ? "completed" : "canceled");
    return { kind: "done", value: undefined };
  }

  /** The service hangs up on a caller who speaks with the target of a transfer. */
  onBridgedCut: () => void = () => {};

  /** Carriers without documents carry out a command once. */
  connect(carrierCallId: string, document: Document, commandId?: number): CarrierAnswer<undefined> {
    const call = this.find(carrierCallId);
    if (call === undefined) return { kind: "gone" };
    if (commandId !== undefined && !this.world.takesDocuments && this.#commandIds.has(commandId)) {
      return { kind: "done", value: undefined };
    }
    this.#commandIds.add(commandId ?? 0);
    // The document of a webhook that has no answer yet is obeyed no more.
    if (call.line === "document") call.setLine("silence");
    this.obey(call, document);
    return { kind: "done", value: undefined };
  }

  /** The carrier is to ring the target of a transfer. */
  transfer(carrierCallId: string, transfer: number): CarrierAnswer<undefined> {
    const { world } = this;
    const call = this.find(carrierCallId);
    if (call === undefined) return { kind: "gone" };
    if (world.chance(0.1)) return { kind: "refused", status: 400, code: "1" };
    const ring = (): void => this.#ringTarget(call, transfer, !world.takesDocuments && world.chance(0.4));
    if (world.waitsForStreamEnd && call.line === "stream") this.#ringLater(call, ring);
    else ring();
    return { kind: "done", value: undefined };
  }

  /** The service has to end the stream, if it learns that the carrier has accepted the transfer. */
  #ringLater(call: CarrierCall, ring: () => void): void {
    const { world } = this;
    const { crash, answerLost, answer500 } = world.faults;
    const isLearnt = crash + answerLost + answer500 === 0;
    call.afterStream = ring;
    world.after(RING_LATER_MS_MAX, () => {
      if (!isLearnt || call.isOver || call.line !== "stream" || call.afterStream !== ring) return;
      world.violated("a transfer that was accepted begins", `${call.id} has its stream`);
    });
  }

  #ringTarget(call: CarrierCall, transfer: number, keepsStream: boolean): void {
    const { world } = this;
    if (!keepsStream) call.setLine("target");
    const outcome = world.pick<"answered" | "busy" | "no_answer" | "failed">([
      "answered",
      "busy",
      "no_answer",
      "failed",
    ]);
    world.after(outcome === "no_answer" ? 30_000 : world.between(300, 28_000), () => {
      if (call.isOver || (call.line !== "target" && !keepsStream)) return;
      if (outcome === "answered") this.#bridge(call, transfer);
      else this.#transferFailed(call, transfer, outcome, keepsStream);
    });
  }

  #bridge(call: CarrierCall, transfer: number): void {
    const { world } = this;
    call.setLine("bridged");
    this.notify({ kind: "transfer", carrierCallId: call.id, outcome: "answered" }, transfer);
    world.after(world.between(2_000, 120_000), () => {
      if (call.isOver || call.line !== "bridged") return;
      const notice = { kind: "transfer", carrierCallId: call.id, outcome: "completed" } as const;
      if (world.takesDocuments) this.ask(call, notice, transfer);
      else {
        this.notify(notice, transfer);
        call.end("completed");
      }
    });
  }

  #transferFailed(call: CarrierCall, transfer: number, outcome: "busy" | "no_answer" | "failed", keeps: boolean): void {
    const { world } = this;
    const notice = { kind: "transfer", carrierCallId: call.id, outcome } as const;
    if (world.takesDocuments) {
      this.ask(call, notice, transfer);
      // A late copy, long after the answer.
      if (world.chance(world.faults.webhookTwice))
        world.after(world.between(5_000, 60_000), () => this.notify(notice, transfer));
      return;
    }
    if (!keeps) call.setLine("silence");
    this.notify(notice, transfer);
  }
}
