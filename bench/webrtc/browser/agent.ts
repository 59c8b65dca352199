import { TrunklineClient } from "#client";
import { type BenchService, withService } from "../../rig/service.ts";

/** What a page calls its agent with. */
export interface Session {
  apiUrl: string;
  agentId: string;
  publishableKey: string;
}

/** Without a pause in it, and longer than any interruption waits. */
export const LONG_GREETING =
  "The bakery is open from Tuesday to Saturday and from seven in the morning until half past five in the afternoon and " +
  "sourdough bread is baked every morning and a loaf of it costs four pounds and delivery is free within three miles";

/** A service with WebRTC, as built, for `work`, and an agent that pages of this origin may call. */
export async function withAgent<Result>(origin: string, work: (session: Session) => Promise<Result>): Promise<Result> {
  const env = { WEBRTC_UDP_PORTS: "47200-47215", WEBRTC_MEDIA_PORT: "0" };
  return await withService({ accounts: 1, env }, async (service) => work(await sessionOf(service, origin)));
}

async function sessionOf({ apiUrl, keys }: BenchService, origin: string): Promise<Session> {
  const client = new TrunklineClient({ baseUrl: apiUrl, apiKey: keys[0] });
  const agent = await client.post("/agents", {
    body: {
      name: "Bakery",
      basePrompt: "The bakery is closed on Monday.",
      languageId: "en-US",
      voiceId: "reference/gmw/en-US",
      callSettings: { interruptible: true, greeting: LONG_GREETING },
    },
  });
  const { key } = await client.post("/publishable-keys", {
    body: { name: "bench", agentIds: [agent.id], origins: [origin], limits: { startsPerMinutePerAddress: 600 } },
  });
  return { apiUrl, agentId: agent.id, publishableKey: key };
}
