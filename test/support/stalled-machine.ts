// Calls in real time need a machine that runs. One that many share may stand still for longer than any audio is held in store;
// words that were lost then say nothing of ours.

const LOOK_EVERY_MS = 20;
/** What the gateway sends ahead, and somewhat more than the carrier's own jitter. */
const STALL_MS = 120;

let stalls = 0;
let atMs = performance.now();
let cpu = process.cpuUsage();
setInterval(() => {
  const nowMs = performance.now();
  const spent = process.cpuUsage(cpu);
  const lateMs = nowMs - atMs - LOOK_EVERY_MS;
  // Work of our own that blocked the loop is our own fault.
  if (lateMs > STALL_MS && (spent.user + spent.system) / 1_000 < lateMs / 2) stalls += 1;
  atMs = nowMs;
  cpu = process.cpuUsage();
}, LOOK_EVERY_MS).unref();

/**
 * For `retry`: a test that failed is run again, four times at most, only where the machine gave this process no time for over 120 ms
 * since its file began. On a machine that ran, a failure is a failure.
 */
export const ifMachineStalled = {
  count: 4,
  condition: (): boolean => {
    if (stalls > 0) process.stderr.write(`the machine stood still ${stalls} times: the test is run again\n`);
    return stalls > 0;
  },
};
