import { createServer } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { addMs } from "../../core/clocks.ts";
import { DATA_DIR_RETRY_MS, DATA_DIR_WAIT_MS_MAX } from "../../core/limits/storage/storage.ts";

export interface PortToCheck {
  /** The variable that configures the port; the error names it. */
  variable: string;
  host: string;
  port: number;
}

/**
 * Workers share their port, so the kernel would let two services share it too, and stream tokens would reach the wrong one.
 * Workers whose supervisor has died leave the port at once, so this waits for up to DATA_DIR_WAIT_MS_MAX. Then it rejects with an
 * error that names the variable.
 */
export async function waitUntilPortIsFree(target: PortToCheck, clock: Clock): Promise<void> {
  for (const endMs = addMs(clock.nowMs(), DATA_DIR_WAIT_MS_MAX); ; ) {
    try {
      await assertPortIsFree(target);
      return;
    } catch (error) {
      if (clock.nowMs() >= endMs) throw error;
    }
    await new Promise<void>((resolve) => {
      clock.after(DATA_DIR_RETRY_MS, resolve);
    });
  }
}

function assertPortIsFree({ variable, host, port }: PortToCheck): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) =>
      reject(new Error(`${variable} ${port} on ${host} cannot be used: ${error.message}`)),
    );
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
