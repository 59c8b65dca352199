import { upgradeRequest } from "../../support/network/raw-ws.ts";
import { AttackConnections, pause } from "../connections.ts";
import type { Outcome, Ready, Size, Target } from "./attack.ts";

const OPENED_AT_ONCE = 10;
const OPENED_MS_MAX = 20_000;

/** A call whose agent speaks: the garbage of its TTS, measured with peers that read. */
export const SPOKEN_BYTES = 1_024 * 1_024;

/** A stream that begins with its socket, and whose agent waits. */
export const IDLE_CALL = { connectionType: "websocket", firstSpeaker: "user" };

export const outcome = (crowd: AttackConnections, answers = crowd.statuses): Outcome => ({
  attackers: crowd.members.length + crowd.refused,
  closed: crowd.closed,
  longestMs: crowd.longestMs,
  answers,
});

/** A request for the upgrade of `path`; `more` replaces and adds headers. */
export const upgrade = (path: string, more: Readonly<Record<string, string>> = {}): string =>
  upgradeRequest("x", path, more);

/** A stream for each attacker, opened a few at a time: that they come all at once is another attack. */
export async function streams({ media, paths }: Target, { attackers }: Size, ready: Ready): Promise<AttackConnections> {
  const crowd = new AttackConnections(media);
  const untilMs = performance.now() + OPENED_MS_MAX;
  for (let opened = 0; opened < attackers; opened += OPENED_AT_ONCE) {
    const next = paths.slice(opened, Math.min(attackers, opened + OPENED_AT_ONCE));
    await crowd.gather(next.length, (index) => upgrade(next[index] ?? ""));
    const areIn = (): boolean => (crowd.statuses["101"] ?? 0) + crowd.closed >= crowd.members.length;
    while (!areIn() && performance.now() < untilMs) await pause(5);
  }
  await ready();
  return crowd;
}

/** Sends nothing until the service has closed every connection. */
export const silence = async (crowd: AttackConnections): Promise<Outcome> => {
  await crowd.end();
  return outcome(crowd);
};
