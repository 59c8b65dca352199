import { execFileSync } from "node:child_process";
import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { GeneratorQuestions } from "../../../bench/generator/protocol.ts";
import { Child } from "../../../bench/rig/child-process.ts";
import { benchLine } from "../../../bench/rig/lines.ts";
import { BELOW_WORKERS, withoutSessionsFirst } from "../../../bench/rig/priority.ts";
import { type BenchService, sendRequest, withService } from "../../../bench/rig/service.ts";
import { renderSpeech } from "../../../bench/rig/speech.ts";
import { LiveCalls } from "../../../bench/stores/interference/live-calls.ts";
import type { FrameRound } from "../../../bench/stores/result.ts";
import { formatsOf } from "../../../src/simulator/lines.ts";

// What live calls notice of files that are transcribed: quiet and loaded rounds take turns. In a loaded round there are always more files
// than are transcribed at once.

const FULL = { calls: 50, pairs: 7, seconds: 10 };
const REDUCED = { calls: 10, pairs: 2, seconds: 4 };
const WARM_UP_MS = 4_000;
const SETTLE_MS = 3_000;
/** A loaded round takes longer where the machine is slow, and the agents must still speak in the last one. */
const ROUNDS_SLACK = 1.5;
/** Not yet over at any time of a loaded round: three are transcribed, two of each account. */
const FILES = 6;
const POLL_MS = 500;

export interface BatchInterferenceResult {
  calls: number;
  pairs: readonly { quiet: FrameRound; loaded: FrameRound }[];
  /** Files that were taken in the loaded rounds. */
  files: number;
  losses: readonly string[];
}

/** `file` is the content of each of the files. */
export async function measureBatchInterference(
  file: Buffer,
  { reduced, print }: { reduced: boolean; print: (line: string) => void },
): Promise<BatchInterferenceResult> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-probe-"));
  const path = join(folder, "file.wav");
  const probeFolder = mkdtempSync(join(folder, "probe-"));
  writeFileSync(path, file);
  // Frames are timed in a service that is compiled together with its probe.
  execFileSync("npm", ["run", "--silent", "bench:build"], { stdio: "inherit" });
  const env = {
    STT: "reference",
    TTS: "reference",
    PROBE_FOLDER: probeFolder,
    NODE_OPTIONS: `--import ${compiled("bench/stores/interference/probe")}`,
  };
  const program = { path: compiled("src/main"), execArgv: [] };
  try {
    return await withoutSessionsFirst(() =>
      withService({ accounts: 3, env, program }, (service) =>
        compare({ service, path, probeFolder, ...(reduced ? REDUCED : FULL) }, print),
      ),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const compiled = (module: string): string =>
  fileURLToPath(new URL(`../../../bench/dist/${module}.js`, import.meta.url));

interface Scene {
  service: BenchService;
  path: string;
  probeFolder: string;
  calls: number;
  pairs: number;
  seconds: number;
}

async function compare(scene: Scene, print: (line: string) => void): Promise<BatchInterferenceResult> {
  const { service, probeFolder, calls, pairs: count, seconds } = scene;
  const callers = await Child.start<GeneratorQuestions>(import.meta.url, "../../../bench/generator/generator", {
    through: BELOW_WORKERS,
  });
  try {
    const { callerAudio: audio } = await renderSpeech(formatsOf(benchLine("carrier_a")).inbound);
    const lastS = ROUNDS_SLACK * (WARM_UP_MS / 1_000 + (count + 1) * (2 * seconds + (2 * SETTLE_MS) / 1_000));
    const live = await LiveCalls.begin(service, { callers, audio, probeFolder, count: calls, seconds: lastS });
    const queue = new FullQueue(scene);
    const quiet = () => live.measure(seconds, () => delay(seconds * 1_000));
    const loaded = async (): Promise<FrameRound> => {
      await queue.fill();
      const round = await live.measure(seconds, () => queue.keepFull(seconds));
      await queue.clear();
      await delay(SETTLE_MS);
      return round;
    };
    await delay(WARM_UP_MS);
    // In the first one the service starts its transcriber and compiles what it runs.
    await loaded();
    const pairs: { quiet: FrameRound; loaded: FrameRound }[] = [];
    while (pairs.length < count) {
      // Each kind of round is the first one every other time.
      const isQuietFirst = pairs.length % 2 === 0;
      const first = isQuietFirst ? await quiet() : await loaded();
      const second = isQuietFirst ? await loaded() : await quiet();
      pairs.push(isQuietFirst ? { quiet: first, loaded: second } : { quiet: second, loaded: first });
      print(`  ${pairs.length} of ${count} pairs of rounds beside files`);
    }
    return { calls, pairs, files: queue.taken, losses: await live.end() };
  } finally {
    callers.stop();
  }
}

/** Files of two accounts, of which some are always waiting. */
class FullQueue {
  readonly #service: BenchService;
  readonly #path: string;
  #open: { id: string; key: string }[] = [];
  taken = 0;

  constructor({ service, path }: Scene) {
    this.#service = service;
    this.#path = path;
  }

  async fill(): Promise<void> {
    while (this.#open.length < FILES) this.#open.push(await this.#upload());
  }

  async keepFull(seconds: number): Promise<void> {
    const endMs = performance.now() + seconds * 1_000;
    while (performance.now() < endMs) {
      await delay(POLL_MS);
      const isOpen = await Promise.all(this.#open.map((file) => this.#isOpen(file)));
      this.#open = this.#open.filter((_, index) => isOpen[index]);
      await this.fill();
    }
  }

  async clear(): Promise<void> {
    for (const { id, key } of this.#open.splice(0)) {
      await sendRequest({ ...this.#service, key }, "POST", `/api/v1/transcriptions/${id}/cancel`, 200, "{}");
    }
  }

  async #upload(): Promise<{ id: string; key: string }> {
    const [, ...keys] = this.#service.keys;
    const key = keys[this.taken % keys.length] as string;
    this.taken += 1;
    const form = new FormData();
    form.append("language", "en");
    form.append("file", await openAsBlob(this.#path), "file.wav");
    const url = `${this.#service.apiUrl}/api/v1/transcriptions`;
    const response = await fetch(url, { method: "POST", headers: { "X-API-Key": key }, body: form });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST /transcriptions: ${response.status} ${text}`);
    return { id: (JSON.parse(text) as { id: string }).id, key };
  }

  async #isOpen({ id, key }: { id: string; key: string }): Promise<boolean> {
    const answer = await sendRequest({ ...this.#service, key }, "GET", `/api/v1/transcriptions/${id}`, 200);
    const { status } = JSON.parse(answer.toString()) as { status: string };
    return status === "queued" || status === "processing";
  }
}
