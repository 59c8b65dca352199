import { head } from "../support/raw-http.ts";
import type { Attack, Outcome, Ready, Size, Target } from "./attacks.ts";
import { Crowd, type Door, pause } from "./crowd.ts";

/** Attacks on the control process by whoever reaches its ports, and by a user with an API key of an account of its own. */

const PROBE_MS = 100;
const LIST_CALLS = 100;
/** As large as a body may be. */
const LARGE_CALL = {
  systemPrompt: "x",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "websocket",
  firstSpeaker: "user",
  selectedTools: Array.from({ length: 30 }, (_, index) => ({
    definition: {
      type: "client",
      name: `tool_${index}`,
      description: "Does nothing.",
      parameters: { type: "object", description: "x".repeat(7_900) },
    },
  })),
};

const urlOf = ({ host, port }: Door, path: string): string => `http://${host}:${port}${path}`;

/** Everybody asks for a page of very large calls, again and again, with an API key of an account of its own. */
async function largeLists({ api, key }: Target, { attackers, seconds }: Size, ready: Ready): Promise<Outcome> {
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  const body = JSON.stringify(LARGE_CALL);
  for (let count = 0; count < LIST_CALLS; count += 1) {
    const { status } = await fetch(urlOf(api, "/api/v1/calls"), { method: "POST", headers, body });
    if (status !== 201) throw new Error(`a call was not created: ${status}`);
  }
  await ready();
  const answers: Record<string, number> = {};
  const untilMs = performance.now() + seconds * 1_000;
  const ask = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const answer = await fetch(urlOf(api, `/api/v1/calls?limit=${LIST_CALLS}`), { headers });
      await answer.arrayBuffer();
      answers[answer.status] = (answers[answer.status] ?? 0) + 1;
      // As a client does that heeds `Retry-After` badly.
      if (answer.status !== 200) await pause(PROBE_MS);
    }
  };
  await Promise.all(Array.from({ length: attackers }, ask));
  return { attackers, closed: attackers, longestMs: 0, answers };
}

/** Idle connections to the API and to the metrics port; meanwhile new requests must be answered on both. */
async function idleConnections({ api, metrics }: Target, { attackers, seconds }: Size, ready: Ready): Promise<Outcome> {
  await ready();
  const crowds = [api, metrics].map((door) => new Crowd(door));
  await Promise.all(crowds.map((crowd) => crowd.gather(attackers / crowds.length, () => head("GET /healthz"))));
  const untilMs = performance.now() + seconds * 1_000;
  let probes = 0;
  for (; performance.now() < untilMs; probes += 1) {
    for (const door of [api, metrics]) {
      const { status } = await fetch(urlOf(door, "/healthz"), { headers: { Connection: "close" } });
      if (status !== 200) throw new Error(`/healthz on port ${door.port} answered ${status}`);
    }
    await pause(PROBE_MS);
  }
  await Promise.all(crowds.map((crowd) => crowd.end(KEPT_MS_MAX)));
  const members = crowds.flatMap((crowd) => crowd.members);
  return {
    attackers: members.length,
    closed: crowds.reduce((sum, { closed }) => sum + closed, 0),
    longestMs: Math.max(...crowds.map(({ longestMs }) => longestMs)),
    answers: { probes },
  };
}

/** An idle connection is kept for 72 s where there is room for it. */
const KEPT_MS_MAX = 90_000;

export const API_ATTACKS: readonly Attack[] = [
  {
    id: "ADV-M1",
    name: "lists of very large calls, all at once",
    full: { attackers: 30, seconds: 10 },
    small: { attackers: 0, seconds: 0 },
    closedMsMax: KEPT_MS_MAX,
    upgradeMsMax: 50,
    run: largeLists,
  },
  {
    id: "ADV-M6",
    name: "idle connections to the API and to the metrics port",
    full: { attackers: 10_000, seconds: 5 },
    small: { attackers: 0, seconds: 0 },
    closedMsMax: KEPT_MS_MAX,
    run: idleConnections,
  },
];
