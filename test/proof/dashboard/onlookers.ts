import { request } from "undici";
import WebSocket from "ws";
import { serve } from "../../../bench/rig/child-process.ts";

// Dashboards as the service sees them, in a process of their own: what their pages ask for, one page after the other, a stream of events
// each, and a live call each that is listened to. The browsers that show it are computers of others.

/** What dashboards are opened with. */
export interface Opened {
  apiUrl: string;
  /** Of the account whose calls they look at, then of others: with them the people are made who sign in. */
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
const SESSION_API = "/dashboard/session/api/v1";
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

/** Somebody who is signed in. */
interface Session {
  cookie: string;
  csrfToken: string;
}

/** An owner of the account of an API key, signed in by the link of an invitation. */
async function signedIn(apiUrl: string, key: string, name: string): Promise<Session> {
  const post = async (path: string, body: object, headers: Record<string, string>) => {
    const options = {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    };
    const answer = await fetch(`${apiUrl}${path}`, options);
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const email = `${name}@example.com`;
  const invited = await post("/api/v1/users", { email, name, role: "owner" }, { "X-API-Key": key });
  const { link } = (await invited.json()) as { link: { url: string } };
  const token = new URL(link.url).hash.slice(1);
  const accepted = await post("/dashboard/session/accept", { token, password: "four quite random words" }, {});
  const cookie = accepted.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  return { cookie, csrfToken: ((await accepted.json()) as { csrfToken: string }).csrfToken };
}

/** Of each dashboard: those that are opened again are still signed in. */
const sessions = new Map<string, Session>();

class Dashboards {
  readonly #abort = new AbortController();
  readonly #sockets: WebSocket[] = [];
  readonly #sessions: Session[] = [];
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
    const { count } = this.#opened;
    for (let at = 0; at < count; at += 1) this.#sessions.push(await this.#sessionOf(at));
    const live = await this.#get<{ data: { id: string }[] }>(0, "/calls?status=active&limit=100");
    this.#callIds = live?.data.map(({ id }) => id) ?? [];
    for (let at = 0; at < count; at += 1) {
      await this.#follow(at);
      await this.#listen(at, this.#callId(at));
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

  /** The first ten are people of the account whose calls they look at; more streams of events than that it may not have. */
  async #sessionOf(dashboard: number): Promise<Session> {
    const { apiUrl, keys } = this.#opened;
    const key = keys[Math.floor(dashboard / STREAMS_PER_ACCOUNT)] ?? "";
    const name = `${apiUrl.replace(/\D/g, "")}-${dashboard}`;
    const session = sessions.get(name) ?? (await signedIn(apiUrl, key, name));
    sessions.set(name, session);
    return session;
  }

  /** Pages are those of the account with calls: a dashboard of another one looks with a session of it. */
  #headersOf(dashboard: number, isOwn = false): Record<string, string> {
    const { cookie = "", csrfToken = "" } = this.#sessions[isOwn ? dashboard : dashboard % STREAMS_PER_ACCOUNT] ?? {};
    return { cookie, "x-csrf-token": csrfToken };
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
      await Promise.all(page(this.#callId(at)).map((path) => this.#get(dashboard, path)));
      this.#pages += 1;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, untilMs - performance.now())));
    }
  }

  async #get<Body>(dashboard: number, path: string): Promise<Body | undefined> {
    const headers = this.#headersOf(dashboard);
    const { statusCode, body } = await request(`${this.#opened.apiUrl}${SESSION_API}${path}`, { headers });
    const text = await body.text();
    if (statusCode === 200) return JSON.parse(text) as Body;
    this.#failures.add(`${path.replace(/call_[0-9a-f-]+/, "{id}")}: ${statusCode}`);
    return undefined;
  }

  async #follow(dashboard: number): Promise<void> {
    const { statusCode, body } = await request(`${this.#opened.apiUrl}${SESSION_API}/events?activity=true`, {
      headers: this.#headersOf(dashboard, true),
      signal: this.#abort.signal,
      bodyTimeout: 0,
    });
    if (statusCode !== 200) this.#failures.add(`a stream of events: ${statusCode}`);
    body.on("data", (chunk: Buffer) => {
      this.#eventBytes += chunk.length;
    });
    body.on("error", () => {});
  }

  async #listen(dashboard: number, callId: string): Promise<void> {
    const { statusCode, body } = await request(`${this.#opened.apiUrl}${SESSION_API}/calls/${callId}/listen`, {
      method: "POST",
      headers: this.#headersOf(dashboard),
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
