import { setTimeout as delay } from "node:timers/promises";
import { processStartTime, SupervisorFile } from "../../process/supervisor/state-file.ts";
import { runningSupervisor } from "./running-supervisor.ts";

const POLL_MS = 500;

/** Drains the service of this data directory, and resolves when it has ended; asking again does no harm. Throws where none runs. */
export async function drain(dataDir: string, say: (line: string) => void): Promise<void> {
  const { pid, start } = runningSupervisor(new SupervisorFile(dataDir));
  process.kill(pid, "SIGUSR2");
  say("the service takes no new calls; it ends when its calls have ended, after DRAIN_MS at the latest");
  while (processStartTime(pid) === start) await delay(POLL_MS);
  say("the service has ended");
}
