import { head } from "../../support/network/raw-http.ts";
import { AttackConnections, CLOSED_MS_MAX, type Endpoint, pause } from "../connections.ts";
import { type Attack, type Outcome, type Ready, SILENT_MS_MAX, type Size, SOON_MS_MAX } from "./attack.ts";
import { unknownTokens } from "./redemptions.ts";
import { outcome, silence, upgrade } from "./stream-helpers.ts";

/** Attacks by connections, who have neither a key nor a token. */

const DRIP_MS = 500;

/** Every client sends `words`, one byte now and then, and never finishes. */
async function drip(door: Endpoint, { attackers }: Size, ready: Ready, words: string): Promise<Outcome> {
  await ready();
  const crowd = new AttackConnections(door);
  await crowd.gather(attackers, () => words.slice(0, 1));
  const untilMs = performance.now() + CLOSED_MS_MAX;
  for (let at = 1; performance.now() < untilMs && crowd.closed < crowd.members.length; at += 1) {
    for (const { socket } of crowd.members) if (socket.writable) socket.write(words[at] ?? "x");
    await pause(DRIP_MS);
  }
  await crowd.end(0);
  return outcome(crowd);
}

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-Header-${index}`, "value"]));

const UNKNOWN = `/stream/${"x".repeat(64)}`;
/** Malformed HTTP request heads, and heads that are followed by more bytes. */
const HEADS = [
  upgrade(UNKNOWN, many(101)),
  upgrade(UNKNOWN, { "X-Big": "a".repeat(4_097) }),
  upgrade(UNKNOWN, { "Sec-WebSocket-Protocol": `${" ".repeat(16_384)}a` }),
  upgrade(UNKNOWN).replaceAll("\r\n", "\n"),
  upgrade(UNKNOWN) + upgrade(UNKNOWN),
  head(`POST ${UNKNOWN}`, { "Content-Length": "5", "Transfer-Encoding": "chunked" }),
];

export const CONNECTION_ATTACKS: readonly Attack[] = [
  {
    id: "D1",
    name: "connections that say nothing",
    full: { attackers: 10_000, seconds: 0 },
    small: { attackers: 100, seconds: 0 },
    closedMsMax: SILENT_MS_MAX,
    async run({ media }, { attackers }, ready) {
      await ready();
      const crowd = new AttackConnections(media);
      await crowd.gather(attackers);
      return await silence(crowd);
    },
  },
  {
    id: "T9",
    name: "upgrades with unknown tokens, a second",
    full: { attackers: 10_000, seconds: 10 },
    small: { attackers: 200, seconds: 1 },
    closedMsMax: SOON_MS_MAX,
    inventsTokens: true,
    run: (target, size, ready) => unknownTokens(target, size, ready, upgrade),
  },
  {
    id: "ADV-M5",
    name: "1,733 random tokens a second",
    full: { attackers: 1_733, seconds: 10 },
    small: { attackers: 100, seconds: 1 },
    closedMsMax: SOON_MS_MAX,
    inventsTokens: true,
    run: (target, size, ready) => unknownTokens(target, size, ready, upgrade),
  },
  {
    id: "B9",
    name: "heads that are none",
    full: { attackers: 3_000, seconds: 0 },
    small: { attackers: 60, seconds: 0 },
    closedMsMax: SOON_MS_MAX,
    async run({ media }, { attackers }, ready) {
      await ready();
      const crowd = new AttackConnections(media);
      await crowd.gather(attackers, (index) => HEADS[index % HEADS.length] ?? "");
      return await silence(crowd);
    },
  },
  {
    id: "D2",
    name: "heads that come byte by byte",
    full: { attackers: 1_000, seconds: 0 },
    small: { attackers: 50, seconds: 0 },
    closedMsMax: SILENT_MS_MAX,
    run: ({ media }, size, ready) => drip(media, size, ready, upgrade(UNKNOWN, { "X-Long": "a".repeat(1_000) })),
  },
  {
    id: "D2",
    name: "bodies that come byte by byte, to the API",
    full: { attackers: 1_000, seconds: 0 },
    small: { attackers: 50, seconds: 0 },
    closedMsMax: SILENT_MS_MAX,
    run: ({ api }, size, ready) =>
      drip(
        api,
        size,
        ready,
        head("POST /api/v1/calls", { "Content-Type": "application/json", "Content-Length": "9999" }),
      ),
  },
];
