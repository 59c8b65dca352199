import type { MediaServerName } from "../../src/gateway/server/media-server.ts";
import { formatsOf, type SimulatedWire } from "../../src/simulator/lines.ts";
import type { GeneratorQuestions } from "../generator/protocol.ts";
import { Child, type Questions } from "./child-process.ts";
import { type Cores, findCores, pin } from "./cpu-cores.ts";
import { benchLine } from "./lines.ts";
import { Progress } from "./progress.ts";
import type { ServerQuestions, ServiceQuestions } from "./protocol.ts";
import { type BenchSpeech, renderSpeech } from "./speech.ts";

export interface RigOptions {
  wire: SimulatedWire;
  /** Undefined: the processes run wherever the system likes. */
  cores: Cores | undefined;
  /** Takes lines of progress. */
  write(line: string): void;
}

/** The processes of a bench: one generator, and the servers that it asks for. */
export class Rig {
  readonly cores: Cores | undefined;
  readonly generator: Child<GeneratorQuestions>;
  readonly speech: BenchSpeech;
  readonly progress: Progress;
  readonly #children: Set<{ stop(): void }>;

  private constructor(
    cores: Cores | undefined,
    generator: Child<GeneratorQuestions>,
    speech: BenchSpeech,
    progress: Progress,
    children: Set<{ stop(): void }>,
  ) {
    this.cores = cores;
    this.generator = generator;
    this.speech = speech;
    this.progress = progress;
    this.#children = children;
  }

  /**
   * Starts the generator, renders what is said in calls over `wire`, and gives the rig to `use`; whatever happens, its processes
   * are stopped. With `cores` the servers are held on one of them, and everything else, this process included, on
   * the other.
   */
  static async with<Result>({ wire, cores, write }: RigOptions, use: (rig: Rig) => Promise<Result>): Promise<Result> {
    const progress = new Progress(write);
    progress.print("starting the callers' process and rendering what is said");
    const generator = await Child.start<GeneratorQuestions>(import.meta.url, "../generator/generator", {
      core: cores?.others,
    });
    const children = new Set<{ stop(): void }>([generator]);
    try {
      const speech = await renderSpeech(formatsOf(benchLine(wire)).inbound);
      if (cores !== undefined) pin(process.pid, cores.others);
      return await use(new Rig(cores, generator, speech, progress, children));
    } finally {
      for (const child of children) child.stop();
    }
  }

  /** A server on its core; `path` is that of its module, from here. */
  async startServer<Q extends Questions = ServerQuestions>(
    path: string,
    args: readonly string[] = [],
  ): Promise<Child<Q>> {
    const child = await Child.start<Q>(import.meta.url, path, { core: this.cores?.server, args });
    this.#children.add(child);
    return child;
  }

  /** Our own, fresh, on the given media server. */
  async startService(mediaServer: MediaServerName = "uws"): Promise<Child<ServiceQuestions>> {
    const service = await this.startServer<ServiceQuestions>("../worker/worker", [mediaServer]);
    await service.ask("prepare", this.speech.agent);
    return service;
  }
}

/** `bench` as a command runs it: on a rig of its own, whose processes are held on cores of the machine. */
export const onRig =
  <Options, Result>(
    bench: (rig: Rig, options: Options) => Promise<Result>,
    wireOf: (options: Options) => SimulatedWire = () => "carrier_a",
  ) =>
  (options: Options, write: (line: string) => void): Promise<Result> =>
    Rig.with({ wire: wireOf(options), cores: findCores(), write }, (rig) => bench(rig, options));
