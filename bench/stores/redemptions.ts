import { spreadOf } from "../harness/statistics.ts";
import type { Child } from "../rig/child-process.ts";
import type { RedeemerQuestions } from "./clients/redeemer.ts";
import type { ClientQuestions } from "./clients/requests.ts";
import { CREATED_PER_SECOND } from "./creation.ts";
import type { RequestTimes, StoreName } from "./result.ts";
import { failuresOf, NEW_CALL, type Scene, withChild, withStore } from "./scene.ts";

// Redemptions as carriers cause them: a new connection, an upgrade with a token, the answer 101. Meanwhile calls are created.

const REDEEMED_PER_SECOND = 20;
const SECONDS = 60;
const WARM_UP_SECONDS = 20;
const REDUCED_SECONDS = 5;
const HOLD_MS = 250;
/** Longer than the tokens wait for their turn. */
const ENV = { TOKEN_TTL_S: "120", CALLS_PER_WORKER: "100000" };

export function measureRedemptions(scene: Scene, store: StoreName): Promise<RequestTimes[]> {
  const seconds = scene.options.reduced ? REDUCED_SECONDS : SECONDS;
  const body = JSON.stringify({ ...NEW_CALL, recordingEnabled: false });
  return withStore(scene, store, { accounts: 2, env: ENV }, ({ apiUrl, keys: [key, other = key] }) => {
    const measure = async (client: Child<ClientQuestions>, redeemer: Child<RedeemerQuestions>) => {
      const creating = { method: "POST", path: "/api/v1/calls", body, apiUrl, key: other } as const;
      const load = { apiUrl, key, body, perSecond: REDEEMED_PER_SECOND, holdMs: HOLD_MS };
      const redeem = async (seconds: number) => {
        await redeemer.ask("prepare", { ...load, seconds });
        return await Promise.all([
          client.ask("openLoad", { ...creating, perSecond: CREATED_PER_SECOND, seconds }),
          redeemer.ask("redeem", { ...load, seconds }),
        ]);
      };
      // What the service compiles is not what is asked.
      await redeem(WARM_UP_SECONDS);
      const [created, redeemed] = await redeem(seconds);
      scene.problems.push(
        ...failuresOf(`POST /calls ${store}`, created),
        ...failuresOf(`redemptions ${store}`, redeemed),
      );
      const times = [
        { name: "connection to 101", store, tookMs: spreadOf(redeemed.tookMs) },
        { name: "upgrade to 101", store, tookMs: spreadOf(redeemed.upgradeMs) },
        { name: "POST /calls meanwhile", store, tookMs: spreadOf(created.tookMs) },
      ];
      for (const { name, tookMs } of times) {
        scene.write(`redemptions, ${store}, ${name}: ${tookMs.p50.toFixed(1)} ms p50, ${tookMs.p99.toFixed(1)} ms p99`);
      }
      return times;
    };
    return withChild<ClientQuestions, RequestTimes[]>("./clients/client", (client) =>
      withChild<RedeemerQuestions, RequestTimes[]>("./clients/redeemer", (redeemer) => measure(client, redeemer)),
    );
  });
}
