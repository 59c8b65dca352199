import { request } from "undici";
import WebSocket from "ws";
import { serve } from "../../../bench/rig/child-process.ts";

// Dashboards as the service sees them, in a process of their own: what their pages ask for, one page after the other, a stream of events
// each, and a live call each that is listened to. The browsers that show it are computers of others.

/** What dashboards are opened with. */
export interface Opened {
  apiUrl: string;
  /** Of the account whose calls they look at, then of others. */
  keys: readonly string[];
  count: number;
}

export type OnlookerQuestions = {
  /** Dashboards are opened. Resolves with how many listen to a call. */
  open: { ask: Opened; answer: number };
  /** They look at one page after the other for so many seconds. */
  look: { ask: number; answer: Looked };
  /** They are closed. */
  close: { ask: undefined; answer: undefined };
};

/** What dashboards have asked for and heard. */
export interface Looked {
  pages: number;
  heardBytes: number;
  eventBytes: number;
  /** Why answers were not those that were expected, each once. */
  failures: readonly string[];
}

/** Of one account: the limit of the service. */
const STREAMS_PER_ACCOUNT = 10;
/** What a person takes to look at a page, at least. */
const PAGE_MS = 1_000;
const PAGE_EVENTS = 1_000;

/** What a page of the dashboard asks for, at once. */
type Page = (callId: string) => readonly string[];
const PAGES: readonly Page[] = [
  () => ["active", "ringing", "queued", "created"].map((status) => `/calls?status=${status}&limit=100`),
  () => ["/calls?limit=100", "/agents?limit=100"],
  (id) => [`/calls/${id}`, `/calls/${id}/transcript`, `/calls/${id}/events?limit=${PAGE_EVENTS}`],
];

class Dashboards {
  readonly #abort = new AbortController();
  readonly #sockets: WebSocket[] = [];
  readonly #failures = new Set<string>();
  readonly #opened: Opened;
  #callIds: readonly string[] = [];
  #pages = 0;
  #heardBytes = 0;
  #eventBytes = 0;

  constructor(opened: Opened) {
    this.#opened = opened;
  }

  async open(): Promise<number> {
    const { keys, count } = this.#opened;
    const live = await this.#get<{ data: { id: string }[] }>("/calls?status=active&limit=100");
    this.#callIds = live?.data.map(({ id }) => id) ?? [];
    for (let at = 0; at < count; at += 1) {
      await this.#follow(keys[Math.floor(at / STREAMS_PER_ACCOUNT)] ?? this.#key);
      await this.#listen(this.#callId(at));
    }
    return this.#sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
  }

  async look(seconds: number): Promise<Looked> {
    const endMs = performance.now() + seconds * 1_000;
    await Promise.all(Array.from({ length: this.#opened.count }, (_, at) => this.#lookOn(at, endMs)));
    const looked = {
      pages: this.#pages,
      heardBytes: this.#heardBytes,
      eventBytes: this.#eventBytes,
      failures: [...this.#failures],
    };
    [this.#pages, this.#heardBytes, this.#eventBytes] = [0, 0, 0];
    return looked;
  }

  close(): void {
    this.#abort.abort();
    for (const socket of this.#sockets) socket.terminate();
  }

  get #key(): string {
    return this.#opened.keys[0] ?? "";
  }

  #callId(at: number): string {
    return this.#callIds[at % this.#callIds.length] ?? "";
  }

  async #lookOn(dashboard: number, endMs: number): Promise<void> {
    // People do not click at the same moment.
    await new Promise((resolve) => setTimeout(resolve, (PAGE_MS * dashboard) / this.#opened.count));
    for (let at = dashboard; performance.now() < endMs; at += 1) {
      const untilMs = performance.now() + PAGE_MS;
      const page = PAGES[at % PAGES.length] as Page;
      await Promise.all(page(this.#callId(at)).map((path) => this.#get(path)));
      this.#pages += 1;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, untilMs - performance.now())));
    }
  }

  async #get<Body>(path: string): Promise<Body | undefined> {
    const headers = { "X-API-Key": this.#key };
    const { statusCode, body } = await request(`${this.#opened.apiUrl}/api/v1${path}`, { headers });
    const text = await body.text();
    if (statusCode === 200) return JSON.parse(text) as Body;
    this.#failures.add(`${path.replace(/call_[0-9a-f-]+/, "{id}")}: ${statusCode}`);
    return undefined;
  }

  async #follow(key: string): Promise<void> {
    const { statusCode, body } = await request(`${this.#opened.apiUrl}/api/v1/events?activity=true`, {
      headers: { "X-API-Key": key },
      signal: this.#abort.signal,
      bodyTimeout: 0,
    });
    if (statusCode !== 200) this.#failures.add(`a stream of events: ${statusCode}`);
    body.on("data", (chunk: Buffer) => {
      this.#eventBytes += chunk.length;
    });
    body.on("error", () => {});
  }

  async #listen(callId: string): Promise<void> {
    const { statusCode, body } = await request(`${this.#opened.apiUrl}/api/v1/calls/${callId}/listen`, {
      method: "POST",
      headers: { "X-API-Key": this.#key },
    });
    const text = await body.text();
    if (statusCode !== 200) {
      this.#failures.add(`listening: ${statusCode} ${text}`);
      return;
    }
    const socket = new WebSocket((JSON.parse(text) as { url: string }).url);
    this.#sockets.push(socket);
    socket.on("message", (data: Buffer, isBinary) => {
      if (isBinary) this.#heardBytes += data.length;
    });
    await new Promise<void>((resolve) => {
      socket.on("open", () => resolve());
      socket.on("error", ({ message }) => {
        this.#failures.add(`listening: ${message}`);
        resolve();
      });
    });
  }
}

let dashboards: Dashboards | undefined;

serve<OnlookerQuestions>({
  open: (opened) => {
    dashboards = new Dashboards(opened);
    return dashboards.open();
  },
  look: (seconds) => (dashboards as Dashboards).look(seconds),
  close: () => {
    dashboards?.close();
    dashboards = undefined;
    return undefined;
  },
});
