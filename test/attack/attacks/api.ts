import { METADATA_BYTES_MAX } from "../../../src/core/limits/calls/calls.ts";
import { LIST_BYTES_MAX } from "../../../src/core/limits/control-api/api.ts";
import { head } from "../../support/network/raw-http.ts";
import { AttackConnections, type Endpoint, pause } from "../connections.ts";
import { ServiceApi } from "../service-api.ts";
import type { Attack, Outcome, Ready, Size, Target } from "./attack.ts";
import { outcome } from "./stream-helpers.ts";

/** Attacks on the control process: by clients that reach its ports, and by a user with an API key of another account. */

const PROBE_MS = 100;
/** What a list asks for, and how many there are: more than fit on a page of calls as large as these. */
const LIST_CALLS = 100;
const CALLS = 70;
/** Half of what a page may have: smaller ones would be another attack. */
const LARGE_PAGE_BYTES_MIN = LIST_BYTES_MAX / 2;
/** With all the metadata that it may have: of a call, that is the most that a list shows. */
const LARGE_CALL = {
  connectionType: "websocket",
  firstSpeaker: "user",
  metadata: { notes: "x".repeat(METADATA_BYTES_MAX - '{"notes":""}'.length) },
};

const urlOf = ({ host, port }: Endpoint, path: string): string => `http://${host}:${port}${path}`;
/** Each account gets more large calls than fit on a page. */
async function makeLargeCalls({ api, keys }: Target, { attackers }: Size): Promise<void> {
  for (const key of keys.slice(0, attackers)) {
    await new ServiceApi(urlOf(api, ""), key).createAll(CALLS, () => LARGE_CALL);
  }
}

/** Every client requests a page of very large calls, again and again. Several accounts are used, so that many pages are made at once. */
async function largeLists({ api, keys: all }: Target, { attackers, seconds }: Size, ready: Ready): Promise<Outcome> {
  const keys = all.slice(0, attackers);
  await ready();
  const answers: Record<string, number> = {};
  let smallestBytes = Number.POSITIVE_INFINITY;
  const untilMs = performance.now() + seconds * 1_000;
  const ask = async (_: unknown, attacker: number): Promise<void> => {
    const headers = { "X-API-Key": keys[attacker % keys.length] ?? "" };
    while (performance.now() < untilMs) {
      const answer = await fetch(urlOf(api, `/api/v1/calls?limit=${LIST_CALLS}`), { headers });
      const { byteLength } = await answer.arrayBuffer();
      answers[answer.status] = (answers[answer.status] ?? 0) + 1;
      if (answer.status === 200) smallestBytes = Math.min(smallestBytes, byteLength);
      // As a client does that heeds `Retry-After` badly.
      else await pause(PROBE_MS);
    }
  };
  await Promise.all(Array.from({ length: attackers }, ask));
  if (!(smallestBytes >= LARGE_PAGE_BYTES_MIN && smallestBytes <= LIST_BYTES_MAX * 1.1)) {
    throw new Error(`the lists were no large ones: the smallest had ${smallestBytes} bytes`);
  }
  return { attackers, closed: attackers, longestMs: 0, answers };
}

/** Idle connections to a port; meanwhile new requests must be answered there. */
async function idleConnections(door: Endpoint, { attackers, seconds }: Size, ready: Ready): Promise<Outcome> {
  await ready();
  const crowd = new AttackConnections(door);
  await crowd.gather(attackers, () => head("GET /healthz"));
  const untilMs = performance.now() + seconds * 1_000;
  let probes = 0;
  for (; performance.now() < untilMs; probes += 1) {
    const { status } = await fetch(urlOf(door, "/healthz"), { headers: { Connection: "close" } });
    if (status !== 200) throw new Error(`/healthz on port ${door.port} answered ${status}`);
    await pause(PROBE_MS);
  }
  await crowd.end(KEPT_MS_MAX);
  return { ...outcome(crowd, { probes }), attackers: crowd.members.length };
}

/** An idle connection is kept for 72 s where there is room for it. */
const KEPT_MS_MAX = 90_000;

export const API_ATTACKS: readonly Attack[] = [
  {
    id: "ADV-M1",
    name: "lists of very large calls, all at once",
    full: { attackers: 30, seconds: 10 },
    small: { attackers: 4, seconds: 1 },
    closedMsMax: KEPT_MS_MAX,
    upgradeMsMax: 50,
    prepare: makeLargeCalls,
    run: largeLists,
  },
  {
    id: "ADV-M6",
    name: "idle connections to the API",
    full: { attackers: 5_000, seconds: 5 },
    // There is room for some hundreds, which stay for 72 s.
    small: { attackers: 0, seconds: 0 },
    closedMsMax: KEPT_MS_MAX,
    run: ({ api }, size, ready) => idleConnections(api, size, ready),
  },
  {
    id: "ADV-M6",
    name: "idle connections to the metrics port",
    full: { attackers: 5_000, seconds: 5 },
    small: { attackers: 100, seconds: 1 },
    closedMsMax: KEPT_MS_MAX,
    run: ({ metrics }, size, ready) => idleConnections(metrics, size, ready),
  },
];
