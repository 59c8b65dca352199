import { type EpochMs, millisecondsOf } from "../../../core/clocks.ts";
import type { G711Codec } from "../../../media/g711.ts";
import type {
  CarrierParts,
  CreateCarrier,
  EmulatedCarrier,
  NumberWebhooks,
  PlacedCall,
  WebhookManners,
} from "../carrier-model.ts";
import { durationS, type Leg } from "../network.ts";
import type { Endpoint, RestRequest, RestResponse } from "../rest/endpoint.ts";
import type { WebhookKind } from "../scenario.ts";
import { telnyxEndpoints } from "./endpoints.ts";
import {
  callControlIdOf,
  callLegIdOf,
  callSessionIdOf,
  HANGUP_CAUSES,
  isoMicroseconds,
  type TelnyxApplication,
  type TelnyxNumber,
  telnyxError,
} from "./resources.ts";
import { telnyxHeaders, telnyxKeys } from "./signing.ts";

/** Webhooks that are not answered with 2xx are repeated: https://developers.telnyx.com/development/api-fundamentals/webhooks/receiving-webhooks */
export const TELNYX_WEBHOOKS: WebhookManners = { retryAfterMs: [1_000, 2_000], timeoutMs: 25_000 };

/** A stream that a command ordered. */
export interface TelnyxStream {
  readonly url: string;
  readonly authToken?: string;
  readonly codec: G711Codec;
  readonly parameters: Readonly<Record<string, string>>;
}

/** What the API knows of a leg besides the leg itself. */
export interface TelnyxCall {
  readonly connectionId: string;
  clientState?: string;
  /** Instead of the application's. */
  webhookUrl?: string;
  /** Begins at the answer. */
  stream?: TelnyxStream;
  readonly detectsMachines?: boolean;
  /** The leg with which it is, or will be, connected. */
  partner?: Leg;
  isBridged: boolean;
  /** Stays when its partner leaves. */
  parks: boolean;
  /** Commands that were carried out. */
  readonly commandIds: Set<string>;
}

export const createTelnyx: CreateCarrier = (parts) => new TelnyxCarrier(parts);

/** Telnyx with Call Control: https://developers.telnyx.com/docs/voice/programmable-voice */
export class TelnyxCarrier implements EmulatedCarrier {
  readonly parts: CarrierParts;
  readonly endpoints: readonly Endpoint[];
  readonly placed: PlacedCall[] = [];
  readonly numbers: readonly TelnyxNumber[];
  readonly applications: TelnyxApplication[];
  readonly calls = new Map<Leg, TelnyxCall>();
  readonly startedAt: EpochMs;
  readonly #apiKey: string;
  readonly #keys: ReturnType<typeof telnyxKeys>;

  constructor(parts: CarrierParts) {
    const { accountIds: ids, credentials } = parts;
    this.parts = parts;
    this.startedAt = parts.clock.epochMs();
    this.#apiKey = credentials.apiKey ?? `KEY${ids.hex(32).toUpperCase()}_${ids.hex(22)}`;
    this.#keys = telnyxKeys(ids.hex(64));
    const application = this.newApplication("Emulated application", "");
    this.applications = [application];
    this.numbers = parts.numbers.map((phoneNumber) => ({
      id: ids.digits(19),
      phoneNumber,
      connectionId: application.id,
      tags: [],
    }));
    this.endpoints = telnyxEndpoints(this);
  }

