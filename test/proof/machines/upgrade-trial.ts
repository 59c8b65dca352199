import { setTimeout as delay } from "node:timers/promises";
import { CONNECTED, startMessage } from "../../callers/twilio-stream.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { NEW_CALL } from "./callers.ts";
import { ProofCluster, type ProofNode } from "./nodes.ts";

const NODES = 3;
const TOKENS = 20;
const RECORDED_MS_MAX = 30_000;
const POLL_MS = 500;
const HANG_UP_MS_MAX = 5_000;
const HANG_UP_POLL_MS = 20;
const SWITCHING = 101;
const CREATED = 201;

export interface UpgradeResult {
  tokens: number;
  upgrades: number;
  /** How often each answer was given: its status, or that there was none. */
  answers: Readonly<Record<string, number>>;
  /** Tokens that opened another number of streams than one. */
  wrong: readonly string[];
  /** Calls whose record was stored another number of times than once. */
  unrecorded: readonly string[];
  tookMs: number;
}

/** So many upgrades with few tokens: all of one token at once, spread over three nodes. */
export async function upgradeTrial(upgrades: number): Promise<UpgradeResult> {
  const cluster = await ProofCluster.start(NODES, { TOKEN_TTL_S: "300" });
  try {
    const perToken = Math.ceil(upgrades / TOKENS);
    const counts = new Map<string, number>();
    const wrong: string[] = [];
    const callIds: string[] = [];
    let tookMs = 0;
    for (let token = 0; token < TOKENS; token += 1) {
      const { id, websocketUrl } = await createdAt(cluster, cluster.nodes[token % NODES] as ProofNode);
      callIds.push(id);
      const startedMs = performance.now();
      const streams = await Promise.all(
        Array.from({ length: perToken }, (_, n) => upgrade(cluster.nodes[n % NODES] as ProofNode, websocketUrl)),
      );
      tookMs += performance.now() - startedMs;
      for (const { answer } of streams) counts.set(answer, (counts.get(answer) ?? 0) + 1);
      const opened = streams.filter(({ answer }) => answer === String(SWITCHING));
      if (opened.length !== 1) wrong.push(`${id} has ${opened.length} streams`);
      for (const { ws } of opened) await hangUp(ws);
    }
    const unrecorded = await withoutOneRecord(cluster, callIds);
    const answers = Object.fromEntries([...counts].sort());
    return { tokens: TOKENS, upgrades: TOKENS * perToken, answers, wrong, unrecorded, tookMs };
  } finally {
    await cluster.remove();
  }
}

async function createdAt(cluster: ProofCluster, node: ProofNode): Promise<{ id: string; websocketUrl: string }> {
  const response = await cluster.fetch(node, "/calls", NEW_CALL);
  if (response?.status !== CREATED) throw new Error(`${node.name} created no call: ${await response?.text()}`);
  return (await response.json()) as { id: string; websocketUrl: string };
}

/** The connection stays open only where the upgrade succeeded. */
async function upgrade(
  { mediaUrl }: ProofNode,
  websocketUrl: string,
): Promise<{ ws: RawWs | undefined; answer: string }> {
  const { pathname, search } = new URL(websocketUrl);
  const ws = await RawWs.connect(mediaUrl).catch(() => undefined);
  const answer = await ws?.upgrade(pathname + search);
  if (answer?.status !== SWITCHING) ws?.destroy();
  return { ws, answer: answer === undefined ? "none" : String(answer.status) };
}

async function hangUp(ws: RawWs | undefined): Promise<void> {
  for (const message of [CONNECTED, startMessage()]) ws?.sendText(JSON.stringify(message));
  ws?.sendClose(1_000);
  for (let waitedMs = 0; ws?.ended === false && waitedMs < HANG_UP_MS_MAX; waitedMs += HANG_UP_POLL_MS)
    await delay(HANG_UP_POLL_MS);
  ws?.destroy();
}

/** The calls of which the nodes have stored another number of records than one, once all have theirs, or never will. */
async function withoutOneRecord({ nodes }: ProofCluster, callIds: readonly string[]): Promise<readonly string[]> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const stored = nodes.flatMap(({ log }) => log.split("\n").filter((line) => line.includes("call record stored")));
    const wrong = callIds.filter((id) => stored.filter((line) => line.includes(id)).length !== 1);
    if (wrong.length === 0 || waitedMs >= RECORDED_MS_MAX) return wrong;
    await delay(POLL_MS);
  }
}
