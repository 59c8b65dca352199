// Calls in real time need a machine that runs. One that many share may stand still for longer than any audio is held in store;
// words that were lost then say nothing of ours.

const LOOK_EVERY_MS = 20;
/** What the gateway sends ahead, and somewhat more than the carrier's own jitter. */
const STALL_MS = 120;

/** About the longest that a test takes. */
const RECENT_MS = 60_000;

let stalledAtMs = Number.NEGATIVE_INFINITY;
let atMs = performance.now();
let cpu = process.cpuUsage();
setInterval(() => {
  const nowMs = performance.now();
  const spent = process.cpuUsage(cpu);
  const lateMs = nowMs - atMs - LOOK_EVERY_MS;
  // Work of our own that blocked the loop is our own fault.
  if (lateMs > STALL_MS && (spent.user + spent.system) / 1_000 < lateMs / 2) stalledAtMs = nowMs;
  atMs = nowMs;
  cpu = process.cpuUsage();
}, LOOK_EVERY_MS).unref();

/**
 * For `retry`: a test that failed is run again, four times at most, only where the machine gave this process no time for over 120 ms
 * within the last minute. On a machine that ran, a failure is a failure.
 */
export const ifMachineStalled = {
  count: 4,
  condition: (): boolean => {
    const hasStalled = performance.now() - stalledAtMs < RECENT_MS;
    if (hasStalled) process.stderr.write("the machine stood still: the test is run again\n");
    return hasStalled;
  },
};
