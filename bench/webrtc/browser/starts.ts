import { spreadOf } from "../../harness/statistics.ts";
import { type Scene, STAGES, type Stage, type StartResult } from "../result.ts";
import { withAgent } from "./agent.ts";
import { withBrowser } from "./bench-page.ts";

/** Until the service has synthesised the greeting, and has it in its cache; and Chromium has loaded what it needs. */
const WARM_UP_RUNS = 3;

type Run = Record<Stage | "greetingMs", number> & { transport: string };

/** Calls that a page begins, each in a fresh page. */
export async function measureStarts({ options, write, problems }: Scene): Promise<StartResult> {
  const runs: Run[] = [];
  await withBrowser("microphone", async (browser) => {
    await withAgent(browser.origin, async (session) => {
      for (let run = -WARM_UP_RUNS; run < options.runs; run += 1) {
        const page = await browser.open();
        const measured = await page.run<Run>(`bench.start(${JSON.stringify(session)})`);
        await page.close();
        const what = `start: connected after ${measured.ready.toFixed(0)} ms, greeting after ${measured.greetingMs.toFixed(0)} ms`;
        write(run < 0 ? `${what} (warm-up)` : `${what}, ${run + 1} of ${options.runs}`);
        if (measured.transport !== "rtp") problems.push(`start: the audio of a call was on ${measured.transport}`);
        if (run >= 0) runs.push(measured);
      }
    });
  });
  const spread = (name: Stage | "greetingMs") => spreadOf(Float32Array.from(runs, (run) => run[name]));
  const stages = Object.fromEntries(STAGES.map((stage) => [stage, spread(stage)])) as StartResult["stages"];
  return { stages, greetingMs: spread("greetingMs") };
}
