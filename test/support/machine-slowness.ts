const PROBE_EVERY_MS = 500;
const PROBE_CPU_US = 10_000;

/**
 * Measures from now on how much slower this machine is than when nothing else runs on it: work that takes a certain CPU time takes so many
 * times as long. Calling the result ends the measurement. A goal in seconds then holds on a machine that others share, too.
 */
export function machineSlowness(): () => number {
  let wallMs = 0;
  let cpuUs = 0;
  const probe = (): void => {
    const startMs = performance.now();
    const start = process.cpuUsage();
    let spentUs = 0;
    while (spentUs < PROBE_CPU_US) {
      const { user, system } = process.cpuUsage(start);
      spentUs = user + system;
    }
    wallMs += performance.now() - startMs;
    cpuUs += spentUs;
  };
  probe();
  const timer = setInterval(probe, PROBE_EVERY_MS);
  return () => {
    clearInterval(timer);
    probe();
    return (wallMs * 1_000) / cpuUs;
  };
}
