import { expect, test } from "vitest";
import { TrunklineClient } from "#client";
import { hasPostgres } from "../support/postgres/server.ts";
import { LocalCluster } from "./local-cluster.ts";

const TIMEOUT_MS = 180_000;
const CALLS = 12;
const NEW_CALL = {
  systemPrompt: "The bakery is closed on Monday.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "carrier_a",
} as const;

test.runIf(hasPostgres)(
  "npm run cluster: a call that one node created is known to the others, and calls go to every node (only where PostgreSQL is installed)",
  { timeout: TIMEOUT_MS },
  async () => {
    const lines: string[] = [];
    const signal = new AbortController().signal;
    const cluster = await LocalCluster.start({ nodes: 2, say: (line) => lines.push(line), signal });
    try {
      const [one, other] = cluster.nodes.map(
        ({ apiUrl }) => new TrunklineClient({ baseUrl: apiUrl, apiKey: cluster.apiKey }),
      ) as [TrunklineClient, TrunklineClient];
      const hosts = new Set<string>();
      for (let n = 0; n < CALLS; n += 1) {
        const { id, websocketUrl } = await one.post("/calls", { body: NEW_CALL });
        hosts.add(new URL(websocketUrl).host);
        expect((await other.get("/calls/{id}", { path: { id } })).status).toBe("created");
      }
      expect(hosts.size).toBe(2);
      expect(lines.filter((line) => /^node-\d: http/.test(line))).toHaveLength(2);
    } finally {
      await cluster.stop();
    }
  },
);
