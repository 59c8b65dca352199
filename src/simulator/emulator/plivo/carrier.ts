import type { EpochMs } from "../../../core/clocks.ts";
import {
  type Address,
  addressOf,
  CallScript,
  type DialResult,
  kindOf,
  type ScriptedDial,
  type ScriptedStream,
  type ScriptStep,
} from "../call-script.ts";
import type {
  CarrierParts,
  CreateCarrier,
  EmulatedCarrier,
  NumberWebhooks,
  PlacedCall,
  WebhookManners,
} from "../carrier-model.ts";
import { webhookAddress } from "../connection-overrides.ts";
import { durationS, type Leg } from "../network.ts";
import { basicCredentials, type Endpoint, type RestRequest, type RestResponse } from "../rest/endpoint.ts";
import type { WebhookKind } from "../scenario.ts";
import type { Webhook } from "../webhook-sender.ts";
import { plivoEndpoints } from "./endpoints.ts";
import { readPlivoXml } from "./plivo-xml.ts";
import {
  callUuidOf,
  HANGUPS,
  type PlivoApplication,
  type PlivoNumber,
  plain,
  plivoError,
  plivoTime,
  sourceOf,
  statusOf,
} from "./resources.ts";
import { plivoHeaders } from "./signing.ts";

/** The answer URL is asked three times: https://docs.plivo.com/docs/voice/api/call/make-a-call */
export const PLIVO_WEBHOOKS: WebhookManners = { retryAfterMs: [1_000, 1_000], timeoutMs: 15_000 };

/** What a call does whose document cannot be had. */
const NO_DOCUMENT: readonly ScriptStep[] = [{ do: "hang-up" }];

/** The addresses of one call. */
export interface PlivoUrls {
  readonly answer: Address;
  readonly ring?: Address;
  readonly hangup?: Address;
  readonly detectsMachines?: boolean;
}

interface PlivoCall {
  readonly script: CallScript;
  readonly urls?: PlivoUrls;
  /** Of a leg that `<Dial>` began. */
  readonly dial?: ScriptedDial;
}

export const createPlivo: CreateCarrier = (parts) => new PlivoCarrier(parts);

/** Plivo: https://www.plivo.com/docs/voice */
export class PlivoCarrier implements EmulatedCarrier {
  readonly parts: CarrierParts;
  readonly authId: string;
  readonly endpoints: readonly Endpoint[];
  readonly placed: PlacedCall[] = [];
  readonly numbers: readonly PlivoNumber[];
  readonly applications: PlivoApplication[];
  readonly startedAt: EpochMs;
  readonly #authToken: string;
  readonly #calls = new Map<Leg, PlivoCall>();
  /** The documents that wait for the ends of streams. */
  readonly #afterStream = new Map<Leg, Address>();

  constructor(parts: CarrierParts) {
    const { accountIds, credentials } = parts;
    this.parts = parts;
    this.startedAt = parts.clock.epochMs();
    this.authId = credentials.authId ?? `MA${accountIds.capitals(18)}`;
    this.#authToken = credentials.authToken ?? accountIds.hex(40);
    const application = this.newApplication("Emulated application");
    this.applications = [application];
    this.numbers = parts.numbers.map((number) => ({ number, applicationId: application.id, alias: null }));
    this.endpoints = plivoEndpoints(this);
  }

