import { type EpochMs, millisecondsOf } from "../../../core/clocks.ts";
import {
  type Address,
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
import { twilioEndpoints } from "./endpoints.ts";
import {
  API_VERSION,
  callSidOf,
  directionOf,
  rfc2822,
  SIP_CODES,
  statusOf,
  type TwilioNumber,
  twilioError,
} from "./resources.ts";
import { twilioSignature } from "./signing.ts";
import { readTwiml } from "./twiml.ts";

/** Voice webhooks time out after 15 s, and are repeated where their address says so: https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides */
export const TWILIO_WEBHOOKS: WebhookManners = { retryAfterMs: [], timeoutMs: 15_000 };

/** What a caller hears where the document cannot be had: https://www.twilio.com/docs/api/errors/11200 */
const APPLICATION_ERROR: readonly ScriptStep[] = [
  { do: "say", text: "We are sorry, an application error has occurred. Goodbye." },
  { do: "hang-up" },
];

/** The status callbacks of a leg. */
export interface TwilioStates {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly events: readonly string[];
}

/** What an order of a call says besides its numbers. */
export interface TwilioOrder {
  readonly atAnswer: Address | readonly ScriptStep[];
  readonly states: TwilioStates | undefined;
  readonly detectsMachines: boolean;
}

interface TwilioCall {
  readonly script: CallScript;
  states?: TwilioStates;
  /** Carried out at the answer of an outbound call. */
  atAnswer?: Address | readonly ScriptStep[];
  detectsMachines: boolean;
  sequence: number;
}

export const createTwilio: CreateCarrier = (parts) => new TwilioCarrier(parts);

/** Twilio: https://www.twilio.com/docs/voice */
export class TwilioCarrier implements EmulatedCarrier {
  readonly parts: CarrierParts;
  readonly accountSid: string;
  readonly endpoints: readonly Endpoint[];
  readonly placed: PlacedCall[] = [];
  readonly numbers: readonly TwilioNumber[];
  readonly startedAt: EpochMs;
  readonly #authToken: string;
  readonly #calls = new Map<Leg, TwilioCall>();

  constructor(parts: CarrierParts) {
    this.parts = parts;
    this.startedAt = parts.clock.epochMs();
    this.accountSid = parts.credentials.accountSid ?? `AC${parts.accountIds.hex(32)}`;
    this.#authToken = parts.credentials.authToken ?? parts.accountIds.hex(32);
    this.numbers = parts.numbers.map((phoneNumber) => ({
      sid: `PN${parts.accountIds.hex(32)}`,
      phoneNumber,
      friendlyName: phoneNumber,
      voiceUrl: "",
      voiceMethod: "POST",
      voiceFallbackUrl: "",
      voiceFallbackMethod: "POST",
      voiceApplicationSid: "",
      trunkSid: null,
      statusCallback: "",
      statusCallbackMethod: "POST",
    }));
    this.endpoints = twilioEndpoints(this);
  }

  get credentials(): Readonly<Record<string, string>> {
    return { accountSid: this.accountSid, authToken: this.#authToken };
  }

  unauthorized({ headers }: Omit<RestRequest, "params">): RestResponse | undefined {
    const given = basicCredentials(headers);
    return given?.user === this.accountSid && given.password === this.#authToken ? undefined : twilioError(401);
  }

  errorOf(status: number): RestResponse {
    return twilioError(status);
  }

  callIdOf(leg: Leg): string {
    return callSidOf(leg);
  }

  setWebhooks(number: string, { voiceUrl, statusUrl = "" }: NumberWebhooks): void {
    const known = this.numbers.find(({ phoneNumber }) => phoneNumber === number);
    if (known !== undefined) Object.assign(known, { voiceUrl, statusCallback: statusUrl });
  }

  incoming(leg: Leg): void {
    const number = this.numbers.find(({ phoneNumber }) => phoneNumber === leg.to);
    const { voiceUrl = "", voiceMethod, statusCallback = "", statusCallbackMethod } = number ?? {};
    const call = this.#add(leg);
    if (statusCallback !== "") {
      call.states = { url: statusCallback, method: methodOf(statusCallbackMethod), events: ["completed"] };
    }
    if (voiceUrl === "") call.script.run(APPLICATION_ERROR);
    else void call.script.fetch({ url: voiceUrl, method: methodOf(voiceMethod) });
  }

  /** An outbound call that was ordered by REST. */
  place(leg: Leg, { atAnswer, states, detectsMachines }: TwilioOrder): void {
    const call = this.#add(leg);
    call.atAnswer = atAnswer;
    call.detectsMachines = detectsMachines;
    if (states !== undefined) call.states = states;
    this.#sendState(leg, "initiated");
  }

  /** Other instructions for a live call. */
  redirect(leg: Leg, to: Address | readonly ScriptStep[]): void {
    const call = this.#calls.get(leg);
    if (call === undefined) return;
    if ("url" in to) void call.script.fetch(to);
    else call.script.run(to);
  }

  ringing(leg: Leg): void {
    this.#sendState(leg, "ringing");
  }

  answered(leg: Leg): void {
    this.#sendState(leg, "answered");
    this.#parentScript(leg)?.changed();
    const call = this.#calls.get(leg);
    if (call?.atAnswer !== undefined) this.redirect(leg, call.atAnswer);
  }

  digit(leg: Leg, digit: string): void {
    this.parts.streams.pressDigit(leg, digit);
  }

  ended(leg: Leg): void {
    this.parts.streams.stop(leg);
    this.#calls.get(leg)?.script.changed();
    this.#parentScript(leg)?.changed();
    this.#sendState(leg, "completed");
  }

  #parentScript({ parent }: Leg): CallScript | undefined {
    return parent === undefined ? undefined : this.#calls.get(parent)?.script;
  }

  #add(leg: Leg): TwilioCall {
    const { clock, network, streams } = this.parts;
    const script = new CallScript(
      {
        clock,
        network,
        stream: (_, stream) => this.#stream(leg, stream),
        stopStream: () => streams.stop(leg),
        fetch: (_, address, after) => this.#fetch(leg, address, after),
        dialled: (child, dial) => this.#dialled(child, dial),
      },
      leg,
    );
    const call: TwilioCall = { script, detectsMachines: false, sequence: 0 };
    this.#calls.set(leg, call);
    return call;
  }

  #dialled(leg: Leg, { states }: ScriptedDial): void {
    const call = this.#add(leg);
    if (states !== undefined) call.states = { ...states, method: "POST" };
    this.#sendState(leg, "initiated");
  }

  async #fetch(leg: Leg, address: Address, after?: DialResult | "redirect"): Promise<readonly ScriptStep[]> {
    const form = { ...this.#formOf(leg), ...(typeof after === "object" && dialFields(after)) };
    const kind = kindOf(leg, after);
    const response = await this.parts.webhooks.ask(this.#webhook(kind, leg, address, form));
    if (response === undefined) return APPLICATION_ERROR;
    try {
      return readTwiml(response.body, { url: address.url, callerId: leg.direction === "inbound" ? leg.from : leg.to });
    } catch {
      // Error 12100 of the carrier's debugger: the document cannot be read.
      return APPLICATION_ERROR;
    }
  }

  #stream(leg: Leg, { url, parameters, statusUrl }: ScriptedStream): Promise<void> {
    const report = (event: string, streamSid = "", error = ""): void => {
      if (statusUrl === undefined) return;
      const about = { StreamSid: streamSid, StreamEvent: event, Timestamp: this.#isoNow() };
      const form = {
        AccountSid: this.accountSid,
        CallSid: callSidOf(leg),
        ...about,
        ...(error !== "" && { StreamError: error }),
      };
      this.parts.webhooks.notify(this.#webhook("stream", leg, { url: statusUrl, method: "POST" }, form));
    };
    let sid = "";
    return this.parts.streams.open({
      leg,
      url,
      parameters,
      headers: { "x-twilio-signature": twilioSignature(this.#authToken, url) },
      accountId: this.accountSid,
      outboundCodec: "mulaw",
      onStarted: (streamSid) => {
        sid = streamSid;
        report("stream-started", sid);
      },
      onEnded: (how) =>
        report(how === "failed" ? "stream-error" : "stream-stopped", sid, how === "failed" ? "31920" : ""),
    });
  }

  #sendState(leg: Leg, event: "initiated" | "ringing" | "answered" | "completed"): void {
    const call = this.#calls.get(leg);
    if (call?.states?.events.includes(event) !== true) return;
    const { url, method } = call.states;
    const form = this.#formOf(leg);
    const sequence = String(call.sequence);
    call.sequence += 1;
    const progress = { Timestamp: rfc2822(this.parts.clock.epochMs()), CallbackSource: "call-progress-events" };
    const { cause, endedAt } = leg;
    const duration = String(durationS(leg));
    const end =
      endedAt === undefined || cause === undefined ? {} : { CallDuration: duration, SipResponseCode: SIP_CODES[cause] };
    const status = event === "initiated" ? { CallStatus: "initiated" } : {};
    const whole = { ...form, ...status, ...progress, SequenceNumber: sequence, ...end };
    const kind: WebhookKind = event === "completed" ? "ended" : event;
    this.parts.webhooks.notify(this.#webhook(kind, leg, { url, method }, whole));
  }

  #formOf(leg: Leg): Record<string, string> {
    const { from, to, parent, isMachine } = leg;
    return {
      AccountSid: this.accountSid,
      ApiVersion: API_VERSION,
      CallSid: callSidOf(leg),
      CallStatus: statusOf(leg),
      Called: to,
      Caller: from,
      Direction: directionOf(leg),
      From: from,
      To: to,
      ...(parent !== undefined && { ParentCallSid: callSidOf(parent) }),
      ...sipHeaders(leg),
      ...(this.#calls.get(leg)?.detectsMachines === true &&
        leg.state === "answered" && { AnsweredBy: isMachine ? "machine_start" : "human" }),
    };
  }

  #webhook(kind: WebhookKind, leg: Leg, { url: address, method }: Address, form: Record<string, string>) {
    const { url, ...retries } = webhookAddress(address);
    return {
      ...retries,
      kind,
      callId: callSidOf(leg),
      url: method === "GET" ? withQuery(url, form) : url,
      method,
      request: () => {
        if (method === "GET") return { headers: this.#headers(withQuery(url, form), {}) };
        const type = { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" };
        return { headers: { ...this.#headers(url, form), ...type }, body: new URLSearchParams(form).toString() };
      },
    };
  }

  #headers(url: string, form: Record<string, string>): Record<string, string> {
    return { "x-twilio-signature": twilioSignature(this.#authToken, url, form), "user-agent": "TwilioProxy/1.1" };
  }

  #isoNow(): string {
    return new Date(millisecondsOf(this.parts.clock.epochMs())).toISOString();
  }
}

/** https://www.twilio.com/docs/voice/api/receiving-sip */
const sipHeaders = ({ direction, person }: Leg): Record<string, string> =>
  direction === "outbound"
    ? {}
    : Object.fromEntries(Object.entries(person.headers).map(([name, value]) => [`SipHeader_${name}`, value]));

/** https://www.twilio.com/docs/voice/twiml/dial#dialcallstatus-values */
function dialFields({ leg, cause }: DialResult): Record<string, string> {
  const status = statusOf(leg);
  const bridged = cause === "completed";
  return {
    DialCallSid: callSidOf(leg),
    DialCallStatus: status,
    DialBridged: String(bridged),
    ...(bridged && { DialCallDuration: String(durationS(leg)) }),
  };
}

const methodOf = (method: string | undefined): "GET" | "POST" => (method?.toUpperCase() === "GET" ? "GET" : "POST");

const withQuery = (url: string, form: Record<string, string>): string =>
  `${url}${url.includes("?") ? "&" : "?"}${new URLSearchParams(form)}`;
