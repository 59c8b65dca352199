import { HttpTools } from "../../../src/core/tools/http/client.ts";
import type { ToolOutcome } from "../../../src/core/tools/outcome.ts";
import { aborted, sleep } from "../../support/manual-clock.ts";
import type { ProviderOptions } from "./open-streams.ts";

/** What stands in every result: a word that is said nowhere. */
export const RESULT = "zebra";

/** The servers that HTTP tools call, which answer as their seed will have it, or not at all. */
export class SimulatedTools extends HttpTools {
  readonly #options: ProviderOptions;

  constructor(options: ProviderOptions) {
    super({ secrets: new Map(), allowLoopback: false });
    this.#options = options;
  }

  override async carryOut(_tool: unknown, _given: unknown, signal: AbortSignal): Promise<ToolOutcome> {
    const { process, fate, streams } = this.#options;
    const { random } = fate;
    fate.chronicle.note("client-or-http-tool");
    const ended = streams.begin("tool");
    try {
      if (fate.occurs("tool-never-answers", 0.4)) await aborted(signal);
      const isSlow = fate.occurs("tool-slow", 0.6);
      await sleep(process, isSlow ? random.between(1_000, 9_000) : random.between(0, 600), signal);
      const hasFailed = fate.occurs("tool-fails", 0.5);
      return hasFailed ? { text: "Error: as drawn.", fault: "status", status: 500 } : { text: RESULT };
    } finally {
      ended();
    }
  }
}
