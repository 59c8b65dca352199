import { SCOPES } from "../../../src/core/accounts/scopes.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { CarrierEmulator, EMULATED, type EmulatedName } from "../../../src/simulator/emulator/emulator.ts";
import type { PersonOf } from "../../../src/simulator/emulator/media-streams.ts";
import type { PersonPlan, Scenario } from "../../../src/simulator/emulator/scenario.ts";
import { speakingPeople } from "../../../src/simulator/emulator/speaking-person.ts";
import { createReferenceTts } from "../../../src/speech/reference/tts.ts";
import { freePort } from "../network/free-port.ts";
import { type SharedPlace, startNode } from "../services/nodes.ts";
import { type CallItem, Service, until, withStores } from "../services/service.ts";

export const [NUMBER, OTHER_NUMBER] = ["+12025550187", "+12025550188"] as const;
/** People, by what they do when they are called. The first one asks a question. */
export const PEOPLE = {
  answer: "+12025550142",
  busy: "+12025550143",
  decline: "+12025550144",
  no_answer: "+12025550145",
  invalid_number: "+12025550146",
} as const;
/** Someone who answers and stays. */
export const TARGET = "+12025550147";
export const QUESTION = "When is the bakery closed?";
const ENDED_MS_MAX = 40_000;
const OVER = ["ended", "expired", "failed"];

/** A call as the API shows it, with its telephone side. */
export interface PhoneCallItem extends CallItem {
  phone: { direction: string; from: string; to: string; carrierCode: string | null } | null;
  carrierCallId: string | null;
  heldSince: string | null;
}

/** The variable with the address of each carrier's API. */
const API_URLS = { twilio: "CARRIER_A_API_URL", telnyx: "CARRIER_B_API_URL", plivo: "CARRIER_C_API_URL" } as const;

/** What the API wants of the emulator's credentials, by its names. */
function credentialsOf(name: EmulatedName, given: Readonly<Record<string, string>>): Record<string, string> {
  const { accountSid = "", authToken = "", apiKey = "", publicKey = "", connectionId = "", authId = "" } = given;
  if (name === "twilio") return { accountSid, authToken };
  return name === "telnyx" ? { apiKey, publicKey, connectionId } : { authId, authToken };
}

export interface PhoneSceneOptions {
  scenario?: Partial<Scenario>;
  /** Fields of the agent, beside or instead of the usual ones. */
  agent?: object;
  env?: Readonly<Record<string, string>>;
  /** The service is a node of this name. */
  node?: { place: SharedPlace; name: string };
}

/** A service with a number at an emulated carrier, whose calls an agent answers. */
export class PhoneScene {
  readonly service: Service;
  readonly emulator: CarrierEmulator;
  readonly agentId: string;
  /** What people have heard, frame by frame in the codec of their carrier's streams. */
  readonly heard: readonly Uint8Array[];
  /** What a service needs to find the emulator. */
  readonly carrierEnvironment: Readonly<Record<string, string>>;
  readonly #close: () => void;

  private constructor(
    parts: Pick<PhoneScene, "service" | "emulator" | "agentId" | "heard" | "carrierEnvironment">,
    close: () => void,
  ) {
    this.service = parts.service;
    this.emulator = parts.emulator;
    this.agentId = parts.agentId;
    this.heard = parts.heard;
    this.carrierEnvironment = parts.carrierEnvironment;
    this.#close = close;
  }

  static async open(
    carrier: EmulatedName,
    { scenario = {}, agent = {}, env = {}, node }: PhoneSceneOptions = {},
  ): Promise<PhoneScene> {
    const tts = createReferenceTts({ children: 1, clock: systemClock });
    const ended = new AbortController();
    const { answer, ...others } = PEOPLE;
    const people = {
      [answer]: [{ says: [QUESTION] }],
      ...Object.fromEntries(
        Object.entries(others).map(([does, number]) => [number, [{ does: does as keyof typeof others }]]),
      ),
      ...scenario.people,
    };
    const heard: Uint8Array[] = [];
    const emulator = new CarrierEmulator({
      carrier,
      scenario: { ...scenario, people },
      personOf: listening(speakingPeople(tts, ended.signal), heard),
    });
    const carrierEnvironment = { [API_URLS[carrier]]: await emulator.start() };
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const all = { API_PORT: String(port), PUBLIC_API_URL: publicUrl, ...carrierEnvironment, ...env };
    const service = await (node === undefined
      ? Service.start({ env: all })
      : startNode(node.place, node.name, { env: all }));
    const key = node?.place.apiKey ?? (await adminKeyOf(service));
    const agentId = await attachAgent({ service, key }, carrier, emulator, agent);
    return new PhoneScene({ service, emulator, agentId, heard, carrierEnvironment }, () => {
      ended.abort();
      tts.close();
    });
  }

  async close(): Promise<void> {
    this.#close();
    await this.emulator.stop();
    await this.service.process.kill();
  }

