import type { Config } from "../../config/config.ts";
import type { EmbeddingsSettings } from "../../core/knowledge/embeddings-settings.ts";
import type { MediaUrls } from "../../core/network/media-urls.ts";
import type { MediaServerChoice } from "../../gateway/server/choice.ts";
import type { LocalSpeechSettings } from "../../speech/local/jobs.ts";
import type { WorkerRole } from "../../store/handoff/messages.ts";

/**
 * The processes that the supervisor starts: one control process, the media workers, where a local speech model is configured one speech
 * process, which owns its children, and one retrieval process from when there is a corpus.
 */
export type ChildKind = "control" | "worker" | "speech" | "retrieval";

/** How often processes of each kind were restarted since the service started. */
export type Restarts = Readonly<Record<ChildKind, number>>;

/** Messages from the supervisor to a child, over its IPC channel. */
export type ToChild =
  /** Always the first message: serve with these options. Until then the child has loaded its code and holds no resources. */
  | { kind: "assign"; options: ChildAssignment }
  /** The service ends: accept no new calls, let live calls end within this time, then exit. */
  | { kind: "drain"; withinMs: number }
  /** Another worker replaces this one: stop listening, serve accepted connections, let calls end, then exit. */
  | { kind: "retire" }
  /** No worker is left: exit as soon as all records are written. */
  | { kind: "stop" }
  /** To the control process, which exposes them as metrics. */
  | { kind: "restarts"; restarts: Restarts }
  /** To a worker, with a connection of the media port. The worker owns it from here on. */
  | { kind: "connection" }
  /**
   * To a worker, after each connection. Node drops the message of a connection for which the worker has no descriptor, but it
   * delivers this one.
   */
  | { kind: "connection-sent" }
  /** To a worker that has asked for connections: the port is open, and a connection may have been sent before this. */
  | { kind: "connections-started" }
  /** To a worker that has asked for no more connections: no connection follows this. */
  | { kind: "connections-stopped" };

/** Messages from a child to the supervisor. */
export type FromChild =
  | { kind: "ready"; port: number }
  /** The start takes longer: from now on the process has this long to become ready. */
  | { kind: "starting"; readyWithinMs: number }
  /** The event loop runs. Sent every HEARTBEAT_MS from `ready` on. */
  | { kind: "heartbeat" }
  /** Whether a worker accepts connections of the media port from now on. */
  | { kind: "connections"; accepting: boolean }
  /** From the control process of a node that drains: no call that was placed on the node waits for its stream any more. */
  | { kind: "no-call-waits" }
  /** From the control process: a request of the operator drains the service. */
  | { kind: "drain-requested" }
  /** From the control process: there is a corpus, so the retrieval process must run from now on. */
  | { kind: "retrieval-needed" }
  /** From the control process of a new service, before it is ready: the link for the terminal. It must not be logged. */
  | { kind: "owner-link"; url: string }
  /** The answer to `connection-sent`: the connection has arrived, or was lost on its way. */
  | { kind: "connection-taken" };

/** What a child cannot read from the environment. */
export interface ChildAssignment {
  /** The Unix socket between workers and control process. */
  socketPath: string;
  /** The speech process; undefined where no local speech model is configured. */
  speech: SpeechAssignment | undefined;
  retrieval: RetrievalAssignment;
  /** The port to listen on: as configured, or the one that was chosen before a restart. */
  port: number;
  /** Of a worker; "media" for any other process. */
  role: WorkerRole;
  /** To the first control process: no worker of an earlier service is left to report its calls. */
  earlierWorkersAreGone: boolean;
  /** The addresses that `websocketUrl` begins with, as configured or on this machine. */
  mediaUrls: MediaUrls;
  /** Of this node of a cluster: see `nodeTagOf`. Workers do not have its name. */
  nodeTag: string | undefined;
  restarts: Restarts;
  /** The media server, chosen once for all processes. */
  mediaServer: MediaServerChoice;
  /**
   * Whether this is the first worker of the service: it listens before there is a control process, and logs what is the same in
   * every worker.
   */
  isFirst: boolean;
}

/** What concerns the speech process. It gets no environment, so that it has no API keys of providers. */
export interface SpeechAssignment {
  /** Its Unix socket, for workers and control process. */
  socketPath: string;
  settings: LocalSpeechSettings;
  logLevel: Config["logLevel"];
}

/** What concerns the retrieval process, which is started when it is needed. It gets no environment. */
export interface RetrievalAssignment {
  /** Its Unix socket, for workers and control process. */
  socketPath: string;
  /** The folder of the index. */
  folder: string;
  /** Undefined where words alone rank. Has an API key. */
  embeddings: EmbeddingsSettings | undefined;
  logLevel: Config["logLevel"];
}
