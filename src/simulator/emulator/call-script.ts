import type { Clock } from "../../core/clock.ts";
import type { EndCause, Leg, TelephoneNetwork } from "./network.ts";
import type { WebhookKind } from "./scenario.ts";

// TwiML and Plivo XML are lists of verbs. Each carrier reads its own document into these; what they do to a call is the same.

export type ScriptStep =
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "stream"; readonly stream: ScriptedStream }
  | { readonly do: "dial"; readonly dial: ScriptedDial }
  | { readonly do: "redirect"; readonly url: string; readonly method: "GET" | "POST" }
  | { readonly do: "send-digits"; readonly digits: string }
  | { readonly do: "hang-up" }
  | { readonly do: "reject"; readonly cause: "busy" | "declined" };

export interface ScriptedStream {
  readonly url: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly statusUrl?: string;
  /** The steps that follow are carried out when the stream has ended; otherwise at once. */
  readonly holdsCall: boolean;
}

export interface ScriptedDial {
  readonly to: string;
  readonly from: string;
  readonly ringMsMax: number;
  /** Asked for the next document when the dialled leg has ended. */
  readonly action?: Address;
  /** Gets the states of the dialled leg. */
  readonly states?: { readonly url: string; readonly events: readonly string[] };
}

/** An address of the customer, and how the carrier asks it. */
export interface Address {
  readonly url: string;
  readonly method: "GET" | "POST";
}

/** An address in a request, where the method may be missing. */
export const addressOf = (url: string, method: string | undefined): Address => ({
  url,
  method: method?.toUpperCase() === "GET" ? "GET" : "POST",
});

/** What became of a `dial`. */
export interface DialResult {
  readonly leg: Leg;
  readonly cause: EndCause;
}

/** What a request for a document is about. */
export function kindOf({ direction }: Leg, after: DialResult | "redirect" | undefined): WebhookKind {
  if (after === "redirect") return after;
  if (after !== undefined) return "transfer";
  return direction === "inbound" ? "incoming" : "answered";
}

/** What a script needs of its carrier. */
export interface ScriptParts {
  readonly clock: Clock;
  readonly network: TelephoneNetwork;
  /** Opens a stream; resolves when it has ended. */
  stream(leg: Leg, stream: ScriptedStream): Promise<void>;
  stopStream(leg: Leg): void;
  /** Fetches a document and reads it. Where the customer has none, what the carrier does then. */
  fetch(leg: Leg, address: Address, after?: DialResult | "redirect"): Promise<readonly ScriptStep[]>;
  /** A leg was dialled for another one. */
  dialled(leg: Leg, dial: ScriptedDial): void;
}

/** Speech takes this long per character. */
const MS_PER_CHARACTER = 60;

/** Carries out the document of one leg, and those that follow it. */
export class CallScript {
  readonly #parts: ScriptParts;
  readonly #leg: Leg;
  /** Counts the documents: what an older one waits for has no effect any more. */
  #generation = 0;
  #wake = (): void => {};
  #dialled: Leg | undefined;

  constructor(parts: ScriptParts, leg: Leg) {
    this.#parts = parts;
    this.#leg = leg;
  }

  /** Carries out these steps in place of those before. */
  run(steps: readonly ScriptStep[]): void {
    this.#generation += 1;
    this.#wake();
    const former = this.#dialled;
    this.#dialled = undefined;
    if (former !== undefined) this.#parts.network.hangUp(former, "account");
    this.#parts.stopStream(this.#leg);
    void this.#carryOut(steps, this.#generation);
  }

  /** Fetches a document and carries it out in place of the one before. */
  async fetch(address: Address, after?: "redirect"): Promise<void> {
    const generation = this.#generation;
    const steps = await this.#parts.fetch(this.#leg, address, after);
    if (generation === this.#generation) this.run(steps);
  }

  /** The leg, or one that it dialled, has ended or was answered. */
  changed(): void {
    if (this.#leg.state === "ended" && this.#dialled !== undefined) {
      this.#parts.network.hangUp(this.#dialled, "account");
    }
    this.#wake();
  }

  async #carryOut(steps: readonly ScriptStep[], generation: number): Promise<void> {
    const { network } = this.#parts;
    for (const step of steps) {
      // The caller may have hung up while the document was fetched.
      if (this.#leg.state === "ended") return;
      const isRejected = step.do === "reject" || step.do === "hang-up";
      if (!isRejected && step.do !== "redirect") network.answer(this.#leg);
      const isOver = await this.#step(step, generation);
      if (isOver || generation !== this.#generation) return;
    }
    network.hangUp(this.#leg, "account");
  }

  /** True when no step of this document follows. */
  async #step(step: ScriptStep, generation: number): Promise<boolean> {
    const { network } = this.#parts;
    switch (step.do) {
      case "say":
        await this.#wait(step.text.length * MS_PER_CHARACTER);
        return false;
      case "wait":
        await this.#wait(step.ms);
        return false;
      case "send-digits":
        this.#leg.receivedDigits += step.digits;
        return false;
      case "stream":
        if (step.stream.holdsCall) await this.#parts.stream(this.#leg, step.stream);
        else void this.#parts.stream(this.#leg, step.stream);
        return false;
      case "dial":
        return await this.#dial(step.dial, generation);
      case "redirect":
        await this.fetch(step, "redirect");
        return true;
      case "reject":
        network.reject(this.#leg, step.cause);
        // A call that was answered before can only be hung up.
        network.hangUp(this.#leg, "account");
        return true;
      case "hang-up":
        network.hangUp(this.#leg, "account");
        return true;
    }
  }

  async #dial(dial: ScriptedDial, generation: number): Promise<boolean> {
    const { to, from, ringMsMax, action } = dial;
    const dialled = this.#parts.network.dial({ to, from, ringMsMax, parent: this.#leg });
    this.#dialled = dialled;
    this.#parts.dialled(dialled, dial);
    while (dialled.state !== "ended" && generation === this.#generation) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (generation !== this.#generation) return true;
    this.#dialled = undefined;
    const { cause = "failed" } = dialled;
    if (action === undefined) return false;
    // The carrier asks even when the caller has hung up; the answer then has no effect.
    const steps = await this.#parts.fetch(this.#leg, action, { leg: dialled, cause });
    if (generation === this.#generation && this.#leg.state !== "ended") this.run(steps);
    return true;
  }

  /** Ends early when the leg ends or another document is carried out. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
