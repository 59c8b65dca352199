import type { PhoneUpdate } from "../../../src/core/calls/phone-requests.ts";
import type { EndReason } from "../../../src/core/calls/reasons.ts";
import type { PhoneCallEvent } from "../../../src/telephony/machine/events.ts";
import type { World } from "./world.ts";

interface Control {
  handle(event: PhoneCallEvent): void;
  recordEnds(reason: EndReason): void;
  callerGivenUp(): void;
}

/** How long an agent may be silent for a transfer that begins only with the end of its stream. */
const AGENT_SILENCE_MS_MAX = 40_000;

/** The worker that carries the call; it never dies here, and what it reports may be lost with the control process. */
export class Worker {
  readonly #world: World;
  readonly #control: Control;
  hasBegun = false;
  isAttached = false;
  /** To the control process; it makes addresses, obeys and reports by this connection alone. */
  isConnected = true;
  #isOver = false;
  /** Until when a lost stream leaves the call as it is, s; undefined where it ends it. */
  #detachedUntilS: number | undefined;
  #reason: EndReason | undefined;

  constructor(world: World, control: Control) {
    this.#world = world;
    this.#control = control;
  }

  attach(): void {
    this.#world.note("worker: a stream is connected");
    const isFirst = !this.hasBegun;
    this.hasBegun = true;
    this.isAttached = true;
    if (isFirst) this.#live();
    else this.#detachedUntilS = undefined;
    this.#report({ kind: "media-attached" });
  }

  /** The agent transfers the caller, sends digits, or reaches the end of its time. */
  #live(): void {
    const world = this.#world;
    const transfers = world.chance(0.7) ? world.pick([1, 1, 2]) : 0;
    for (let n = 0; n < transfers; n += 1) {
      world.after(world.between(1_000, 60_000), () => {
        if (this.isAttached) this.#control.handle({ kind: "transfer-requested", target: "+4930123456" });
      });
    }
    if (world.chance(0.3)) world.after(world.between(500, 60_000), () => this.end("max_duration"));
  }

  detach(): void {
    if (!this.isAttached) return;
    const world = this.#world;
    this.isAttached = false;
    world.note("worker: the stream is gone");
    if (this.#detachedUntilS === undefined) {
      this.end("caller_hangup");
      return;
    }
    this.#report({ kind: "media-lost" });
    const untilS = this.#detachedUntilS;
    world.after(1_000 * (untilS - world.seconds), () => {
      if (this.isAttached || this.#isOver || this.#detachedUntilS !== untilS) return;
      this.#control.callerGivenUp();
      this.end("connection_lost");
    });
  }

  /** The control process says something; returns whether the worker has the call. */
  hear(update: PhoneUpdate): boolean {
    if (!this.isConnected || !this.hasBegun || this.#isOver) return false;
    if (update.kind === "transferring") this.#transferring(update.returnMsMax);
    else if (update.kind === "transfer-failed" && this.isAttached) this.#detachedUntilS = undefined;
    else if (update.kind === "end-leg" && this.isAttached && this.#detachedUntilS !== undefined) this.onStreamEnd();
    else if (update.kind === "end") this.end(update.reason);
    return true;
  }

  #transferring(returnMsMax: number): void {
    const world = this.#world;
    const untilS = world.seconds + returnMsMax / 1_000;
    this.#detachedUntilS = untilS;
    const { crash, informLost } = world.faults;
    if (!world.waitsForStreamEnd || crash + informLost > 0) return;
    world.after(AGENT_SILENCE_MS_MAX, () => {
      if (this.#isOver || !this.isAttached || this.#detachedUntilS !== untilS) return;
      world.violated("an agent is not silent while nothing rings", `for ${AGENT_SILENCE_MS_MAX / 1_000} s`);
    });
  }

  end(reason: EndReason): void {
    if (this.#isOver || !this.hasBegun) return;
    this.#world.note(`worker: the call ends: ${reason}`);
    this.#isOver = true;
    this.#reason = reason;
    this.#control.recordEnds(reason);
    this.isAttached = false;
    this.onEnd();
    this.#report({ kind: "record-ended", reason });
  }

  /** Its socket closes: at the end of the call, or while that goes on. */
  onEnd: () => void = () => {};
  onStreamEnd: () => void = () => {};

  /** After a start of the control process. */
  connect(): void {
    this.isConnected = true;
    if (!this.hasBegun) return;
    if (this.#reason !== undefined) {
      if (this.#world.chance(0.7)) this.#report({ kind: "record-ended", reason: this.#reason });
    } else this.#report(this.isAttached ? { kind: "media-attached" } : { kind: "media-lost" });
  }

  #report(event: PhoneCallEvent): void {
    this.#world.after(this.#world.between(1, 300), () => {
      if (!this.isConnected) return;
      // Another report, after a start, says what is true then.
      if (event.kind === "media-lost" && (this.isAttached || this.#isOver)) return;
      if (event.kind === "media-attached" && !this.isAttached) return;
      this.#control.handle(event);
    });
  }
}
