import type { TrunklineClient } from "#client";
import { Service } from "../services/service.ts";
import { adminClientOf, type BOOK } from "./page-calls.ts";

// A service with WebRTC whose agents sell bread, for calls of browsers.

export const GREETING = "Hello, this is the bakery.";
export const ANSWER = "The bakery is open from eight to six.";
export const QUESTION = "When is the bakery open?";
/** A service, and a client that may set up agents and publishable keys. */
export interface BakeryService {
  service: Service;
  webrtcUrl: string;
  client: TrunklineClient;
}

export async function startBakery(
  udpPorts: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BakeryService> {
  const service = await Service.start({ env: { WEBRTC_UDP_PORTS: udpPorts, WEBRTC_MEDIA_PORT: "0", ...env } });
  const webrtcUrl = String(service.logged("service ready")[0]?.webrtcUrl);
  return { service, webrtcUrl, client: await adminClientOf(service) };
}

export interface BakeryAgent {
  greeting?: string;
  tools?: readonly (typeof BOOK)[];
}

/** What a page of this origin needs to call a new agent. */
export interface PageSession {
  apiUrl: string;
  agentId: string;
  publishableKey: string;
}

/** An agent, and a publishable key for pages of this origin. */
export async function sessionFor(
  { service, client }: BakeryService,
  origin: string,
  { greeting = GREETING, tools = [] }: BakeryAgent = {},
): Promise<PageSession> {
  const agent = await client.post("/agents", {
    body: {
      name: "Shop",
      basePrompt: `${ANSWER} It is closed on Monday.`,
      languageId: "en-US",
      voiceId: "reference/gmw/en-US",
      callSettings: {
        interruptible: true,
        greeting,
        selectedTools: [{ toolName: "hang_up" }, ...tools.map((definition) => ({ definition }))],
      },
    },
  });
  const { key } = await client.post("/publishable-keys", {
    body: { name: "shop", agentIds: [agent.id], origins: [origin], limits: { startsPerMinutePerAddress: 100 } },
  });
  return { apiUrl: service.apiUrl, agentId: agent.id, publishableKey: key };
}

/** The newest call, once a page has begun it. */
export async function newestCall({
  service,
}: BakeryService): Promise<{ id: string; connectionType: string; status: string }> {
  const { body } = await service.api<{ data: { id: string; connectionType: string; status: string }[] }>(
    "GET",
    "/calls?limit=1",
  );
  const [call] = body.data;
  if (call === undefined) throw new Error("there is no call");
  return call;
}
