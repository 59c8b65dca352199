import type { CarrierName } from "../../carriers/list.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { CreateCarrier, EmulatedCarrier, NumberWebhooks, PlacedCall, WebhookManners } from "./carrier-model.ts";
import { controlRoutes } from "./control-api.ts";
import { SeededIds } from "./ids.ts";
import { MediaStreams, type PersonOf, silentPerson } from "./media-streams.ts";
import { type Leg, TelephoneNetwork } from "./network.ts";
import { createPlivo, PLIVO_WEBHOOKS } from "./plivo/carrier.ts";
import { RestFaults } from "./rest/faults.ts";
import type { LoggedRequest } from "./rest/request-log.ts";
import { RestServer } from "./rest/rest-server.ts";
import { type PersonPlan, type RestFault, SCENARIO_DEFAULT, type Scenario, type WebhookRule } from "./scenario.ts";
import { createTelnyx, TELNYX_WEBHOOKS } from "./telnyx/carrier.ts";
import { createTwilio, TWILIO_WEBHOOKS } from "./twilio/carrier.ts";
import { type SendWebhook, type SentWebhook, sendByFetch, WebhookSender } from "./webhook-sender.ts";

/** The carriers that can be emulated, by their real names. */
export const EMULATED = {
  twilio: { wire: "carrier_a", create: createTwilio, webhooks: TWILIO_WEBHOOKS },
  telnyx: { wire: "carrier_b", create: createTelnyx, webhooks: TELNYX_WEBHOOKS },
  plivo: { wire: "carrier_c", create: createPlivo, webhooks: PLIVO_WEBHOOKS },
} as const satisfies Record<string, { wire: CarrierName; create: CreateCarrier; webhooks: WebhookManners }>;
export type EmulatedName = keyof typeof EMULATED;

/** Of the ids and credentials that stay the same. */
const ACCOUNT_SEED = 0;

/** Telephone numbers reserved for fictional use. */
const NUMBERS_DEFAULT: readonly string[] = ["+12025550187", "+12025550188"];

/** Sees what happens between the carrier and its customer, and on the network, at once. */
export interface EmulatorObserver {
  /** A REST request was answered. */
  requested(request: LoggedRequest): void;
  /** A webhook was answered, or was not. */
  webhookSent(webhook: SentWebhook): void;
  /** A leg rings, was answered or has ended. */
  legChanged(leg: Leg): void;
}

export interface EmulatorOptions {
  readonly carrier: EmulatedName;
  readonly scenario?: Partial<Scenario>;
  /** E.164. */
  readonly numbers?: readonly string[];
  /** By the carrier's own names; what is missing is the same at each start. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Who is at the other end of the legs; someone who is silent by default. */
  readonly personOf?: PersonOf;
  readonly clock?: Clock;
  readonly send?: SendWebhook;
  readonly observer?: EmulatorObserver;
}

/** A carrier on this machine: REST API, webhooks, streams and a telephone network with people. */
export class CarrierEmulator {
  readonly name: EmulatedName;
  readonly network: TelephoneNetwork;
  readonly streams: MediaStreams;
  readonly #carrier: EmulatedCarrier;
  readonly #webhooks: WebhookSender;
  readonly #faults: RestFaults;
  readonly #rest: RestServer;
  readonly #numbers: readonly string[];

  constructor(options: EmulatorOptions) {
    const { carrier: name, numbers = NUMBERS_DEFAULT, credentials = {}, clock = systemClock, observer } = options;
    const scenario = { ...SCENARIO_DEFAULT, ...options.scenario };
    const { wire, create, webhooks: manners } = EMULATED[name];
    const ids = new SeededIds(scenario.seed);
    this.name = name;
    this.#numbers = numbers;
    // The carrier observes the network, and is made with it.
    let carrier: EmulatedCarrier | undefined;
    this.network = new TelephoneNetwork(
      clock,
      ids,
      {
        ringing: (leg) => {
          observer?.legChanged(leg);
          carrier?.ringing(leg);
        },
        answered: (leg) => {
          observer?.legChanged(leg);
          carrier?.answered(leg);
        },
        digit: (leg, digit) => carrier?.digit(leg, digit),
        ended: (leg) => {
          observer?.legChanged(leg);
          carrier?.ended(leg);
        },
      },
      scenario,
    );
    this.streams = new MediaStreams({
      carrier: wire,
      clock,
      ids,
      personOf: options.personOf ?? silentPerson,
      hangUp: (leg) => this.network.hangUp(leg, "person"),
    });
    this.#webhooks = new WebhookSender({
      clock,
      send: options.send ?? sendByFetch,
      rules: scenario.webhooks,
      onSent: (webhook) => observer?.webhookSent(webhook),
      ...manners,
    });
    const { network, streams } = this;
    const accountIds = new SeededIds(ACCOUNT_SEED);
    carrier = create({ clock, ids, accountIds, network, streams, webhooks: this.#webhooks, numbers, credentials });
    this.#carrier = carrier;
    this.#faults = new RestFaults(scenario.faults);
    this.#rest = new RestServer({
      clock,
      carrier,
      faults: this.#faults,
      own: controlRoutes(this),
      onRequest: (request) => observer?.requested(request),
    });
  }

  /** By the carrier's own names. */
  get credentials(): Readonly<Record<string, string>> {
    return this.#carrier.credentials;
  }

  get numbers(): readonly string[] {
    return this.#numbers;
  }

  /** The operations of the REST API that the emulator has. */
  get endpoints(): readonly { id: string; method: string; path: string }[] {
    return this.#carrier.endpoints.map(({ id, method, path }) => ({ id, method, path }));
  }

  /** The oracle: which calls the customer has really placed, in order. */
  get placed(): readonly PlacedCall[] {
    return this.#carrier.placed;
  }

  /** Every REST request, without secrets. */
  get requests(): readonly LoggedRequest[] {
    return this.#rest.log;
  }

  get sentWebhooks(): readonly SentWebhook[] {
    return this.#webhooks.sent;
  }

  get faults(): readonly RestFault[] {
    return this.#faults.pending;
  }

  /** Listens on 127.0.0.1; 0 for any free port. Resolves with the address of the REST API, without a path. */
  async start(port = 0): Promise<string> {
    return `http://127.0.0.1:${await this.#rest.listen(port)}`;
  }

  /** The REST API's own server, for a proxy in front of it. */
  get server(): RestServer["server"] {
    return this.#rest.server;
  }

  async stop(): Promise<void> {
    for (const leg of this.network.legs) this.network.hangUp(leg, "person");
    this.streams.stopAll();
    this.#webhooks.close();
    await this.#rest.close();
  }

  /** As the carrier names a leg. */
  callIdOf(leg: Leg): string {
    return this.#carrier.callIdOf(leg);
  }

  legOf(callId: string): Leg | undefined {
    return this.network.legs.find((leg) => this.#carrier.callIdOf(leg) === callId);
  }

  /** Sets the webhooks of a number, as the customer would by REST. */
  setWebhooks(number: string, webhooks: NumberWebhooks): void {
    this.#carrier.setWebhooks(number, webhooks);
  }

  /** A person calls a number of the account. */
  call(order: { from: string; to: string }, plan: Partial<PersonPlan> = {}): Leg {
    const leg = this.network.receive(order, plan);
    this.#carrier.incoming(leg);
    return leg;
  }

  addFault(fault: RestFault): void {
    this.#faults.add(fault);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  addWebhookRule(rule: WebhookRule): void {
    this.#webhooks.addRule(rule);
  }
}
