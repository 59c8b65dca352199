import type { JournaledCommand } from "./records.ts";

/** Whether the peer was ordered to drop the audio that it had not played. */
export const isClear = (command: JournaledCommand): boolean =>
  (command.kind === "resumed" && command.clear !== false) || (command.kind === "cancel-reply" && command.clear);
