/** What the service has said in an answer that is not a success, as a sentence. */
export class ServiceError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The page that an owner link has opened. */
export interface OwnerPage {
  csrfToken: string;
  /** ISO 8601. */
  expiresAt: string;
  /** Whether somebody can sign in to the dashboard as its owner. */
  hasOwner: boolean;
}

export interface Language {
  code: string;
  name: string;
}

export interface Voice {
  id: string;
  name: string;
  language: string;
  provider: string;
}

/** What the form gives of a call that has no saved agent. */
export interface ScratchCall {
  systemPrompt: string;
  language: string;
  voice: string;
  greeting?: string;
}

/** Makes the first owner, who is signed in. Rejects with a ServiceError. */
export const createOwner = ({ csrfToken }: OwnerPage, email: string, password: string): Promise<void> =>
  ask("talk/owner", post({ email, password }, { "X-CSRF-Token": csrfToken }));

/** Uses an owner link up. Rejects with a ServiceError. */
export const openLink = (token: string): Promise<OwnerPage> => ask("talk/session", post({ token }));

/** The page, if a link has opened it in this browser before. */
export const currentPage = (): Promise<OwnerPage | undefined> => ask("talk/session");

export const listLanguages = async (): Promise<readonly Language[]> =>
  (await ask<{ data: Language[] }>("talk/languages")).data;

/** Those of the language itself first. */
export async function listVoices(language: string): Promise<readonly Voice[]> {
  const { data } = await ask<{ data: Voice[] }>(`talk/voices?language=${encodeURIComponent(language)}`);
  const rank = (voice: Voice): number => Number(voice.language.toLowerCase() !== language.toLowerCase());
  return data.toSorted((a, b) => rank(a) - rank(b));
}

/** What the SDK can play and record. */
const FORMAT = { codec: "pcm_s16le", inputSampleRate: 16_000, outputSampleRate: 24_000 };
/** A service that cannot carry a connection type says so with this status, and one without room for it at present with the other. */
const UNSUPPORTED = 501;
const NO_ROOM = 503;

/** A refused request counts as a start, so a service without WebRTC is asked for it once. */
let hasWebrtc = true;

/** Starts a call from a prompt: by WebRTC where the service has it. */
export async function startScratchCall({ csrfToken }: OwnerPage, call: ScratchCall): Promise<{ websocketUrl: string }> {
  const headers = { "X-CSRF-Token": csrfToken };
  if (hasWebrtc) {
    try {
      return await ask("talk/calls", post({ ...call, connectionType: "webrtc" }, headers));
    } catch (error) {
      const { status } = error as ServiceError;
      if (status === UNSUPPORTED) hasWebrtc = false;
      else if (status !== NO_ROOM) throw error;
    }
  }
  return await ask("talk/calls", post({ ...call, connectionType: "websocket", websocket: FORMAT }, headers));
}

const post = (body: object, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
});

async function ask<Answer>(path: string, request?: RequestInit): Promise<Answer> {
  const answer = await fetch(path, request).catch(() => undefined);
  if (answer === undefined) throw new ServiceError(0, "The service does not answer. Is it running?");
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return body as Answer;
  throw new ServiceError(answer.status, sentenceOf(body));
}

interface ErrorBody {
  error?: { message: string; details: readonly { message: string }[] };
}

/** The messages of the service are made for programs: they begin in lower case and end without a full stop. */
function sentenceOf(body: unknown): string {
  const { error } = (body ?? {}) as ErrorBody;
  if (error === undefined) return "The service gave an answer that this page does not understand.";
  const messages = error.details.length > 0 ? error.details.map(({ message }) => message) : [error.message];
  return messages.map((message) => `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`).join(" ");
}
