import type { ListenAnswer } from "../core/calls/listening.ts";
import type { LiveOutcome, LiveRequest } from "../core/calls/live-requests.ts";
import type { PhoneRequest, PhoneUpdate } from "../core/calls/phone-requests.ts";
import type { EndReason } from "../core/calls/reasons.ts";
import { codeOf } from "../core/errors.ts";
import type { AccountId, CallId, NodeName, WorkerId } from "../core/ids.ts";
import type { Logger } from "../core/log/logger.ts";
import type { CallNodes } from "../store/cluster/call-nodes.ts";
import type { AnswerOf } from "./message-kinds.ts";
import type { NodeHolds } from "./node-holds.ts";
import type { NodeMessages } from "./node-messages.ts";

type PhoneOutcome = NonNullable<AnswerOf<"phone-request">["outcome"]>;

/** What is asked of live calls. */
export interface LiveCalls {
  /** Asks a worker to end one of its calls; false when it is not connected. */
  endCall(workerId: WorkerId, call: { id: CallId; accountId: AccountId }): Promise<boolean> | boolean;
  /** Undefined where the worker does not answer. */
  requestLive(workerId: WorkerId, callId: CallId, request: LiveRequest): Promise<LiveOutcome | undefined>;
  /** Undefined where the worker does not answer. */
  listenAddress(workerId: WorkerId, callId: CallId): Promise<ListenAnswer | undefined>;
  /** False where the call does not act by it. Never rejects. */
  phoneUpdate(workerId: WorkerId, callId: CallId, update: PhoneUpdate): Promise<boolean>;
  /** Undefined where there is no such call. Never rejects. */
  resumeAddress(workerId: WorkerId, callId: CallId, connect?: number): Promise<string | undefined>;
  /** Undefined for an unknown call. */
  requestPhone(callId: CallId, request: PhoneRequest, hangUpReason: EndReason): Promise<PhoneOutcome | undefined>;
  /** At most `limit` of a call's events, starting with number `from`. */
  callEvents(callId: CallId, from: number, limit: number): Promise<AnswerOf<"call-events">>;
}

export interface LiveCallsOfNodesOptions {
  /** The calls of this node. */
  here: LiveCalls;
  /** Whether a worker of this node is connected. */
  hasWorker: (workerId: WorkerId) => boolean;
  nodes: CallNodes;
  messages: NodeMessages;
  holds: Pick<NodeHolds, "heardOf" | "sinceMs">;
  log: Logger;
}

/**
 * The live calls of all nodes. Those of other nodes are asked for by messages, and reject with `node_unreachable` where the node does not
 * answer; those of this one are as they are without a cluster.
 */
export class LiveCallsOfNodes implements LiveCalls {
  readonly #options: LiveCallsOfNodesOptions;

  constructor(options: LiveCallsOfNodesOptions) {
    this.#options = options;
  }

  /** Answers the other nodes from now on. */
  serve(): void {
    const { here, messages, holds } = this.#options;
    messages.onRequest("end-call", ({ workerId, callId: id, accountId }) => here.endCall(workerId, { id, accountId }));
    messages.onRequest("live-request", async ({ workerId, callId, request }) => {
      const outcome = await here.requestLive(workerId, callId, request);
      return { outcome, heldSinceMs: holds.sinceMs(callId) };
    });
    messages.onRequest("listen-address", async ({ workerId, callId }) => ({
      answer: await here.listenAddress(workerId, callId),
    }));
    messages.onRequest("phone-update", ({ workerId, callId, update }) => here.phoneUpdate(workerId, callId, update));
    messages.onRequest("resume-address", async ({ workerId, callId, connect }) => ({
      url: await here.resumeAddress(workerId, callId, connect),
    }));
    messages.onRequest("phone-request", async ({ callId, request, hangUpReason }) => ({
      outcome: await here.requestPhone(callId, request, hangUpReason),
    }));
    messages.onRequest("call-events", ({ callId, from, limit }) => here.callEvents(callId, from, limit));
  }

  async endCall(workerId: WorkerId, call: { id: CallId; accountId: AccountId }): Promise<boolean> {
    const { here, messages } = this.#options;
    const { id: callId, accountId } = call;
    const node = await this.#otherNodeOf(callId, workerId);
    if (node === undefined) return here.endCall(workerId, call);
    return await messages.request(node, "end-call", { callId, workerId, accountId });
  }

  async requestLive(workerId: WorkerId, callId: CallId, request: LiveRequest): Promise<LiveOutcome | undefined> {
    const { here, messages, holds } = this.#options;
    const node = await this.#otherNodeOf(callId, workerId);
    if (node === undefined) return await here.requestLive(workerId, callId, request);
    const { outcome, heldSinceMs } = await messages.request(node, "live-request", { callId, workerId, request });
    // The announcement of the hold may come later than the answer.
    if (outcome === "done") holds.heardOf(node, callId, heldSinceMs);
    return outcome;
  }

  async listenAddress(workerId: WorkerId, callId: CallId): Promise<ListenAnswer | undefined> {
    const { here, messages } = this.#options;
    const node = await this.#otherNodeOf(callId, workerId);
    if (node === undefined) return await here.listenAddress(workerId, callId);
    return (await messages.request(node, "listen-address", { callId, workerId })).answer;
  }

  async phoneUpdate(workerId: WorkerId, callId: CallId, update: PhoneUpdate): Promise<boolean> {
    const { here, messages } = this.#options;
    try {
      const node = await this.#otherNodeOf(callId, workerId);
      if (node === undefined) return await here.phoneUpdate(workerId, callId, update);
      return await messages.request(node, "phone-update", { callId, workerId, update });
    } catch (error) {
      this.#logFailure(callId, error);
      return false;
    }
  }

  async resumeAddress(workerId: WorkerId, callId: CallId, connect?: number): Promise<string | undefined> {
    const { here, messages } = this.#options;
    try {
      const node = await this.#otherNodeOf(callId, workerId);
      if (node === undefined) return await here.resumeAddress(workerId, callId, connect);
      return (await messages.request(node, "resume-address", { callId, workerId, connect })).url;
    } catch (error) {
      this.#logFailure(callId, error);
      return undefined;
    }
  }

  /** Any node can handle what is asked of a call without a stream. */
  async requestPhone(
    callId: CallId,
    request: PhoneRequest,
    hangUpReason: EndReason,
  ): Promise<PhoneOutcome | undefined> {
    const { here, messages } = this.#options;
    const node = await this.#otherNodeOf(callId);
    if (node === undefined) return await here.requestPhone(callId, request, hangUpReason);
    return (await messages.request(node, "phone-request", { callId, request, hangUpReason })).outcome;
  }

  /** The journal of a live call is on the disk of its node. */
  async callEvents(callId: CallId, from: number, limit: number): Promise<AnswerOf<"call-events">> {
    const { here, messages } = this.#options;
    const node = await this.#otherNodeOf(callId);
    if (node === undefined) return await here.callEvents(callId, from, limit);
    return await messages.request(node, "call-events", { callId, from, limit });
  }

  /** The node of a call that this one does not carry; undefined where no other node does. */
  async #otherNodeOf(callId: CallId, workerId?: WorkerId): Promise<NodeName | undefined> {
    const { hasWorker, nodes, messages } = this.#options;
    if (workerId !== undefined && hasWorker(workerId)) return undefined;
    const node = await nodes.nodeOf(callId);
    return node === messages.node ? undefined : node;
  }

  #logFailure(callId: CallId, error: unknown): void {
    this.#options.log.warn({ callId, code: codeOf(error) }, "the node of a telephone call could not be informed");
  }
}
