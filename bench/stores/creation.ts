import { spreadOf } from "../harness/statistics.ts";
import type { BareRouteQuestions } from "./clients/bare-route.ts";
import type { ClientQuestions, LoadReport } from "./clients/requests.ts";
import type { RequestTimes, StoreName } from "./result.ts";
import { failuresOf, NEW_CALL, pooled, type Scene, withChild, withStore } from "./scene.ts";

// `POST /calls` at a fixed rate, in turn with a bare route that does nothing.

export const CREATED_PER_SECOND = 100;
const ROUNDS = 3;
const SECONDS = 20;
const REDUCED = { rounds: 1, seconds: 5 };
/** Before the first round of each, so that its code is compiled. */
const WARM_UP_S = 3;
/** Tokens expire while calls are created, as they do in a service that runs on. */
const TOKEN_TTL_S = 20;

interface Contestant {
  name: string;
  store: StoreName | undefined;
  apiUrl: string;
  key: string;
  rounds: LoadReport[];
}

/** Measures all stores in one run, with their services up at the same time; each waits while another is loaded. */
export function measureCreation(scene: Scene): Promise<RequestTimes[]> {
  return withChild<BareRouteQuestions, RequestTimes[]>("./clients/bare-route", async (bare) => {
    const contestants: Contestant[] = [
      { name: "bare route", store: undefined, apiUrl: await bare.ask("address", undefined), key: "none", rounds: [] },
    ];
    return await withServices(scene, scene.options.stores, contestants);
  });
}

/** Starts the services one inside the other. */
async function withServices(
  scene: Scene,
  [store, ...others]: readonly StoreName[],
  contestants: Contestant[],
): Promise<RequestTimes[]> {
  if (store === undefined) return await compare(scene, contestants);
  const env = { TOKEN_TTL_S: String(TOKEN_TTL_S), CALLS_PER_WORKER: "100000" };
  return await withStore(scene, store, { accounts: 1, env }, async ({ apiUrl, keys: [key] }) => {
    contestants.push({ name: "POST /calls", store, apiUrl, key, rounds: [] });
    return await withServices(scene, others, contestants);
  });
}

function compare(scene: Scene, contestants: readonly Contestant[]): Promise<RequestTimes[]> {
  const { rounds, seconds } = scene.options.reduced ? REDUCED : { rounds: ROUNDS, seconds: SECONDS };
  return withChild<ClientQuestions, RequestTimes[]>("./clients/client", async (client) => {
    const load = { method: "POST", path: "/api/v1/calls", body: JSON.stringify(NEW_CALL) } as const;
    const run = ({ apiUrl, key }: Contestant, forS: number): Promise<LoadReport> =>
      client.ask("openLoad", { ...load, apiUrl, key, perSecond: CREATED_PER_SECOND, seconds: forS });
    for (const contestant of contestants) await run(contestant, WARM_UP_S);
    for (let round = 1; round <= rounds; round += 1) {
      for (const contestant of contestants) {
        const report = await run(contestant, seconds);
        contestant.rounds.push(report);
        const { p50, p99 } = spreadOf(report.tookMs.slice());
        const name = [contestant.name, contestant.store].join(" ").trim();
        scene.write(
          `creation, round ${round} of ${rounds}, ${name}: ${p50.toFixed(1)} ms p50, ${p99.toFixed(1)} ms p99`,
        );
        scene.problems.push(...failuresOf(name, report));
      }
    }
    return contestants.map(({ name, store, rounds: reports }) => ({
      name,
      store,
      tookMs: spreadOf(pooled(reports.map(({ tookMs }) => tookMs))),
    }));
  });
}
