import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { GeneratorQuestions } from "../../../../bench/generator/protocol.ts";
import { Child } from "../../../../bench/rig/child-process.ts";
import { benchLine } from "../../../../bench/rig/lines.ts";
import { BELOW_WORKERS, lower, WHERE_IDLE, withoutSessionsFirst } from "../../../../bench/rig/priority.ts";
import { type BenchService, withService } from "../../../../bench/rig/service.ts";
import { renderSpeech } from "../../../../bench/rig/speech.ts";
import { LiveCalls } from "../../../../bench/stores/interference/live-calls.ts";
import type { FrameRound } from "../../../../bench/stores/result.ts";
import { formatsOf } from "../../../../src/simulator/lines.ts";
import { freePort } from "../../../support/network/free-port.ts";
import { PostgresServer } from "../../../support/postgres/server.ts";
import { Random } from "../../../support/random.ts";
import type { Api } from "../../asked-service.ts";
import { KilledService, type StoreName } from "../../killed-service.ts";
import { type ForgedWebhook, forgedWebhooks } from "./forgeries.ts";
import { Originals } from "./originals.ts";
import type { ForgeryResult, SenderQuestions } from "./sender.ts";

// Forged webhooks at a fixed rate, and what live calls notice of them: quiet and loaded rounds take turns. The callers and the sender
// are processes of their own, at lower priority.

const CALLS = 50;
const PAIRS = 7;
const ROUND_S = 10;
/** A first loaded round, in which the service compiles what it runs, is not measured. */
const LOADED_ROUNDS = PAIRS + 1;
const WARM_UP_MS = 4_000;
const SETTLE_MS = 2_000;
/** A loaded round takes longer where the machine is slow, and the agents must still speak in the last one. */
const ROUNDS_SLACK = 1.5;
const REDUCED_PER_SECOND = 100;
/** Of Postgres on the machine of the service, as docs/scaling.md says. */
const POSTGRES_NICE = 10;
const POSTGRES_LOWERED_MS = 500;

export interface FloodOptions {
  store: StoreName;
  seed: number;
  /** How many are sent in all. */
  forgeries: number;
}

export interface FloodResult {
  store: StoreName;
  perSecond: number;
  forged: ForgeryResult;
  /** What the frames of live calls were like, without forged webhooks and with them; none where there were no live calls. */
  pairs: readonly { quiet: FrameRound; loaded: FrameRound }[];
  calls: number;
  /** Why live calls were lost, one line each. */
  losses: readonly string[];
}

/** Only the forged webhooks, without live calls. */
export async function forge({ store, seed, forgeries }: FloodOptions): Promise<FloodResult> {
  const originals = await Originals.start(seed);
  try {
    const service = await KilledService.start(store, originals.env);
    const sender = await Child.start<SenderQuestions>(import.meta.url, "./sender");
    try {
      await originals.gather(service);
      const webhooks = forgedWebhooks(originals.carriers, forgeries, new Random(seed));
      const forged = await sender.ask("send", { webhooks, perSecond: REDUCED_PER_SECOND });
      return { store, perSecond: REDUCED_PER_SECOND, forged, pairs: [], calls: 0, losses: [] };
    } finally {
      sender.stop();
      await service.remove();
    }
  } finally {
    await originals.stop();
  }
}

/** The forged webhooks while live calls go on. */
export async function flood(options: FloodOptions, print: (line: string) => void): Promise<FloodResult> {
  const { store, seed } = options;
  const originals = await Originals.start(seed);
  const postgres = store === "Postgres" ? await PostgresServer.start({ settings: { fsync: "on" } }) : undefined;
  // Each of its connections is a process.
  const lowering = setInterval(() => {
    for (const pid of postgres?.pids ?? []) lower(pid, POSTGRES_NICE);
  }, POSTGRES_LOWERED_MS);
  const probeFolder = mkdtempSync(join(tmpdir(), "trunkline-probe-"));
  try {
    compileBenches();
    const databaseUrl = await postgres?.createDatabase();
    const env = { ...originals.env, ...(await serviceEnv(probeFolder)) };
    return await withoutSessionsFirst(() =>
      withService(
        { accounts: 2, env, databaseUrl, program: { path: compiled("src/main"), execArgv: [] } },
        async (service) => {
          await originals.gather(apiOf(service));
          return await compare(options, { service, originals, probeFolder, print });
        },
      ),
    );
  } finally {
    clearInterval(lowering);
    rmSync(probeFolder, { recursive: true, force: true });
    await postgres?.remove();
    await originals.stop();
  }
}

