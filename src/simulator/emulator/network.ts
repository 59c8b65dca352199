import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import { addMs, type EpochMs, elapsedMs } from "../../core/clocks.ts";
import type { SeededIds } from "./ids.ts";
import { type Behaviour, type PersonPlan, SCENARIO_DEFAULT, type Scenario } from "./scenario.ts";

/** How a leg ended. All but `completed` were never answered. */
export type EndCause = "completed" | "busy" | "no_answer" | "declined" | "invalid_number" | "canceled" | "failed";

/** One connection between the carrier and a person. */
export interface Leg {
  /** 32 hexadecimal digits, from which the carrier derives its id of the call. */
  readonly hex: string;
  /** `inbound`: the person called a number of the account. */
  readonly direction: "inbound" | "outbound";
  /** E.164, or what was dialled. */
  readonly from: string;
  readonly to: string;
  /** The leg that this one was dialled for, by a transfer. */
  readonly parent?: Leg;
  readonly person: PersonPlan;
  readonly ringMsMax: number;
  readonly createdAt: EpochMs;
  state: "queued" | "ringing" | "answered" | "ended";
  ringingAt?: EpochMs;
  answeredAt?: EpochMs;
  endedAt?: EpochMs;
  cause?: EndCause;
  /** Who ended it. */
  endedBy?: "person" | "account" | "network";
  isMachine: boolean;
  /** DTMF that the account sent to the person. */
  receivedDigits: string;
}

export interface LegOrder {
  readonly from: string;
  readonly to: string;
  readonly ringMsMax: number;
  readonly parent?: Leg;
}

/** Receives what happens to legs. */
export interface NetworkObserver {
  ringing(leg: Leg): void;
  answered(leg: Leg): void;
  digit(leg: Leg, digit: string): void;
  ended(leg: Leg): void;
}

const CAUSES: Readonly<Record<Exclude<Behaviour, "answer" | "machine" | "no_answer">, EndCause>> = {
  busy: "busy",
  decline: "declined",
  invalid_number: "invalid_number",
  unreachable: "failed",
};

/** The telephone network: legs, and the people at their ends. It knows no carrier, and time only by the clock. */
export class TelephoneNetwork {
  readonly #clock: Clock;
  readonly #ids: SeededIds;
  readonly #scenario: Scenario;
  readonly #observer: NetworkObserver;
  readonly #legs: Leg[] = [];
  readonly #people: Map<string, Partial<PersonPlan>[]>;
  readonly #timers = new Map<Leg, (() => void)[]>();

  constructor(clock: Clock, ids: SeededIds, observer: NetworkObserver, scenario = SCENARIO_DEFAULT) {
    this.#clock = clock;
    this.#ids = ids;
    this.#observer = observer;
    this.#scenario = scenario;
    this.#people = new Map(Object.entries(scenario.people).map(([number, plans]) => [number, [...plans]]));
  }

  /** In the order in which they began. */
  get legs(): readonly Leg[] {
    return this.#legs;
  }

  /** What the person at a number does from now on. */
  setPerson(number: string, plan: Partial<PersonPlan>): void {
    this.#people.set(number, [plan]);
  }

