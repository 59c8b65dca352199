import { WebSocket } from "ws";
import type { Clock } from "../../core/clock.ts";
import {
  NODE_RELAY_ANSWER_MS_MAX,
  NODE_RELAYS_MAX,
  SOCKET_BACKPRESSURE_BYTES_MAX,
  SOCKET_PAYLOAD_BYTES_MAX,
} from "../../core/limits/streams/connections.ts";
import type { NodeRelayOutcome } from "../../core/metrics/labels.ts";
import { NODE_TAG_CHARS, type RelayNode } from "../../core/network/node-tags.ts";
import { RELAYED_HEADER, type UpgradeHeaders } from "../../wire/upgrade.ts";
import {
  CLOSE_INTERNAL_ERROR,
  CLOSE_NORMAL,
  CLOSE_PROTOCOL_ERROR,
  CLOSED_WITHOUT_FRAME,
  DETACHED,
} from "../transport/close-codes.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import type { AcceptedElsewhere } from "./other-workers.ts";

export interface OtherNodesOptions {
  /** What the tags of this node's workers begin with. */
  ownTag: string;
  clock: Pick<Clock, "after">;
  /** A connection was relayed to another node, or why it was not. */
  onOutcome: (outcome: NodeRelayOutcome) => void;
}

/** What another node says of a token: the status with which its media port refuses it, or the connection to its call. */
export type NodeAnswerToStream = { kind: "accepted"; connection: AcceptedElsewhere } | NodeRefusal;
type NodeRefusal = { kind: "refused"; status: 401 | 503 | 504 };

/**
 * The other nodes that share one address with this one: the balancer leads a client that resumes a call, or listens to one, to any of them. This
 * one then connects to the media port of the call's node with the same token, and passes messages on for as long as the connection lasts.
 */
export class OtherNodes {
  readonly #options: OtherNodesOptions;
  #nodes: readonly RelayNode[] = [];
  #connections = 0;

  constructor(options: OtherNodesOptions) {
    this.#options = options;
  }

  /** Connections that are relayed, or about to be. */
  get count(): number {
    return this.#connections;
  }

  /** The nodes that can be reached now, without this one. */
  setNodes(nodes: readonly RelayNode[]): void {
    this.#nodes = nodes;
  }

  /**
   * Asks the node of the worker with this tag for the call of a token, for an upgrade with these headers. A client for which more than
   * `bufferedBytesMax` wait is given up. Undefined where the worker is, or was, one of this node. Never rejects.
   */
  async ask(
    workerTag: string,
    token: string,
    headers: UpgradeHeaders,
    bufferedBytesMax = Number.POSITIVE_INFINITY,
  ): Promise<NodeAnswerToStream | undefined> {
    const tag = workerTag.slice(0, NODE_TAG_CHARS);
    const nodes = this.#nodes.filter((node) => node.tag === tag);
    if (nodes.length === 0 && tag === this.#options.ownTag) return undefined;
    let refusal: NodeRefusal = { kind: "refused", status: 504 };
    for (const node of nodes) {
      if (this.#connections >= NODE_RELAYS_MAX) return this.#refused("full", 503);
      const answer = await this.#connect(`${node.url}/stream/${token}`, headers, bufferedBytesMax);
      if (answer.kind === "accepted") {
        this.#options.onOutcome("relayed");
        return answer;
      }
      // Of two nodes with one tag the other one does not know the token.
      if (refusal.status === 504) refusal = answer;
    }
    return this.#refused(refusal.status === 504 ? "unreachable" : "refused", refusal.status);
  }

  #refused(outcome: NodeRelayOutcome, status: NodeRefusal["status"]): NodeRefusal {
    this.#options.onOutcome(outcome);
    return { kind: "refused", status };
  }

  async #connect(url: string, headers: UpgradeHeaders, bufferedBytesMax: number): Promise<NodeAnswerToStream> {
    const socket = new WebSocket(url, {
      headers: { ...presentHeaders(headers), [RELAYED_HEADER]: "1" },
      perMessageDeflate: false,
      maxPayload: SOCKET_PAYLOAD_BYTES_MAX,
      // Pings and pongs are passed on, so that the call's node notices a client that does not answer.
      autoPong: false,
      followRedirects: false,
    });
    this.#connections += 1;
    socket.once("close", () => {
      this.#connections -= 1;
    });
    const relay = new NodeRelay(socket, bufferedBytesMax);
    const cancel = this.#options.clock.after(NODE_RELAY_ANSWER_MS_MAX, () => socket.terminate());
    const answer = await relay.answered;
    cancel();
    return answer;
  }
}

