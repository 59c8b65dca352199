import { type Schema, TrunklineApiError, TrunklineClient } from "#client";
import { asCallId, type CallId } from "../../src/core/ids.ts";
import type { Endpoint } from "./connections.ts";

/** A call that waits for its stream. */
export interface NewCall {
  id: CallId;
  websocketUrl: string;
}

/** The least that makes a call with the reference pair. */
const NEW_CALL = {
  systemPrompt: "The bakery is closed on Monday.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "carrier_a",
  firstSpeaker: "agent",
  greeting: "Good day, this is the bakery.",
  inactivityTimeout: 300,
} as const;
/** So many are asked for at once. */
const AT_ONCE = 10;
/** A loop that lags takes no calls for some seconds. */
const TAKEN_MS_MAX = 20_000;
const RETRY_MS = 200;

/** The control API of a service under attack. */
export class ServiceApi {
  readonly #url: string;
  readonly #client: TrunklineClient;
  readonly key: string;

  /** `url` as `startService` tells it. */
  constructor(url: string, key: string) {
    this.#url = url;
    this.#client = new TrunklineClient({ baseUrl: url, apiKey: key });
    this.key = key;
  }

  get url(): string {
    return this.#url;
  }

  get door(): Endpoint {
    const { hostname, port } = new URL(this.#url);
    return { host: hostname, port: Number(port) };
  }

  /** One more call, whose fields replace the usual ones; undefined when none is taken now. */
  async create(fields: object = {}): Promise<NewCall | undefined> {
    try {
      const { id, websocketUrl } = await this.#client.post("/calls", { body: { ...NEW_CALL, ...fields } });
      return { id: asCallId(id), websocketUrl };
    } catch (error) {
      if (error instanceof TrunklineApiError && error.status === 503) return undefined;
      throw error;
    }
  }

  /** So many calls; waits where they are not taken at once. */
  async createAll(count: number, fields: (index: number) => object): Promise<NewCall[]> {
    const calls: NewCall[] = [];
    const untilMs = performance.now() + TAKEN_MS_MAX;
    while (calls.length < count) {
      const next = Array.from({ length: Math.min(AT_ONCE, count - calls.length) }, (_, at) =>
        fields(calls.length + at),
      );
      const made = (await Promise.all(next.map((call) => this.create(call)))).filter((call) => call !== undefined);
      calls.push(...made);
      if (made.length > 0) continue;
      if (performance.now() > untilMs) throw new Error("no calls were taken");
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    return calls;
  }

  async record(id: string): Promise<Schema<"Call">> {
    return await this.#client.get("/calls/{id}", { path: { id } });
  }

  /** The record of a call that is over by then; as it is, when it is not. */
  async ended(id: string, withinMs: number): Promise<Schema<"Call">> {
    for (const untilMs = performance.now() + withinMs; ; ) {
      const record = await this.record(id);
      if (!["created", "active"].includes(record.status) || performance.now() > untilMs) return record;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
