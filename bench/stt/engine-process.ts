import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { childModule } from "../../src/core/child-processes/child-module.ts";
import { CHILD_ENVIRONMENT, CHILD_OPTIONS } from "../../src/speech/local/child-environment.ts";

/** Samples to transcribe, 16,000 Hz, -1 to 1. */
export interface Question {
  samples: Float32Array;
}

export interface Loaded {
  kind: "loaded";
  name: string;
  loadMs: number;
  cpuMs: number;
  residentBytes: number;
}

export interface Heard {
  kind: "heard";
  text: string;
  averageLogProbability: number;
  cpuMs: number;
  largestBytes: number;
}

export type Answer = Loaded | Heard;

/** The engine in a process of its own, with the environment and the options that it has in the service. */
export class EngineProcess {
  readonly #child: ChildProcess;
  readonly loaded: Loaded;

  private constructor(child: ChildProcess, loaded: Loaded) {
    this.#child = child;
    this.loaded = loaded;
  }

  static async start(): Promise<EngineProcess> {
    const { path, execArgv } = childModule(import.meta.url, "./engine-child");
    const child = fork(path, {
      execArgv: [...execArgv, ...CHILD_OPTIONS],
      env: CHILD_ENVIRONMENT,
      serialization: "advanced",
    });
    return new EngineProcess(child, (await answerOf(child)) as Loaded);
  }

  async transcribe(samples: Float32Array): Promise<Heard> {
    const answer = answerOf(this.#child);
    // A copy: a view would be sent with the whole buffer.
    this.#child.send({ samples: samples.slice() } satisfies Question);
    return (await answer) as Heard;
  }

  async stop(): Promise<void> {
    this.#child.disconnect();
    if (this.#child.exitCode === null) await once(this.#child, "exit");
  }
}

/** The child's next message; rejects when it ends first. */
async function answerOf(child: ChildProcess): Promise<Answer> {
  const ended = new AbortController();
  const exit = once(child, "exit", { signal: ended.signal }).then(([code, signal]) => {
    throw new Error(`the process of the engine ended: ${signal ?? code}`);
  });
  const message = once(child, "message", { signal: ended.signal }).then(([answer]) => answer as Answer);
  try {
    return await Promise.race([message, exit]);
  } finally {
    ended.abort();
    for (const promise of [message, exit]) promise.catch(() => undefined);
  }
}