/** Carriers sign an address that is known before the service starts. Its workers report the times of frames. */
async function serviceEnv(probeFolder: string): Promise<Record<string, string>> {
  const port = await freePort();
  return {
    API_PORT: String(port),
    PUBLIC_API_URL: `http://127.0.0.1:${port}`,
    PROBE_FOLDER: probeFolder,
    NODE_OPTIONS: `--import ${compiled("bench/stores/interference/probe")}`,
  };
}

const compiled = (module: string): string =>
  fileURLToPath(new URL(`../../../../bench/dist/${module}.js`, import.meta.url));

/** Frames are timed in a service that is compiled together with its probe. */
function compileBenches(): void {
  execFileSync("npm", ["run", "--silent", "bench:build"], { stdio: "inherit" });
}

/** The account of the telephone calls: the live calls are another's. */
const apiOf = ({ apiUrl, keys }: BenchService): Api => ({
  ask: async <Body>(method: "GET" | "POST" | "PATCH", path: string, body?: object) => {
    const url = `${apiUrl}/api/v1${path}`;
    const headers = { "X-API-Key": keys[1] ?? keys[0], "Content-Type": "application/json" };
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Body;
  },
});

interface Scene {
  service: BenchService;
  originals: Originals;
  probeFolder: string;
  print: (line: string) => void;
}

async function compare({ store, seed, forgeries }: FloodOptions, scene: Scene): Promise<FloodResult> {
  const { service, originals, probeFolder, print } = scene;
  const callers = await Child.start<GeneratorQuestions>(import.meta.url, "../../../../bench/generator/generator", {
    through: BELOW_WORKERS,
  });
  const sender = await Child.start<SenderQuestions>(import.meta.url, "./sender", { through: WHERE_IDLE });
  try {
    const { callerAudio: audio } = await renderSpeech(formatsOf(benchLine("carrier_a")).inbound);
    const lastS = (ROUNDS_SLACK * (WARM_UP_MS + LOADED_ROUNDS * (2 * ROUND_S * 1_000 + SETTLE_MS))) / 1_000;
    const live = await LiveCalls.begin(service, { callers, audio, probeFolder, count: CALLS, seconds: lastS });
    const perRound = Math.ceil(forgeries / LOADED_ROUNDS);
    const perSecond = perRound / ROUND_S;
    const webhooks = forgedWebhooks(originals.carriers, perRound * LOADED_ROUNDS, new Random(seed));
    const results: ForgeryResult[] = [];
    const quiet = () => live.measure(ROUND_S, () => delay(ROUND_S * 1_000));
    const loaded = async (): Promise<FrameRound> => {
      const sent = results.length * perRound;
      const part: readonly ForgedWebhook[] = webhooks.slice(sent, sent + perRound);
      const round = await live.measure(ROUND_S, async () => {
        results.push(await sender.ask("send", { webhooks: part, perSecond }));
      });
      await delay(SETTLE_MS);
      return round;
    };
    await delay(WARM_UP_MS);
    await loaded();
    const pairs: { quiet: FrameRound; loaded: FrameRound }[] = [];
    while (pairs.length < PAIRS) {
      // Each kind of round is the first one every other time.
      const isQuietFirst = pairs.length % 2 === 0;
      const first = isQuietFirst ? await quiet() : await loaded();
      const second = isQuietFirst ? await loaded() : await quiet();
      pairs.push(isQuietFirst ? { quiet: first, loaded: second } : { quiet: second, loaded: first });
      print(`  ${store}: ${pairs.length} of ${PAIRS} pairs of rounds with forged webhooks`);
    }
    return { store, perSecond, forged: summed(results), pairs, calls: CALLS, losses: await live.end() };
  } finally {
    callers.stop();
    sender.stop();
  }
}

function summed(results: readonly ForgeryResult[]): ForgeryResult {
  const statuses: Record<string, number> = {};
  for (const result of results) {
    for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  }
  return {
    sent: results.reduce((sum, { sent }) => sum + sent, 0),
    accepted: results.flatMap(({ accepted }) => accepted),
    statuses,
  };
}
