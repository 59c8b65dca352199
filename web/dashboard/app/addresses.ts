/** Below it are the dashboard's pages; the service answers there with its one document. */
export const ROOT = "/dashboard";

/** The page that is shown first. */
export const HOME = `${ROOT}/live`;
export const SIGN_IN = `${ROOT}/sign-in`;
export const CALLS = `${ROOT}/calls`;
export const AGENTS = `${ROOT}/agents`;
export const TOOLS = `${ROOT}/tools`;
export const CORPORA = `${ROOT}/corpora`;
export const NUMBERS = `${ROOT}/numbers`;
export const TRANSCRIPTIONS = `${ROOT}/transcriptions`;
export const WEBHOOKS = `${ROOT}/webhooks`;
export const KEYS = `${ROOT}/keys`;

const page =
  (list: string) =>
  (id: string): string =>
    `${list}/${encodeURIComponent(id)}`;
export const callPage = page(CALLS);
/** Of "new" the page that makes an agent. */
export const agentPage = page(AGENTS);
export const toolPage = page(TOOLS);
export const corpusPage = page(CORPORA);
export const transcriptionPage = page(TRANSCRIPTIONS);
export const webhookPage = page(WEBHOOKS);

/** Where the API answers people who are signed in. Files, such as recordings, have their addresses below `/api/v1` of it. */
export const SESSION_BASE = `${ROOT}/session`;

/** The page on which one talks to an agent. */
export const TALK = "/talk";
/** The reference of the API. */
export const API_REFERENCE = "/docs";
