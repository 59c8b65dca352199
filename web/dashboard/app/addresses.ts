/** Below it are the dashboard's pages; the service answers there with its one document. */
export const ROOT = "/dashboard";

/** The page that is shown first. */
export const HOME = `${ROOT}/live`;
export const SIGN_IN = `${ROOT}/sign-in`;
export const CALLS = `${ROOT}/calls`;
export const AGENTS = `${ROOT}/agents`;

/** The page of one call. */
export const callPage = (id: string): string => `${CALLS}/${encodeURIComponent(id)}`;

/** The page of one agent; of "new" the one that makes an agent. */
export const agentPage = (id: string): string => `${AGENTS}/${encodeURIComponent(id)}`;

/** Where the API answers people who are signed in. Files, such as recordings, have their addresses below `/api/v1` of it. */
export const SESSION_BASE = `${ROOT}/session`;

/** The page on which one talks to an agent. */
export const TALK = "/talk";
/** The reference of the API. */
export const API_REFERENCE = "/docs";