  /** The carrier calls a person. */
  dial(order: LegOrder): Leg {
    const leg = this.#begin(order, "outbound", this.#planOf(order.to));
    const { does, ringsAfterMs } = leg.person;
    this.#after(leg, ringsAfterMs, () => {
      if (does === "busy" || does === "invalid_number" || does === "unreachable") {
        this.#end(leg, CAUSES[does], "network");
      } else this.#ring(leg);
    });
    return leg;
  }

  /** A person calls a number of the account. */
  receive(order: Pick<LegOrder, "from" | "to">, plan: Partial<PersonPlan> = {}): Leg {
    const person = { ...this.#scenario.person, ...plan };
    const leg = this.#begin({ ...order, ringMsMax: person.givesUpAfterMs }, "inbound", person);
    leg.state = "ringing";
    leg.ringingAt = this.#clock.epochMs();
    this.#after(leg, person.givesUpAfterMs, () => this.#end(leg, "canceled", "person"));
    return leg;
  }

  /** The account answers a person who calls. Without effect on a leg that is answered. */
  answer(leg: Leg): void {
    if (leg.direction === "inbound" && leg.state === "ringing") this.#answered(leg);
  }

  /** The account refuses a person who calls. */
  reject(leg: Leg, cause: "busy" | "declined"): void {
    if (leg.direction === "inbound" && leg.state === "ringing") this.#end(leg, cause, "account");
  }

  /** The account or the person ends the leg, in any state. Without effect on one that has ended. */
  hangUp(leg: Leg, by: "account" | "person"): void {
    if (leg.state === "ended") return;
    if (leg.state === "answered") this.#end(leg, "completed", by);
    else this.#end(leg, leg.direction === "outbound" && by === "person" ? "declined" : "canceled", by);
  }

  /** The person presses a digit. */
  press(leg: Leg, digit: string): void {
    assert.match(digit, /^[0-9*#A-D]$/);
    if (leg.state === "answered") this.#observer.digit(leg, digit);
  }

  /** What the call costs, once that is known. */
  priceOf(leg: Leg): number | undefined {
    if (leg.endedAt === undefined) return undefined;
    if (elapsedMs(addMs(leg.endedAt, this.#scenario.pricedAfterMs), this.#clock.epochMs()) < 0) return undefined;
    return this.costOf(leg);
  }

  /** What the call costs, also while that is not known yet. */
  costOf(leg: Leg): number {
    return Number((Math.ceil(durationS(leg) / 60) * this.#scenario.pricePerMinute).toFixed(5));
  }

  get pricePerMinute(): number {
    return this.#scenario.pricePerMinute;
  }

  #planOf(number: string): PersonPlan {
    const plans = this.#people.get(number) ?? [];
    const plan = plans.length > 1 ? plans.shift() : plans[0];
    return { ...this.#scenario.person, ...plan };
  }

  #begin(order: LegOrder, direction: Leg["direction"], person: PersonPlan): Leg {
    const leg: Leg = {
      ...order,
      hex: this.#ids.hex(32),
      direction,
      person,
      createdAt: this.#clock.epochMs(),
      state: "queued",
      isMachine: false,
      receivedDigits: "",
    };
    this.#legs.push(leg);
    this.#timers.set(leg, []);
    return leg;
  }

  #ring(leg: Leg): void {
    const { does, reactsAfterMs } = leg.person;
    leg.state = "ringing";
    leg.ringingAt = this.#clock.epochMs();
    if (does === "no_answer" || reactsAfterMs >= leg.ringMsMax) {
      this.#after(leg, leg.ringMsMax, () => this.#end(leg, "no_answer", "network"));
    } else {
      this.#after(leg, reactsAfterMs, () => {
        if (does === "decline") this.#end(leg, "declined", "person");
        else this.#answered(leg);
      });
    }
    this.#observer.ringing(leg);
  }

  #answered(leg: Leg): void {
    this.#cancelTimers(leg);
    leg.state = "answered";
    leg.answeredAt = this.#clock.epochMs();
    leg.isMachine = leg.direction === "outbound" && leg.person.does === "machine";
    const { hangsUpAfterMs, presses } = leg.person;
    for (const { digit, afterMs } of presses) this.#after(leg, afterMs, () => this.press(leg, digit));
    if (hangsUpAfterMs !== undefined) this.#after(leg, hangsUpAfterMs, () => this.hangUp(leg, "person"));
    this.#observer.answered(leg);
  }

  #end(leg: Leg, cause: EndCause, by: Leg["endedBy"] & string): void {
    this.#cancelTimers(leg);
    leg.state = "ended";
    leg.endedAt = this.#clock.epochMs();
    leg.cause = cause;
    leg.endedBy = by;
    this.#observer.ended(leg);
  }

  #after(leg: Leg, delayMs: number, task: () => void): void {
    this.#timers.get(leg)?.push(this.#clock.after(delayMs, task));
  }

  #cancelTimers(leg: Leg): void {
    for (const cancel of this.#timers.get(leg) ?? []) cancel();
    this.#timers.set(leg, []);
  }
}

/** From the answer to the end, in whole seconds; 0 for a leg that was not answered. */
export function durationS({ answeredAt, endedAt }: Leg): number {
  return answeredAt === undefined || endedAt === undefined ? 0 : Math.ceil(elapsedMs(answeredAt, endedAt) / 1_000);
}
