import { setTimeout as delay } from "node:timers/promises";
import { CountingCaller } from "../../callers/counting-caller.ts";
import { NEW_CALL } from "./callers.ts";
import { ProofCluster, type ProofNode } from "./nodes.ts";

const NODES = 3;
/** Calls at a time: three nodes, their callers and Postgres share two cores, and what is measured is not how they share them. */
const LINES = 1;
const POLL_MS = 20;
const LIVE_MS_MAX = 10_000;

interface LiveRequest {
  name: string;
  path: string;
  body?: object;
  /** What it is answered with. */
  status: number;
}

/** What is asked of a call that another node carries, in this order. Digits go to telephone calls alone, of which there is none. */
const REQUESTS: readonly LiveRequest[] = [
  { name: "GET events", path: "/events", status: 200 },
  { name: "hold", path: "/hold", body: { maxDuration: 60 }, status: 200 },
  { name: "resume", path: "/resume", body: {}, status: 200 },
  { name: "end", path: "/end", body: {}, status: 202 },
];

export interface MessagesResult {
  calls: number;
  /** How long each request of a name took, ms, ascending. */
  tookMs: Readonly<Record<string, readonly number[]>>;
  /** Requests with other answers, or none. */
  failed: readonly string[];
}

/** Requests for live calls at nodes that do not carry them. */
export async function messagesTrial(calls: number): Promise<MessagesResult> {
  const cluster = await ProofCluster.start(NODES, {}, { isCutOff: false });
  const tookMs: Record<string, number[]> = Object.fromEntries(REQUESTS.map(({ name }) => [name, []]));
  const failed: string[] = [];
  let begun = 0;
  const line = async (): Promise<void> => {
    while (begun < calls) {
      begun += 1;
      await oneCall(cluster, { tookMs, failed });
    }
  };
  try {
    await Promise.all(Array.from({ length: LINES }, line));
  } finally {
    await cluster.remove();
  }
  for (const list of Object.values(tookMs)) list.sort((one, other) => one - other);
  return { calls, tookMs, failed };
}

async function oneCall(
  cluster: ProofCluster,
  { tookMs, failed }: { tookMs: Record<string, number[]>; failed: string[] },
): Promise<void> {
  const created = await cluster.fetch(cluster.nodes[0] as ProofNode, "/calls", NEW_CALL);
  if (created?.status !== 201) {
    failed.push(`creation: ${created?.status ?? "no answer"}`);
    return;
  }
  const { id, websocketUrl } = (await created.json()) as { id: string; websocketUrl: string };
  const caller = new CountingCaller(id, websocketUrl, () => performance.now());
  const frames = setInterval(() => caller.sendFrames(1), POLL_MS);
  try {
    for (let ms = 0; ms < LIVE_MS_MAX && caller.story.outcome === "dialling"; ms += POLL_MS) await delay(POLL_MS);
    const others = cluster.nodes.filter(({ mediaUrl }) => !websocketUrl.startsWith(mediaUrl));
    for (const [index, request] of REQUESTS.entries()) {
      const node = others[index % others.length] as ProofNode;
      const askedMs = performance.now();
      const response = await cluster.fetch(node, `/calls/${id}${request.path}`, request.body);
      const text = await response?.text();
      if (response?.status === request.status) tookMs[request.name]?.push(performance.now() - askedMs);
      else failed.push(`${request.name}: ${response?.status ?? "no answer"} ${text ?? ""}`);
    }
  } finally {
    clearInterval(frames);
    caller.drop();
  }
}
