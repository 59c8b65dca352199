import { cpus, release, totalmem, type } from "node:os";

/** What a figure was measured on: without it, a time means nothing. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGiB: number;
  system: string;
  node: string;
  /** ISO 8601, UTC. */
  measuredAt: string;
}

export const describeMachine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()}`,
  node: process.version,
  measuredAt: new Date().toISOString(),
});

/** CPU time that all programs of the machine have had since it was started, ms; counted by the system in steps of some ms. */
export const machineBusyMs = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
