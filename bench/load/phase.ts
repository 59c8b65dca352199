import { FRAME_MS } from "../../src/core/limits.ts";
import { machineBusyMs } from "../machine.ts";
import type { Window } from "./analysis.ts";
import { FullCallers } from "./full-callers.ts";
import type { LoadOptions } from "./load-result.ts";
import { monotonicMs } from "./monotonic.ts";
import type { Child } from "./processes.ts";
import type { Progress } from "./progress.ts";
import type {
  FleetReport,
  GeneratorQuestions,
  GeneratorSample,
  ServerQuestions,
  ServerReport,
  ServerSample,
  ServiceQuestions,
} from "./questions.ts";
import type { BenchSpeech } from "./speech.ts";

const HOST = "127.0.0.1";
/** How long connecting may take before frames go untimed: generous, and 4 bytes a frame is all it costs. */
const CONNECT_S = 3;
const CALLS_CONNECTED_PER_S = 100;

/** Everything that was seen of one contestant in one round. */
export interface Phase {
  window: Window;
  idle: ServerSample;
  before: Reading;
  after: Reading;
  server: ServerReport;
  fleet: FleetReport;
  /** What the full callers understood, one text for each conversation; undefined for servers that say nothing. */
  callers?: { understood: string[]; violations: string[] };
}

/** Both ends at one moment. */
export interface Reading {
  server: ServerSample;
  generator: GeneratorSample;
  /** CPU time of the bench's own process, and of all programs of the machine, ms. */
  ownMs: number;
  machineMs: number;
}

export interface PhaseDeps {
  generator: Child<GeneratorQuestions>;
  speech: BenchSpeech;
  options: LoadOptions;
  progress: Progress;
}

/** Brings all calls up against one server, measures, and takes them down again. `service`: the same server, where it is ours. */
export async function runPhase(
  server: Child<ServerQuestions>,
  service: Child<ServiceQuestions> | undefined,
  recorded: boolean,
  { generator, speech, options, progress }: PhaseDeps,
): Promise<Phase> {
  const { calls, seconds, warmUpSeconds } = options;
  const framesMax = framesWithin(CONNECT_S + calls / CALLS_CONNECTED_PER_S + warmUpSeconds + seconds);
  const baseMs = monotonicMs();
  const { port, paths } = await server.ask("begin", { calls, framesMax, baseMs, recorded });
  const idle = await server.ask("sample", undefined);
  const audio = speech.callerAudio;
  await generator.ask("begin", { host: HOST, port, paths, framesMax, baseMs, audio });
  const callers =
    service && new FullCallers(async () => `ws://${HOST}:${port}${await service.ask("fullCall", undefined)}`, speech);
  const sample = (): Promise<GeneratorSample> => generator.ask("sample", undefined);
  const read = async (): Promise<Reading> => {
    const [ofServer, ofGenerator] = await Promise.all([server.ask("sample", undefined), sample()]);
    const { user, system } = process.cpuUsage();
    return { server: ofServer, generator: ofGenerator, ownMs: (user + system) / 1_000, machineMs: machineBusyMs() };
  };
  await progress.during("warm-up", warmUpSeconds, sample);
  const before = await read();
  await progress.during("measuring", seconds, sample);
  const after = await read();
  if (callers !== undefined) progress.tell("the full callers finish their conversations");
  const understood = await callers?.finish();
  const fleet = await generator.ask("finish", undefined);
  const report = await server.ask("finish", undefined);
  const window = { fromMs: before.generator.atMs, toMs: after.generator.atMs };
  return {
    window,
    idle,
    before,
    after,
    server: report,
    fleet,
    ...(understood === undefined ? {} : { callers: understood }),
  };
}

const framesWithin = (seconds: number): number => Math.ceil((seconds * 1_000) / FRAME_MS);
