import { processStartTime, type SupervisorFile, type SupervisorState } from "../../process/supervisor/state-file.ts";

/** Throws when no supervisor runs: a signal to any other process could end it. */
export function runningSupervisor(file: SupervisorFile): SupervisorState {
  const state = file.read();
  if (state === undefined)
    throw new Error("no service runs here: its data directory names no supervisor (is DATA_DIR right?)");
  const start = processStartTime(state.pid);
  if (start === undefined)
    throw new Error(`the service is not running: its supervisor, process ${state.pid}, has exited`);
  if (start !== state.start) throw new Error(`process ${state.pid} is not a Trunkline supervisor: nothing was done`);
  return state;
}