/** One connection, between a client's transport here and the media port of its call's node. */
class NodeRelay implements AcceptedElsewhere {
  readonly answered: Promise<NodeAnswerToStream>;
  readonly #socket: WebSocket;
  readonly #bufferedBytesMax: number;
  #transport: Transport | undefined;

  constructor(socket: WebSocket, bufferedBytesMax: number) {
    this.#socket = socket;
    this.#bufferedBytesMax = bufferedBytesMax;
    // `close` follows.
    socket.on("error", () => {});
    this.answered = new Promise((resolve) => {
      socket.once("open", () => {
        // What the call sends waits for the client's own upgrade.
        socket.pause();
        resolve({ kind: "accepted", connection: this });
      });
      socket.once("unexpected-response", (_, { statusCode }) => {
        resolve({ kind: "refused", status: statusCode === 401 || statusCode === 503 ? statusCode : 504 });
        socket.terminate();
      });
      socket.once("close", (code, reason) => {
        resolve({ kind: "refused", status: 504 });
        this.#closed(code, reason.toString());
      });
    });
    socket.on("message", (data, isBinary) => this.#take(data as Buffer, isBinary));
    socket.on("ping", () => this.#transport?.ping());
  }

  open(transport: Transport): TransportListener {
    this.#transport = transport;
    const socket = this.#socket;
    if (socket.readyState === WebSocket.OPEN) socket.resume();
    // The node was lost before the client's upgrade was complete.
    else this.#close(CLOSE_NORMAL, DETACHED);
    return {
      message: (bytes, isBinary) =>
        this.#pass(() => socket.send(isBinary ? Buffer.from(bytes) : Buffer.from(bytes).toString())),
      pinged: () => this.#pass(() => socket.ping()),
      ponged: () => this.#pass(() => socket.pong()),
      closed: (code, violated) => {
        this.#transport = undefined;
        if (code === CLOSED_WITHOUT_FRAME && !violated) socket.terminate();
        else if (isSendable(code)) socket.close(code);
        // What the client broke is not known there: the call ends as if it had hung up.
        else socket.close(CLOSE_PROTOCOL_ERROR);
      },
    };
  }

  #take(message: Buffer, isBinary: boolean): void {
    const transport = this.#transport;
    if (transport === undefined) return;
    const isSent = transport.send(isBinary ? message : message.toString(), isBinary);
    // The client reads too slowly.
    if (!isSent || transport.bufferedBytes > this.#bufferedBytesMax) this.#giveUp();
  }

  #pass(send: () => void): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    // The other node does not keep up.
    if (this.#socket.bufferedAmount > SOCKET_BACKPRESSURE_BYTES_MAX) this.#giveUp();
    else send();
  }

  /** For the node of the call the connection is lost, and the client may come back. */
  #giveUp(): void {
    this.#socket.terminate();
    this.#close(CLOSE_NORMAL, DETACHED);
  }

  #closed(code: number, reason: string): void {
    // Without a close frame the node or the way to it is lost, and not the call for certain: the client may come back.
    if (code === CLOSED_WITHOUT_FRAME) this.#close(CLOSE_NORMAL, DETACHED);
    else this.#close(isSendable(code) ? code : CLOSE_INTERNAL_ERROR, reason);
  }

  /** Closes the client's connection, whose listener then closes the socket. */
  #close(code: number, reason: string): void {
    const transport = this.#transport;
    this.#transport = undefined;
    transport?.close(code, reason);
  }
}

/** RFC 6455, section 7.4: the codes that a close frame may have. */
const isSendable = (code: number): boolean =>
  (code >= 1_000 && code <= 1_003) || (code >= 1_007 && code <= 1_014) || (code >= 3_000 && code <= 4_999);

const presentHeaders = (headers: UpgradeHeaders): UpgradeHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