  /** A person calls the number; resolves with the call once the service has it, and what hangs up. */
  async receive(plan: Partial<PersonPlan> = {}): Promise<{ id: string; hangUp: () => void }> {
    const { network } = this.emulator;
    const leg = this.emulator.call({ from: PEOPLE.answer, to: NUMBER }, plan);
    const carrierCallId = this.emulator.callIdOf(leg);
    const { id } = await until("the call to come in", ENDED_MS_MAX, async () =>
      (await this.calls()).find((call) => call.carrierCallId === carrierCallId),
    );
    return { id, hangUp: () => network.hangUp(leg, "person") };
  }

  /** Places a call; `body` replaces fields. */
  async place(body: object = {}): Promise<string> {
    const answer = await this.service.api<{ id: string }>("POST", "/phone-calls", {
      to: PEOPLE.answer,
      from: NUMBER,
      agentId: this.agentId,
      ...body,
    });
    if (answer.status !== 201) throw new Error(`the call was not created: ${answer.status} ${answer.bytes}`);
    return answer.body.id;
  }

  /** Transfers a live call; resolves when the service has accepted that. */
  async transfer(id: string, target: string): Promise<void> {
    await until("the transfer to be accepted", ENDED_MS_MAX, async () => {
      const { status, bytes } = await this.service.api("POST", `/calls/${id}/transfer`, { target });
      // The carrier's stream may have been redeemed and not begun.
      if (status !== 202 && status !== 409) throw new Error(`the transfer was refused: ${status} ${bytes}`);
      return status === 202;
    });
  }

  /** Puts a live call on hold, or ends the hold; resolves when the service has done that. */
  async changeHold(id: string, to: "hold" | "resume"): Promise<void> {
    await until(`${to} to be accepted`, ENDED_MS_MAX, async () => {
      const { status, bytes } = await this.service.api("POST", `/calls/${id}/${to}`, {});
      // The carrier's stream may have been redeemed and not begun.
      if (status !== 200 && status !== 409) throw new Error(`${to} was refused: ${status} ${bytes}`);
      return status === 200;
    });
  }

  /** What happened in the call, by the names of its events and commands. */
  async happened(id: string): Promise<string[]> {
    const answer = await this.service.api<{ data: { kind: string }[] }>("GET", `/calls/${id}/events?limit=1000`);
    return answer.body.data.map(({ kind }) => kind);
  }

  async calls(): Promise<PhoneCallItem[]> {
    return (await this.service.api<{ data: PhoneCallItem[] }>("GET", "/calls")).body.data;
  }

  async call(id: string): Promise<PhoneCallItem> {
    return (await this.service.call(id)) as PhoneCallItem;
  }

  async ended(id: string): Promise<PhoneCallItem> {
    return await until(`call ${id} to end`, ENDED_MS_MAX, async () => {
      const call = await this.call(id);
      return OVER.includes(call.status) && call;
    });
  }

  async until(
    what: string,
    id: string,
    is: (call: PhoneCallItem) => boolean | Promise<boolean>,
  ): Promise<PhoneCallItem> {
    return await until(what, ENDED_MS_MAX, async () => {
      const call = await this.call(id);
      return (await is(call)) && call;
    });
  }
}

/** The same people; what they hear is added to `heard`. */
const listening =
  (personOf: PersonOf, heard: Uint8Array[]): PersonOf =>
  (...of) => {
    const person = personOf(...of);
    return {
      frame: () => person.frame(),
      played: (frame, atMs) => {
        heard.push(frame.slice());
        person.played(frame, atMs);
      },
    };
  };

const adminKeyOf = async (service: Service): Promise<string> =>
  await withStores(
    service.dataDir,
    async ({ apiKeys }, accountId) => (await apiKeys.create({ accountId, name: "owner", scopes: SCOPES })).key,
  );

async function attachAgent(
  { service, key }: { service: Service; key: string },
  carrier: EmulatedName,
  emulator: CarrierEmulator,
  agent: object,
): Promise<string> {
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${service.apiUrl}/api/v1${path}`, {
      method,
      headers: { "X-API-Key": key, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const { id: agentId } = await ask<{ id: string }>("POST", "/agents", {
    name: "Bakery",
    basePrompt: "The bakery is closed on Monday.",
    languageId: "en-US",
    voiceId: "reference/gmw/en-US",
    callSettings: { greeting: "Hello, this is the bakery.", recordingEnabled: true },
    toolIds: [],
    ...agent,
  });
  const { id: carrierId } = await ask<{ id: string }>("POST", "/carriers", {
    carrier: EMULATED[carrier].wire,
    name: carrier,
    credentials: credentialsOf(carrier, emulator.credentials),
  });
  const { data: numbers } = await ask<{ data: { id: string; number: string }[] }>("POST", "/phone-numbers/import", {
    carrierId,
  });
  const number = numbers.find((each) => each.number === NUMBER);
  if (number === undefined) throw new Error(`the carrier has no ${NUMBER}`);
  await ask("PATCH", `/phone-numbers/${number.id}`, { agentId });
  await ask("POST", `/phone-numbers/${number.id}/attach`);
  return agentId;
}
