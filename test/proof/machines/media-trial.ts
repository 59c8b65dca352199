import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { benchLine } from "../../../bench/rig/lines.ts";
import { withoutSessionsFirst } from "../../../bench/rig/priority.ts";
import type { BenchService } from "../../../bench/rig/service.ts";
import { renderSpeech } from "../../../bench/rig/speech.ts";
import { LiveCalls } from "../../../bench/stores/interference/live-calls.ts";
import type { FrameRound } from "../../../bench/stores/result.ts";
import { formatsOf } from "../../../src/simulator/lines.ts";
import { S3_CREDENTIALS, startS3Server } from "../../support/bucket/s3-server.ts";
import { freePort } from "../../support/network/free-port.ts";
import { PostgresServer } from "../../support/postgres/server.ts";
import { buildProbe, startCallers, withProbedService } from "../interference.ts";

// The frames of a node on Postgres and a bucket, beside those of a service on SQLite. Both have live calls, are on the same machine, and
// are measured at the same time, so that whatever else the machine does, both have it.

const WARM_UP_MS = 8_000;
/** The agents must still speak in the last round. */
const SLACK_S = 20;

export interface MediaOptions {
  /** Of each of the two services. */
  calls: number;
  rounds: number;
  seconds: number;
}

export interface MediaResult extends MediaOptions {
  /** `quiet` is the service on SQLite, `loaded` the node on the shared stores. */
  pairs: readonly { quiet: FrameRound; loaded: FrameRound }[];
  losses: readonly string[];
  /** Objects that the bucket has of the node's calls, which went on being shipped while frames were measured. */
  shipped: number;
}

/** Recorded calls of two services at once. Rejects where the calls cannot be held. */
export async function mediaTrial(options: MediaOptions, print: (line: string) => void): Promise<MediaResult> {
  buildProbe();
  return await withoutSessionsFirst(() =>
    withSharedStores((environment, databaseUrl, countObjects) =>
      withProbedService({ accounts: 1 }, (alone, probeAlone) =>
        withProbedService({ accounts: 1, databaseUrl, env: environment }, async (node, probeNode) => {
          const sides = { quiet: { service: alone, probe: probeAlone }, loaded: { service: node, probe: probeNode } };
          return { ...(await measureBoth(sides, options, print)), shipped: await countObjects() };
        }),
      ),
    ),
  );
}

/** A Postgres and a bucket, and the environment of a node on them. */
async function withSharedStores<T>(
  work: (
    environment: Readonly<Record<string, string>>,
    databaseUrl: string,
    countObjects: () => Promise<number>,
  ) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-media-"));
  mkdirSync(join(folder, "bucket"));
  const postgres = await PostgresServer.start();
  const s3 = await startS3Server({ directory: join(folder, "bucket") });
  const mediaPort = String(await freePort());
  const environment = {
    NODE_NAME: "node-1",
    MEDIA_PORT: mediaPort,
    NODE_MEDIA_URL: `ws://127.0.0.1:${mediaPort}`,
    SECRETS_KEY: randomBytes(32).toString("base64"),
    BUCKET_URL: s3.url,
    BUCKET_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
    BUCKET_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
  };
  const countObjects = async (): Promise<number> => {
    let count = 0;
    for await (const _key of s3.bucket().list("")) count += 1;
    return count;
  };
  try {
    return await work(environment, await postgres.createDatabase(), countObjects);
  } finally {
    await s3.close();
    await postgres.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Side {
  service: BenchService;
  /** Where its workers answer. */
  probe: string;
}

async function measureBoth(
  sides: { quiet: Side; loaded: Side },
  { calls, rounds, seconds }: MediaOptions,
  print: (line: string) => void,
): Promise<Omit<MediaResult, "shipped">> {
  const { callerAudio: audio } = await renderSpeech(formatsOf(benchLine("carrier_a")).inbound);
  const lastS = (2 * WARM_UP_MS) / 1_000 + rounds * seconds + SLACK_S;
  const callers = [await startCallers(), await startCallers()] as const;
  const begin = ({ service, probe: probeFolder }: Side, of: (typeof callers)[number]): Promise<LiveCalls> =>
    LiveCalls.begin(service, {
      ...{ callers: of, audio, probeFolder, count: calls, seconds: lastS },
      recordingEnabled: true,
    });
  try {
    // One after the other: the speech of a hundred greetings that begin at once comes too late on two processors.
    const alone = await begin(sides.quiet, callers[0]);
    await delay(WARM_UP_MS);
    const node = await begin(sides.loaded, callers[1]);
    await delay(WARM_UP_MS);
    const pairs: { quiet: FrameRound; loaded: FrameRound }[] = [];
    while (pairs.length < rounds) {
      const round = (live: LiveCalls): Promise<FrameRound> => live.measure(seconds, () => delay(seconds * 1_000));
      const [quiet, loaded] = await Promise.all([round(alone), round(node)]);
      pairs.push({ quiet, loaded });
      print(
        `  ${pairs.length} of ${rounds} rounds: p99 ${quiet.writtenMs.p99.toFixed(2)} ms on SQLite, ${loaded.writtenMs.p99.toFixed(2)} ms on the shared stores`,
      );
    }
    const losses = [...(await alone.end()), ...(await node.end())];
    return { calls, rounds, seconds, pairs, losses };
  } finally {
    for (const each of callers) each.stop();
  }
}
