import { CALLS, ROOT } from "../../app/addresses.ts";

export const TOOLS = `${ROOT}/tools`;
export const CORPORA = `${ROOT}/corpora`;
export const NUMBERS = `${ROOT}/numbers`;

export const toolPage = (id: string): string => `${TOOLS}/${encodeURIComponent(id)}`;
export const corpusPage = (id: string): string => `${CORPORA}/${encodeURIComponent(id)}`;

/** The calls of an agent. */
export const callsOf = (agentId: string): string => `${CALLS}?agentId=${encodeURIComponent(agentId)}`;