  get credentials(): Readonly<Record<string, string>> {
    return { authId: this.authId, authToken: this.#authToken };
  }

  newApplication(name: string): PlivoApplication {
    return {
      id: this.parts.accountIds.digits(17),
      name,
      answerUrl: "",
      answerMethod: "POST",
      hangupUrl: "",
      hangupMethod: "POST",
      fallbackAnswerUrl: "",
      fallbackMethod: "POST",
    };
  }

  unauthorized({ headers }: Omit<RestRequest, "params">): RestResponse | undefined {
    const given = basicCredentials(headers);
    return given?.user === this.authId && given.password === this.#authToken ? undefined : this.errorOf(401);
  }

  errorOf(status: number, error?: string): RestResponse {
    return plivoError(status, this.apiId(), error);
  }

  /** Each response has one. */
  apiId(): string {
    return this.parts.ids.uuid();
  }

  callIdOf(leg: Leg): string {
    return callUuidOf(leg);
  }

  setWebhooks(number: string, { voiceUrl, statusUrl = "" }: NumberWebhooks): void {
    const known = this.numbers.find((one) => one.number === number);
    const application = this.applications.find(({ id }) => id === known?.applicationId);
    if (application !== undefined) Object.assign(application, { answerUrl: voiceUrl, hangupUrl: statusUrl });
  }

  incoming(leg: Leg): void {
    const number = this.numbers.find((one) => one.number === leg.to);
    const application = this.applications.find(({ id }) => id === number?.applicationId);
    if (application === undefined || application.answerUrl === "") {
      this.parts.network.reject(leg, "declined");
      return;
    }
    const { answerUrl, answerMethod, hangupUrl, hangupMethod } = application;
    const answer = addressOf(answerUrl, answerMethod);
    const call = this.#add(leg, {
      answer,
      ...(hangupUrl !== "" && { hangup: addressOf(hangupUrl, hangupMethod) }),
    });
    void call.script.fetch(answer);
  }

  /** An outbound call that was ordered by REST. */
  place(leg: Leg, urls: PlivoUrls): void {
    this.#add(leg, urls);
  }

  /**
   * Another document for a live call. While the call has a stream that holds it, the document waits for the end of that: see
   * docs/carriers/plivo.md.
   */
  redirect(leg: Leg, to: Address): void {
    if (this.parts.streams.has(leg)) this.#afterStream.set(leg, to);
    else void this.#calls.get(leg)?.script.fetch(to);
  }

  ringing(leg: Leg): void {
    const { ring } = this.#calls.get(leg)?.urls ?? {};
    if (ring === undefined) return;
    this.parts.webhooks.notify(this.#webhook("ringing", leg, ring, { ...this.#formOf(leg), Event: "Ring" }));
  }

  answered(leg: Leg): void {
    this.#sendDialState(leg, "answer");
    this.#parentScript(leg)?.changed();
    const call = this.#calls.get(leg);
    if (leg.direction === "outbound" && call?.urls !== undefined) void call.script.fetch(call.urls.answer);
  }

  digit(leg: Leg, digit: string): void {
    this.parts.streams.pressDigit(leg, digit);
  }

  ended(leg: Leg): void {
    this.parts.streams.stop(leg);
    this.#calls.get(leg)?.script.changed();
    this.#sendDialState(leg, "hangup");
    this.#parentScript(leg)?.changed();
    const { hangup } = this.#calls.get(leg)?.urls ?? {};
    if (hangup === undefined) return;
    this.parts.webhooks.notify(
      this.#webhook("ended", leg, hangup, { ...this.#formOf(leg), ...this.#hangupFields(leg) }),
    );
  }

  #parentScript({ parent }: Leg): CallScript | undefined {
    return parent === undefined ? undefined : this.#calls.get(parent)?.script;
  }

  #add(leg: Leg, urls?: PlivoUrls, dial?: ScriptedDial): PlivoCall {
    const { clock, network, streams } = this.parts;
    const script: CallScript = new CallScript(
      {
        clock,
        network,
        stream: async (_, stream) => {
          await this.#stream(leg, stream);
          const next = this.#afterStream.get(leg);
          this.#afterStream.delete(leg);
          if (next !== undefined && leg.state !== "ended") await script.fetch(next);
        },
        stopStream: () => streams.stop(leg),
        fetch: (_, address, after) => this.#fetch(leg, address, after),
        dialled: (child, order) => this.#add(child, undefined, order),
      },
      leg,
    );
    const call = { script, ...(urls !== undefined && { urls }), ...(dial !== undefined && { dial }) };
    this.#calls.set(leg, call);
    return call;
  }

  async #fetch(leg: Leg, address: Address, after?: DialResult | "redirect"): Promise<readonly ScriptStep[]> {
    const event =
      typeof after === "object" ? dialFields(leg, after) : { Event: after === undefined ? "StartApp" : "Redirect" };
    const response = await this.parts.webhooks.ask(
      this.#webhook(kindOf(leg, after), leg, address, { ...this.#formOf(leg), ...event }),
    );
    if (response === undefined) return NO_DOCUMENT;
    try {
      return readPlivoXml(response.body, leg.direction === "inbound" ? leg.from : leg.to);
    } catch {
      // The carrier's log says "Invalid Answer XML", and the call ends.
      return NO_DOCUMENT;
    }
  }

  #stream(leg: Leg, { url, parameters, statusUrl }: ScriptedStream): Promise<void> {
    let id = "";
    const report = (event: string): void => {
      if (statusUrl === undefined) return;
      const form = {
        ...this.#formOf(leg),
        Event: event,
        StreamID: id,
        ServiceURL: url,
        Timestamp: plivoTime(this.parts.clock.epochMs()),
      };
      this.parts.webhooks.notify(this.#webhook("stream", leg, { url: statusUrl, method: "POST" }, form));
    };
    return this.parts.streams.open({
      leg,
      url,
      parameters,
      headers: plivoHeaders(this.#authToken, this.parts.ids.digits(20), url),
      accountId: this.authId,
      outboundCodec: "mulaw",
      onStarted: (streamId) => {
        id = streamId;
        report("StartStream");
      },
      onEnded: (how) => report(how === "failed" ? "DroppedStream" : "StopStream"),
    });
  }

  /** https://www.plivo.com/docs/voice/xml/dial: the parameters of `callbackUrl`. */
  #sendDialState(leg: Leg, action: "answer" | "hangup"): void {
    const { parent } = leg;
    const { dial } = this.#calls.get(leg) ?? {};
    if (parent === undefined || dial?.states === undefined) return;
    const form = {
      ...this.#formOf(parent),
      Event: action === "answer" ? "DialAnswer" : "DialHangup",
      DialAction: action,
      DialALegUUID: callUuidOf(parent),
      DialBLegUUID: callUuidOf(leg),
      DialBLegStatus: action,
      DialBLegFrom: plain(leg.from),
      DialBLegTo: plain(leg.to),
      ...(leg.cause !== undefined && {
        DialBLegHangupCause: HANGUPS[leg.cause].cause,
        DialBLegDuration: String(durationS(leg)),
      }),
    };
    this.parts.webhooks.notify(this.#webhook("transfer", parent, { url: dial.states.url, method: "POST" }, form));
  }

  /** https://www.plivo.com/docs/voice/xml/request */
  #formOf(leg: Leg): Record<string, string> {
    const isOutbound = leg.direction === "outbound";
    const own = isOutbound ? { ALegUUID: callUuidOf(leg), ALegRequestUUID: callUuidOf(leg) } : sipHeaders(leg);
    return {
      BillRate: this.parts.network.pricePerMinute.toFixed(5),
      CallStatus: statusOf(leg),
      CallUUID: callUuidOf(leg),
      CallerName: leg.from,
      Direction: leg.direction,
      From: plain(leg.from),
      ParentAuthID: this.authId,
      RequestUUID: callUuidOf(leg),
      SessionStart: plivoTime(leg.createdAt),
      To: plain(leg.to),
      ...own,
      ...(leg.isMachine && this.#calls.get(leg)?.urls?.detectsMachines === true && { Machine: "true" }),
    };
  }

  /** https://www.plivo.com/docs/account/api/application: the parameters of `hangup_url`. */
  #hangupFields(leg: Leg): Record<string, string> {
    const { cause, name, code } = HANGUPS[leg.cause ?? "failed"];
    const duration = String(durationS(leg));
    return {
      Event: "Hangup",
      HangupCause: cause,
      HangupCauseName: name,
      HangupCauseCode: String(code),
      HangupSource: sourceOf(leg),
      Duration: duration,
      BillDuration: duration,
      TotalCost: this.parts.network.costOf(leg).toFixed(5),
      StartTime: plivoTime(leg.createdAt),
      ...(leg.answeredAt !== undefined && { AnswerTime: plivoTime(leg.answeredAt) }),
      ...(leg.endedAt !== undefined && { EndTime: plivoTime(leg.endedAt) }),
    };
  }

  #webhook(kind: WebhookKind, leg: Leg, { url: address, method }: Address, form: Record<string, string>): Webhook {
    const { url, ...retries } = webhookAddress(address);
    const asked = method === "GET" ? `${url}${url.includes("?") ? "&" : "?"}${new URLSearchParams(form)}` : url;
    return {
      ...retries,
      kind,
      callId: callUuidOf(leg),
      url: asked,
      method,
      request: () => {
        const nonce = this.parts.ids.digits(20);
        if (method === "GET") return { headers: plivoHeaders(this.#authToken, nonce, asked) };
        const type = { "content-type": "application/x-www-form-urlencoded" };
        return {
          headers: { ...plivoHeaders(this.#authToken, nonce, url, form), ...type },
          body: new URLSearchParams(form).toString(),
        };
      },
    };
  }
}

/** Custom headers have names that begin with `X-PH-`: https://www.plivo.com/docs/voice/xml/request */
const sipHeaders = ({ person }: Leg): Record<string, string> =>
  Object.fromEntries(Object.entries(person.headers).map(([name, value]) => [`X-PH-${name}`, value]));

/** https://www.plivo.com/docs/voice/use-cases/dial-status-reporting */
function dialFields(parent: Leg, { leg, cause }: DialResult): Record<string, string> {
  const { status, cause: hangupCause } = HANGUPS[cause];
  return {
    DialStatus: status === "cancel" ? "no-answer" : status,
    DialRingStatus: String(leg.ringingAt !== undefined),
    DialHangupCause: hangupCause,
    DialALegUUID: callUuidOf(parent),
    // Empty where the call was not answered.
    DialBLegUUID: cause === "completed" ? callUuidOf(leg) : "",
  };
}
