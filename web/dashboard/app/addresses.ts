/** Below it are the dashboard's pages; the service answers there with its one document. */
export const ROOT = "/dashboard";

/** The page that is shown first. */
export const HOME = `${ROOT}/live`;
export const SIGN_IN = `${ROOT}/sign-in`;
export const CALLS = `${ROOT}/calls`;
export const TOOLS = `${ROOT}/tools`;
export const CORPORA = `${ROOT}/corpora`;
export const TRANSCRIPTIONS = `${ROOT}/transcriptions`;

/** The page of one call. */
export const callPage = (id: string): string => `${CALLS}/${encodeURIComponent(id)}`;
export const NUMBERS = `${ROOT}/numbers`;
export const WEBHOOKS = `${ROOT}/webhooks`;
export const KEYS = `${ROOT}/keys`;

/** The page of one webhook. */
export const webhookPage = (id: string): string => `${WEBHOOKS}/${encodeURIComponent(id)}`;
/** The page of one tool. */
export const toolPage = (id: string): string => `${TOOLS}/${encodeURIComponent(id)}`;
/** The page of one corpus. */
export const corpusPage = (id: string): string => `${CORPORA}/${encodeURIComponent(id)}`;
/** The page of one transcription. */
export const transcriptionPage = (id: string): string => `${TRANSCRIPTIONS}/${encodeURIComponent(id)}`;

/** Where the API answers people who are signed in. Files, such as recordings, have their addresses below `/api/v1` of it. */
export const SESSION_BASE = `${ROOT}/session`;

/** The page on which one talks to an agent. */
export const TALK = "/talk";
/** The reference of the API. */
export const API_REFERENCE = "/docs";
