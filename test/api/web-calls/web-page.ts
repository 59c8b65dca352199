import type { LightMyRequestResponse } from "fastify";
import { type ApiUnderTest, errorOf } from "../../support/api/harness.ts";

export const SHOP = "https://shop.example";
export const AGENT = {
  name: "Front desk",
  basePrompt: "You speak with {{customer}}.",
  languageId: "en-US",
  voiceId: "fake/en-us",
  variables: [{ name: "customer", type: "string", default: "somebody" }],
  allowedOverrides: ["maxDuration"],
};

export interface KeyItem {
  id: string;
  name: string;
  key: string;
  status: string;
  agentIds: string[];
  origins: string[];
  limits: Record<string, number | null>;
  revokedAt: string | null;
}

/** A request of a page; every member has a default that is allowed. */
export interface PageRequest {
  key?: string;
  agentId?: string;
  /** Null: the header is missing. */
  origin?: string | null;
  /** Of the connection. */
  address?: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** An agent, a publishable key for it, and pages that start calls with it. */
export class WebPage {
  readonly api: ApiUnderTest;
  readonly agentId: string;
  readonly key: KeyItem;

  private constructor(api: ApiUnderTest, agentId: string, key: KeyItem) {
    this.api = api;
    this.agentId = agentId;
    this.key = key;
  }

  /** With these limits, and the others so high that no test reaches them. */
  static async open(api: ApiUnderTest, limits: object = {}, callSettings: object = {}): Promise<WebPage> {
    const { id } = (await api.post({ ...AGENT, callSettings }, {}, "/api/v1/agents")).body as { id: string };
    const high = { startsPerMinute: 1_000, startsPerMinutePerAddress: 1_000, concurrentCalls: 900 };
    const body = {
      name: "shop",
      agentIds: [id],
      origins: [SHOP],
      limits: { ...high, concurrentCallsPerAddress: 900, ...limits },
    };
    const answer = await api.post(body, {}, "/api/v1/publishable-keys");
    if (answer.status !== 201) throw new Error(answer.text);
    return new WebPage(api, id, answer.body as KeyItem);
  }

  async start(request: PageRequest = {}): Promise<LightMyRequestResponse> {
    const { key = this.key.key, agentId = this.agentId, origin = SHOP, address = "198.51.100.1", body = {} } = request;
    return await this.api.app.inject({
      method: "POST",
      url: `/api/v1/agents/${agentId}/web-calls`,
      headers: { "x-api-key": key, ...(origin !== null && { origin }), ...request.headers },
      payload: body as object,
      remoteAddress: address,
    });
  }

  /** The status, or the code and the message of the error. */
  async outcome(request: PageRequest = {}): Promise<string> {
    const answer = await this.start(request);
    if (answer.statusCode === 201) return "201";
    const { code, message } = errorOf({ status: 0, headers: {}, text: "", body: answer.json() });
    return `${answer.statusCode} ${code}: ${message}`;
  }
}

/** How often requests with publishable keys had this outcome, by the metrics. */
export async function counted(api: ApiUnderTest, outcome: string): Promise<number> {
  const text = await api.metrics.registry.metrics();
  const line = text.split("\n").find((one) => one.includes("web_call_starts_total{") && one.includes(`"${outcome}"`));
  return Number(line?.split(" ").at(-1));
}
