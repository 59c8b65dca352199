// What happens on the emulated telephone network and between the carrier and its customer: data that a test or a command gives.

/** What a called person does. `machine`: an answering machine answers. `unreachable`: the network cannot place the call. */
export const BEHAVIOURS = [
  "answer",
  "busy",
  "no_answer",
  "decline",
  "machine",
  "invalid_number",
  "unreachable",
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** A person at the other end of a call. */
export interface PersonPlan {
  /** What the person does when called. A person who calls does nothing of this. */
  readonly does: Behaviour;
  /** From the order of a call to its ringing. */
  readonly ringsAfterMs: number;
  /** From the ringing to what the person does. */
  readonly reactsAfterMs: number;
  /** From the answer to the person's hang-up. Absent: the person stays until the other end hangs up. */
  readonly hangsUpAfterMs?: number;
  /** How long a person who calls lets it ring. */
  readonly givesUpAfterMs: number;
  /** DTMF digits, each at a time since the answer. */
  readonly presses: readonly { readonly digit: string; readonly afterMs: number }[];
  /** What the person says, each after the other end has spoken; after the reply to the last one the person hangs up. */
  readonly says: readonly string[];
  /** SIP headers of a call by this person, such as `X-Customer`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The stream of the call that cannot be connected: 1 for the first, 2 for the one after a transfer that led to nothing. */
  readonly failsStream?: number;
}

export const PERSON_DEFAULT: PersonPlan = {
  does: "answer",
  ringsAfterMs: 50,
  reactsAfterMs: 200,
  givesUpAfterMs: 60_000,
  presses: [],
  says: [],
  headers: {},
};

/** What a webhook is about, for rules. */
export const WEBHOOK_KINDS = [
  "incoming",
  "initiated",
  "ringing",
  "answered",
  "ended",
  "transfer",
  "stream",
  "redirect",
] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** What goes wrong with webhooks. `after_next`: it is sent after the next webhook of its call. */
export interface WebhookRule {
  /** All kinds where it is absent. */
  readonly kind?: WebhookKind;
  /** How many webhooks it is for; all where it is absent. */
  readonly times?: number;
  readonly does: "late" | "twice" | "lost" | "after_next";
  /** How late it is, 1,000 ms where it is absent. */
  readonly delayMs?: number;
}

/**
 * What goes wrong with REST requests. `isCarriedOut`: the carrier does what was asked all the same. `silence`: it never answers.
 * `unreachable`: the connection is reset.
 */
export interface RestFault {
  /** The id of an endpoint, as in the list of the emulator; all where it is absent. */
  readonly endpoint?: string;
  /** How many requests it is for; all where it is absent. */
  readonly times?: number;
  /** How many requests pass before. */
  readonly skip?: number;
  readonly kind: "status" | "html" | "silence" | "unreachable";
  /** Of the answer, for `status` and `html`. */
  readonly status?: number;
  readonly retryAfterS?: number;
  readonly isCarriedOut?: boolean;
}

export interface Scenario {
  /** The ids of calls, streams and events depend on it. */
  readonly seed: number;
  /** The people for which there is no other plan. */
  readonly person: PersonPlan;
  /** By the number that is called. Of several plans each is for one call, the last one for all others. */
  readonly people: Readonly<Record<string, readonly Partial<PersonPlan>[]>>;
  readonly webhooks: readonly WebhookRule[];
  readonly faults: readonly RestFault[];
  /** Of a call, for each minute that has begun. */
  readonly pricePerMinute: number;
  /** From the end of a call until its price is known. */
  readonly pricedAfterMs: number;
}

export const SCENARIO_DEFAULT: Scenario = {
  seed: 1,
  person: PERSON_DEFAULT,
  people: {},
  webhooks: [],
  faults: [],
  pricePerMinute: 0.0085,
  pricedAfterMs: 500,
};
