import { mintToken } from "../support/tokens.ts";
import type { Attack, Outcome, Ready, Size, Target } from "./attacks.ts";
import { Crowd, pause } from "./crowd.ts";

/** How long whoever is refused may stay connected. */
const SOON_MS_MAX = 5_000;

/** Lists that are asked for at once, each of so many calls. */
const LISTS = 30;
const PAGE = 100;
/** 30 tools with 8 KiB of schema each are a call of 240 KiB, which the list shows: a page of 100 would be 24 MB. */
const TOOLS = 30;
const DESCRIPTION_CHARS = 7_900;

/** A call that is as large in a list as a request may make it. */
export const LARGE_CALL = {
  connectionType: "websocket",
  selectedTools: Array.from({ length: TOOLS }, (_, index) => ({
    definition: {
      type: "client",
      name: `tool_${index}`,
      description: "A tool.",
      parameters: {
        type: "object",
        properties: { text: { type: "string", description: "x".repeat(DESCRIPTION_CHARS) } },
      },
    },
  })),
};

/** Asks for the longest list there is, again and again. */
async function longLists({ apiUrl, apiKey }: Target, seconds: number): Promise<Outcome> {
  const answers: Record<string, number> = { megabytes: 0 };
  const count = (what: string, by = 1): void => {
    answers[what] = (answers[what] ?? 0) + by;
  };
  const untilMs = performance.now() + seconds * 1_000;
  let longestMs = 0;
  const reader = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const startMs = performance.now();
      try {
        const response = await fetch(`${apiUrl}/api/v1/calls?limit=${PAGE}`, { headers: { "X-API-Key": apiKey } });
        count("megabytes", Math.round((await response.arrayBuffer()).byteLength / 1e6));
        count(String(response.status));
      } catch {
        count("dropped");
      }
      longestMs = Math.max(longestMs, performance.now() - startMs);
    }
  };
  await Promise.all(Array.from({ length: LISTS }, reader));
  return { attackers: LISTS, closed: LISTS, longestMs, answers };
}

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
  const knock = async (): Promise<void> => {
    const crowd = new Crowd(media);
    await crowd.gather(wave, () => requestOf(`/stream/${mintToken()}`));
    await crowd.end(SOON_MS_MAX);
    total.attackers += crowd.members.length + crowd.refused;
    total.closed += crowd.closed;
    total.longestMs = Math.max(total.longestMs, crowd.longestMs);
    for (const [status, count] of Object.entries(crowd.statuses)) answers[status] = (answers[status] ?? 0) + count;
  };
  for (let sent = 0; performance.now() - startMs < seconds * 1_000; ) {
    const due = ((performance.now() - startMs) / 1_000) * perSecond;
    // Whoever cannot keep up must not pile up what it could not say.
    if (sent < due && flying.size < 10) {
      const knocking = knock().finally(() => flying.delete(knocking));
      flying.add(knocking);
      sent += wave;
    }
    await pause(5);
  }
  await Promise.all(flying);
  return { ...total, answers: { ...answers, perSecond: Math.round(total.attackers / seconds) } };
}

/** What delays or starves the redemption of other accounts' tokens. */
export const LIST_ATTACK: Attack = {
  id: "ADV-M1",
  name: "30 lists of the largest calls at once",
  full: { attackers: PAGE, seconds: 30 },
  small: { attackers: 5, seconds: 1 },
  closedMsMax: 60_000,
  call: LARGE_CALL,
  upgradeMsMax: 50,
  async run(target, { seconds }, ready) {
    await ready();
    return await longLists(target, seconds);
  },
};
