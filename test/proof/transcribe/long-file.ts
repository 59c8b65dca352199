import { spawnSync } from "node:child_process";
import { createWriteStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../../src/core/clock.ts";
import type { TranscriptionResult } from "../../../src/core/transcriptions/result.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { wavHeader } from "../../../src/media/wav.ts";
import { createReferenceTts } from "../../../src/speech/reference/tts.ts";
import { KilledService } from "../killed-service.ts";
import { wordsOfWholeFile } from "./whole-file-words.ts";

// One very long file of two channels, as WAV and as Opus, through the whole service.

const RATE_HZ = 16_000;
const FFMPEG = "/usr/bin/ffmpeg";
const SAMPLE_MS = 250;
/** The memory of a service that has just started grows until its spare processes are loaded. */
const SETTLED_SAMPLES = 12;
const SETTLED_MB = 1;
const SETTLE_MS_MAX = 60_000;
const DONE_MS_MAX = 3_600_000;
/** What is said again and again, in one channel after the other. */
const TEXT = "The bakery is open from Tuesday to Saturday and from seven in the morning until half past five.";
const BYTES_PER_KB = 1_024;

export interface LongFileResult {
  kind: "WAV" | "Opus";
  hours: number;
  fileMB: number;
  status: string;
  /** Words of both channels; those that the reference STT has of the file as a whole, where it was decoded so; those that were said. */
  words: number;
  wholeWords: number | undefined;
  saidWords: number;
  /** All processes of the service, beyond what they had before, at most; what they share counts once. */
  memoryMB: number;
  /** Its processes when it had the most, by what each had then. */
  processes: readonly ProcessMemory[];
  /** Of DATA_DIR, beyond the file, at most. */
  diskMB: number;
  tookS: number;
  /** FFmpeg alone, which decodes the file to nothing. */
  decodedS: number | undefined;
}

interface ProcessMemory {
  name: string;
  memoryMB: number;
}

interface Item {
  id: string;
  status: string;
  result?: TranscriptionResult | null;
}

/** Transcribes a file of so many hours in both kinds; Opus needs FFmpeg. */
export async function transcribeLongFiles(hours: number, print: (line: string) => void): Promise<LongFileResult[]> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-long-"));
  try {
    const wav = join(folder, "long.wav");
    const repeats = await writeLongFile(wav, hours);
    const results = [await transcribeOne({ kind: "WAV", path: wav, hours, repeats }, print)];
    if (!existsSync(FFMPEG)) return results;
    const opus = join(folder, "long.opus");
    spawnSync(FFMPEG, ["-loglevel", "error", "-i", wav, "-c:a", "libopus", "-b:a", "48k", opus]);
    return [...results, await transcribeOne({ kind: "Opus", path: opus, hours, repeats }, print)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two channels that take turns; returns how often the text is said. */
async function writeLongFile(path: string, hours: number): Promise<number> {
  const speech = await speak();
  const turn = speech.length + RATE_HZ;
  const pair = new Int16Array(4 * turn);
  for (let i = 0; i < speech.length; i += 1) {
    pair[2 * i] = speech[i] as number;
    pair[2 * (turn + i) + 1] = speech[i] as number;
  }
  const pairs = Math.floor((hours * 3_600 * RATE_HZ) / (2 * turn));
  const bytes = Buffer.from(pair.buffer);
  async function* content() {
    yield wavHeader(pairs * 2 * turn, RATE_HZ, 2);
    for (let n = 0; n < pairs; n += 1) yield bytes;
  }
  await pipeline(content(), createWriteStream(path));
  return 2 * pairs;
}

async function speak(): Promise<Int16Array> {
  const voice = createReferenceTts({ children: 1, clock: systemClock });
  const makeResampler = await loadResampler();
  const all: number[] = [];
  const request = { text: TEXT, voiceId: "reference/gmw/en-US", language: "en-US" };
  for await (const { samples, rateHz } of voice.speak(request, new AbortController().signal)) {
    const resampler = rateHz === RATE_HZ ? undefined : makeResampler(rateHz, RATE_HZ);
    all.push(...(resampler?.process(samples) ?? samples), ...(resampler?.flush() ?? []));
    resampler?.destroy();
  }
  voice.close();
  return Int16Array.from(all);
}

interface LongFile {
  kind: LongFileResult["kind"];
  path: string;
  hours: number;
  repeats: number;
}

async function transcribeOne(
  { kind, path, hours, repeats }: LongFile,
  print: (line: string) => void,
): Promise<LongFileResult> {
  const service = await KilledService.start("SQLite", { FFMPEG, TRANSCRIPTION_BYTES_MAX: String(4 * 1024 ** 3) });
  const bytes = statSync(path).size;
  try {
    const before = { memoryMB: await settledMemoryMB(service.dataDir), diskMB: sizeMB(service.dataDir) };
    const begunMs = performance.now();
    const most = { memoryMB: 0, diskMB: 0, processes: [] as readonly ProcessMemory[] };
    const look = (): void => {
      const processes = memoryOf(service.dataDir);
      const memoryMB = sumOf(processes) - before.memoryMB;
      if (memoryMB > most.memoryMB) Object.assign(most, { memoryMB, processes });
      most.diskMB = Math.max(most.diskMB, sizeMB(service.dataDir) - before.diskMB - bytes / 1e6);
    };
    const looking = setInterval(look, SAMPLE_MS);
    const { id } = await service.upload<Item>("/transcriptions", path, { language: "en", channels: "separate" });
    const isOver = async (): Promise<boolean> => {
      const { data } = await service.ask<{ data: Item[] }>("GET", "/transcriptions");
      return data[0]?.status !== "queued" && data[0]?.status !== "processing";
    };
    while (!(await isOver()) && performance.now() - begunMs < DONE_MS_MAX) await delay(SAMPLE_MS);
    clearInterval(looking);
    const tookS = (performance.now() - begunMs) / 1_000;
    const { status, result } = await service.ask<Item>("GET", `/transcriptions/${id}`);
    const each = most.processes.map(({ name, memoryMB }) => `${name} ${Math.round(memoryMB)}`).join(", ");
    print(`  ${kind}: ${hours} h, ${Math.round(tookS)} s, ${Math.round(most.memoryMB)} MB more (${each})`);
    return {
      kind,
      hours,
      fileMB: bytes / 1e6,
      status,
      words: result?.words.length ?? 0,
      wholeWords: kind === "Opus" ? await wordsOfWholeFile(FFMPEG, path) : undefined,
      saidWords: repeats * TEXT.split(" ").length,
      ...most,
      tookS,
      decodedS: decodedS(path),
    };
  } finally {
    await service.remove();
  }
}

/** What the processes have once it no longer changes, MB. */
async function settledMemoryMB(dataDir: string): Promise<number> {
  const endMs = performance.now() + SETTLE_MS_MAX;
  let latestMB = 0;
  for (let still = 0; still < SETTLED_SAMPLES && performance.now() < endMs; ) {
    await delay(SAMPLE_MS);
    const memoryMB = sumOf(memoryOf(dataDir));
    still = Math.abs(memoryMB - latestMB) < SETTLED_MB ? still + 1 : 0;
    latestMB = memoryMB;
  }
  return latestMB;
}

const sumOf = (processes: readonly ProcessMemory[]): number =>
  processes.reduce((sum, { memoryMB }) => sum + memoryMB, 0);

/** All processes whose environment names the data directory, and their children. */
const memoryOf = (dataDir: string): ProcessMemory[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isOf(name, dataDir))
    .map((pid) => ({ name: nameOf(pid), memoryMB: memoryMB(pid) }));

/** The program of a process: the file that Node runs, or else the program itself. */
function nameOf(pid: string): string {
  const words = readOf(pid, "cmdline").split("\0");
  return basename(words.find((word) => word.endsWith(".js")) ?? words[0] ?? "", ".js");
}

const isOf = (pid: string, dataDir: string): boolean =>
  (readOf(pid, "environ") + readOf(pid, "cmdline")).includes(dataDir);

/** Pages that processes share, such as those of Node itself, are divided among them. */
function memoryMB(pid: string): number {
  const kB = /^Pss:\s+(\d+)/m.exec(readOf(pid, "smaps_rollup"))?.[1];
  return (Number(kB ?? 0) * BYTES_PER_KB) / 1e6;
}

/** Empty where the process is gone. */
function readOf(pid: string, file: "environ" | "cmdline" | "smaps_rollup"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

function sizeMB(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.reduce((sum, { parentPath, name }) => {
    const size = statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0;
    return sum + size / 1e6;
  }, 0);
}

function decodedS(path: string): number | undefined {
  if (!existsSync(FFMPEG)) return undefined;
  const begunMs = performance.now();
  spawnSync(FFMPEG, ["-loglevel", "error", "-threads", "1", "-i", path, "-ar", String(RATE_HZ), "-f", "null", "-"]);
  return (performance.now() - begunMs) / 1_000;
}
