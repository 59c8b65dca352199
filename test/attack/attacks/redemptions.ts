import { mintToken } from "../../support/tokens.ts";
import { AttackConnections, pause } from "../connections.ts";
import type { Outcome, Ready, Size, Target } from "./attack.ts";

/** New connections with tokens that another service may have signed, but not this one: as many a second as `attackers` says. */
export async function unknownTokens(
  { media }: Target,
  { attackers: perSecond, seconds }: Size,
  ready: Ready,
  requestOf: (path: string) => string,
): Promise<Outcome> {
  await ready();
  const total: Outcome = { attackers: 0, closed: 0, longestMs: 0, answers: {} };
  const answers: Record<string, number> = {};
  const startMs = performance.now();
  const wave = Math.ceil(perSecond / 50);
  const flying = new Set<Promise<void>>();
  const sendWave = async (): Promise<void> => {
    const crowd = new AttackConnections(media);
    await crowd.gather(wave, () => requestOf(`/stream/${mintToken()}`));
    await crowd.end();
    total.attackers += crowd.members.length + crowd.refused;
    total.closed += crowd.closed;
    total.longestMs = Math.max(total.longestMs, crowd.longestMs);
    for (const [status, count] of Object.entries(crowd.statuses)) answers[status] = (answers[status] ?? 0) + count;
  };
  for (let sent = 0; performance.now() - startMs < seconds * 1_000; ) {
    const due = ((performance.now() - startMs) / 1_000) * perSecond;
    // When the attacker cannot keep up, its waves must not accumulate.
    if (sent < due && flying.size < 10) {
      const wavePromise = sendWave().finally(() => flying.delete(wavePromise));
      flying.add(wavePromise);
      sent += wave;
    }
    await pause(5);
  }
  await Promise.all(flying);
  return { ...total, answers: { ...answers, perSecond: Math.round(total.attackers / seconds) } };
}