  get credentials(): Readonly<Record<string, string>> {
    return { apiKey: this.#apiKey, publicKey: this.#keys.publicKey, connectionId: this.applications[0]?.id ?? "" };
  }

  newApplication(name: string, webhookUrl: string): TelnyxApplication {
    return { id: this.parts.accountIds.digits(19), name, webhookUrl, failoverUrl: null, costInWebhooks: false };
  }

  unauthorized({ headers }: Omit<RestRequest, "params">): RestResponse | undefined {
    return headers.authorization === `Bearer ${this.#apiKey}` ? undefined : telnyxError(401);
  }

  errorOf(status: number): RestResponse {
    return telnyxError(status);
  }

  callIdOf(leg: Leg): string {
    return callControlIdOf(leg);
  }

  setWebhooks(number: string, { voiceUrl }: NumberWebhooks): void {
    const known = this.numbers.find(({ phoneNumber }) => phoneNumber === number);
    const application = this.applications.find(({ id }) => id === known?.connectionId);
    if (application !== undefined) application.webhookUrl = voiceUrl;
  }

  incoming(leg: Leg): void {
    const number = this.numbers.find(({ phoneNumber }) => phoneNumber === leg.to);
    const connectionId = number?.connectionId ?? "";
    this.add(leg, { connectionId });
    if (this.#urlOf(leg) === "") this.parts.network.reject(leg, "declined");
    else this.notify(leg, "incoming", "call.initiated", { state: "parked", ...offered(leg, number?.tags ?? []) });
  }

  add(leg: Leg, call: Omit<TelnyxCall, "isBridged" | "parks" | "commandIds">): TelnyxCall {
    const added = { ...call, isBridged: false, parks: false, commandIds: new Set<string>() };
    this.calls.set(leg, added);
    return added;
  }

  ringing(): void {
    // The API has no event for it.
  }

  answered(leg: Leg): void {
    this.notify(leg, "answered", "call.answered", { state: "answered" });
    const call = this.calls.get(leg);
    if (call?.stream !== undefined) this.openStream(leg, call.stream);
    if (call?.detectsMachines === true) {
      this.notify(leg, "answered", "call.machine.detection.ended", { result: leg.isMachine ? "machine" : "human" });
    }
    const partner = call?.partner;
    if (leg.parent === undefined || partner === undefined) return;
    for (const one of [leg, partner]) {
      const bridged = this.calls.get(one);
      if (bridged !== undefined) bridged.isBridged = true;
      this.notify(one, "transfer", "call.bridged", {});
    }
  }

  digit(leg: Leg, digit: string): void {
    this.parts.streams.pressDigit(leg, digit);
    this.notify(leg, "stream", "call.dtmf.received", { digit });
  }

  ended(leg: Leg): void {
    this.parts.streams.stop(leg);
    const { cause = "failed", endedBy } = leg;
    const hangup = HANGUP_CAUSES[cause];
    // The source is the side of the network that ended the leg: https://developers.telnyx.com/api-reference/callbacks/call-hangup
    const isCaller = (endedBy === "person") === (leg.direction === "inbound");
    this.notify(leg, "ended", "call.hangup", {
      state: "hangup",
      hangup_cause: hangup.cause,
      hangup_source: endedBy === "network" ? "unknown" : isCaller ? "caller" : "callee",
      sip_hangup_cause: leg.direction === "inbound" ? "unspecified" : hangup.sip,
    });
    this.#release(leg);
    this.#sendCost(leg);
  }

  /** Opens a stream of an answered leg. */
  openStream(leg: Leg, { url, authToken, codec, parameters }: TelnyxStream): void {
    const { clientState } = this.calls.get(leg) ?? {};
    void this.parts.streams.open({
      leg,
      url,
      parameters,
      headers: authToken === undefined ? {} : { "x-telnyx-streaming-auth-token": authToken },
      accountId: "",
      outboundCodec: codec,
      ...(clientState !== undefined && { clientState }),
      onStarted: () => this.notify(leg, "stream", "streaming.started", { stream_url: url }),
      onEnded: (how) => {
        if (how === "stopped") this.notify(leg, "stream", "streaming.stopped", { stream_url: url });
        else this.notify(leg, "stream", "streaming.failed", { failure_reason: "connection_failed" });
      },
    });
  }

  /** Sends an event of a leg to its webhook. */
  notify(leg: Leg, kind: WebhookKind, eventType: string, about: Record<string, unknown>): void {
    const url = this.#urlOf(leg);
    if (url === "") return;
    const { clock, ids, webhooks } = this.parts;
    const data = {
      record_type: "event",
      event_type: eventType,
      id: ids.uuid(),
      occurred_at: isoMicroseconds(clock.epochMs()),
      payload: { ...this.#payloadOf(leg), ...about },
    };
    const body = JSON.stringify({ data, meta: { attempt: 1, delivered_to: url } });
    webhooks.notify({
      kind,
      callId: callControlIdOf(leg),
      url,
      method: "POST",
      request: () => {
        const timestampS = Math.floor(millisecondsOf(clock.epochMs()) / 1_000);
        const headers = telnyxHeaders(this.#keys.privateKey, timestampS, body);
        return { headers: { "content-type": "application/json", "user-agent": "telnyx-webhooks", ...headers }, body };
      },
    });
  }

  #payloadOf(leg: Leg): Record<string, unknown> {
    const { connectionId = "", clientState } = this.calls.get(leg) ?? {};
    return {
      call_control_id: callControlIdOf(leg),
      call_leg_id: callLegIdOf(leg),
      call_session_id: callSessionIdOf(leg),
      connection_id: connectionId,
      client_state: clientState ?? null,
      direction: leg.direction === "inbound" ? "incoming" : "outgoing",
      from: leg.from,
      to: leg.to,
      start_time: isoMicroseconds(leg.createdAt),
    };
  }

  #urlOf(leg: Leg): string {
    const { webhookUrl, connectionId } = this.calls.get(leg) ?? {};
    return webhookUrl ?? this.applications.find(({ id }) => id === connectionId)?.webhookUrl ?? "";
  }

  /** A leg that loses its partner is hung up, unless it was to be parked, or was not connected yet. */
  #release(leg: Leg): void {
    const { partner } = this.calls.get(leg) ?? {};
    const other = partner === undefined ? undefined : this.calls.get(partner);
    if (partner === undefined || other === undefined) return;
    delete other.partner;
    const isTarget = leg.parent !== undefined;
    if (isTarget && !other.isBridged) return;
    if (isTarget && other.parks) other.isBridged = false;
    else this.parts.network.hangUp(partner, isTarget ? "person" : "account");
  }

  /** https://developers.telnyx.com/api-reference/callbacks/call-cost */
  #sendCost(leg: Leg): void {
    const { connectionId } = this.calls.get(leg) ?? {};
    if (this.applications.find(({ id }) => id === connectionId)?.costInWebhooks !== true) return;
    const { clock, network } = this.parts;
    const send = (): void => {
      const price = network.priceOf(leg);
      if (price === undefined) {
        clock.after(100, send);
        return;
      }
      const cost = price.toFixed(5);
      const part = {
        billed_duration_secs: durationS(leg),
        call_part: "call-control",
        cost,
        currency: "USD",
        rate: cost,
      };
      this.notify(leg, "ended", "call.cost", {
        status: "success",
        total_cost: cost,
        billed_duration_secs: durationS(leg),
        cost_parts: [part],
      });
    };
    clock.after(100, send);
  }
}

const offered = ({ person }: Leg, tags: readonly string[]): Record<string, unknown> => ({
  custom_headers: Object.entries(person.headers).map(([name, value]) => ({ name, value })),
  caller_id_name: "",
  connection_codecs: "PCMU,PCMA",
  offered_codecs: "PCMU,PCMA",
  shaken_stir_attestation: "A",
  shaken_stir_validated: true,
  tags,
});
