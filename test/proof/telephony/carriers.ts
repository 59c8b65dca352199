import type { Socket } from "node:net";
import { TOKEN_CHARS } from "../../../src/core/limits/service/admission.ts";
import { CarrierEmulator, EMULATED, type EmulatedName } from "../../../src/simulator/emulator/emulator.ts";
import { type PersonOf, silentPerson } from "../../../src/simulator/emulator/media-streams.ts";
import type { Leg } from "../../../src/simulator/emulator/network.ts";
import type { PersonPlan } from "../../../src/simulator/emulator/scenario.ts";
import { type SendWebhook, sendByFetch } from "../../../src/simulator/emulator/webhook-sender.ts";
import type { Api } from "../asked-service.ts";

export const CARRIER_NAMES = Object.keys(EMULATED) as readonly EmulatedName[];

/** The number that the account has at each carrier. An account has a number at one carrier only. */
export const NUMBERS = { twilio: "+12025550187", telnyx: "+12025550188", plivo: "+12025550189" } as const;
/** The variable with the address of each carrier's API. */
const API_URLS = { twilio: "CARRIER_A_API_URL", telnyx: "CARRIER_B_API_URL", plivo: "CARRIER_C_API_URL" } as const;
/** The endpoint that places a call. */
export const DIAL_ENDPOINT = { twilio: "calls.create", telnyx: "calls.dial", plivo: "calls.create" } as const;
const DIAL_REQUEST = /^POST \/(?:v2\/calls|\S+\/Calls\.json|v1\/Account\/[^/\s]+\/Call\/?) HTTP/;
const TOKEN = new RegExp(`(?<=/)[\\w-]{${TOKEN_CHARS}}(?![\\w-])`, "g");

/** A webhook as it was sent, and how long the service took. */
export interface SeenWebhook {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  readonly tookMs: number;
  /** The leg that it is about, and the document that it was answered with. */
  readonly leg: Leg | undefined;
  readonly answer: string;
}

/** A stream token that the service gave to a carrier. `leg`: the call that it was for, where the request names one. */
export interface SeenToken {
  readonly token: string;
  readonly atMs: number;
  readonly leg: Leg | undefined;
}

/** An emulated carrier that remembers what the service gave to it. */
export class ObservedCarrier {
  readonly name: EmulatedName;
  readonly emulator: CarrierEmulator;
  readonly webhooks: SeenWebhook[] = [];
  readonly tokens: SeenToken[] = [];
  /** Called when a request to place a call has arrived, before it is carried out, with its connection. */
  onDial: (socket: Socket) => void = () => {};

  private constructor(name: EmulatedName, seed: number, personOf: PersonOf) {
    this.name = name;
    this.emulator = new CarrierEmulator({
      carrier: name,
      scenario: { seed },
      numbers: [NUMBERS[name]],
      personOf,
      send: this.#send,
    });
    this.emulator.server.on("connection", (socket: Socket) => this.#observe(socket));
  }

  static async start(
    name: EmulatedName,
    seed: number,
    personOf: PersonOf = silentPerson,
  ): Promise<{ carrier: ObservedCarrier; env: Record<string, string> }> {
    const carrier = new ObservedCarrier(name, seed, personOf);
    return { carrier, env: { [API_URLS[name]]: await carrier.emulator.start() } };
  }

  /** One of each name; `env` leads a service to them. */
  static async startAll(seed: number): Promise<{ carriers: ObservedCarrier[]; env: Record<string, string> }> {
    const started = await Promise.all(CARRIER_NAMES.map((name) => ObservedCarrier.start(name, seed)));
    return {
      carriers: started.map(({ carrier }) => carrier),
      env: Object.assign({}, ...started.map(({ env }) => env)),
    };
  }

  /** Gives the service the account with its number, whose calls the agent answers. */
  async attach(service: Api, agentId: string): Promise<{ numberId: string }> {
    const { id: carrierId } = await service.ask<{ id: string }>("POST", "/carriers", {
      carrier: EMULATED[this.name].wire,
      name: this.name,
      credentials: credentialsOf(this.name, this.emulator.credentials),
      callsPerSecond: 100,
    });
    const { data } = await service.ask<{ data: { id: string; number: string }[] }>("POST", "/phone-numbers/import", {
      carrierId,
    });
    const numberId = data.find(({ number }) => number === NUMBERS[this.name])?.id;
    if (numberId === undefined) throw new Error(`${this.name} has no ${NUMBERS[this.name]}`);
    await service.ask("PATCH", `/phone-numbers/${numberId}`, { agentId });
    await service.ask("POST", `/phone-numbers/${numberId}/attach`);
    return { numberId };
  }

  setPerson(number: string, plan: Partial<PersonPlan>): void {
    this.emulator.network.setPerson(number, plan);
  }

  readonly #send: SendWebhook = async (url, request, signal) => {
    const startMs = performance.now();
    const answer = await sendByFetch(url, request, signal);
    const { method, headers, body = "" } = request;
    const tookMs = performance.now() - startMs;
    const leg = this.#legOf(decoded(body));
    this.webhooks.push({ url, method, headers, body, status: answer.status, tookMs, leg, answer: answer.body });
    this.#noteTokens(answer.body, leg);
    return answer;
  };

  #observe(socket: Socket): void {
    socket.on("data", (chunk: Buffer) => {
      const text = decoded(chunk.toString("latin1"));
      if (DIAL_REQUEST.test(text)) this.onDial(socket);
      this.#noteTokens(text, this.#legOf(text));
    });
  }

  #noteTokens(text: string, leg: Leg | undefined): void {
    for (const [token] of text.matchAll(TOKEN)) this.tokens.push({ token, atMs: Date.now(), leg });
  }

  #legOf(text: string): Leg | undefined {
    return this.emulator.network.legs.findLast((leg) => text.includes(this.emulator.callIdOf(leg)));
  }
}

/** What the API wants of the emulator's credentials, by its names. */
function credentialsOf(name: EmulatedName, given: Readonly<Record<string, string>>): Record<string, string> {
  const { accountSid = "", authToken = "", apiKey = "", publicKey = "", connectionId = "", authId = "" } = given;
  if (name === "twilio") return { accountSid, authToken };
  return name === "telnyx" ? { apiKey, publicKey, connectionId } : { authId, authToken };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
