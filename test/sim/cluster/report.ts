import type { Options } from "./plan.ts";
import { Simulation } from "./simulation.ts";

/** Plays one seed; `say` gets a line of progress for every ten minutes of virtual time. */
export function simulateCluster(options: Options, say: (line: string) => void = () => {}): Simulation {
  const simulation = new Simulation(options);
  const startedMs = performance.now();
  const { seed, nodes, calls } = options;
  const address = simulation.plan.hasSharedAddress ? "one shared address" : "an address for each node";
  say(`seed ${seed}: ${nodes} nodes, ${calls} calls, ${address}`);
  simulation.run(() => {
    const { observer, nowMs } = simulation;
    const tookS = (performance.now() - startedMs) / 1_000;
    say(`${(nowMs / 60_000).toFixed(0)} min: ${observer.creations} creations, ${tookS.toFixed(0)} s`);
  });
  say(`played in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s, ${memoryMb()} MB`);
  return simulation;
}

/** The most memory that this process ever had. */
const memoryMb = (): number => Math.round(process.resourceUsage().maxRSS / 1_024);

/** What was seen, line by line. */
export function reportOf({ plan, observer, nodes, deploy, nowMs }: Simulation): string {
  const { highest } = observer;
  const lines = [
    `${(nowMs / 60_000).toFixed(0)} min of virtual time, at most ${observer.liveMax} live calls`,
    `${observer.creations} creations, ${observer.connections} streams, ${observer.limited} refused by a limit, ${observer.refusals} for want of room`,
    `slowest creation before the overload: ${(observer.slowestMs / 1_000).toFixed(1)} s`,
    `highest load: ${highest.ofMean.toFixed(3)} times the mean, at ${(highest.atMs / 1_000).toFixed(0)} s`,
    `${nodes.recovered} calls of dead nodes were recorded, ${deploy.cut} cut by the deploy`,
    ...[...observer.violations].map(
      ([invariant, { count, first }]) => `VIOLATED ${count} times: ${invariant} (${first})`,
    ),
  ];
  if (observer.violations.size > 0) {
    lines.push(`npm run sim:cluster -- --seed ${plan.seed} --nodes ${plan.nodes} --calls ${plan.calls}`);
  }
  return lines.join("\n");
}
