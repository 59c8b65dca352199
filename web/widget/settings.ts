import type { CallSource } from "../sdk/src/types.ts";

export const LAYOUTS = ["floating", "inline", "headless"] as const;
export type Layout = (typeof LAYOUTS)[number];

/** The attributes of the element that are read when a call starts or the element is drawn. */
export interface Settings {
  layout: Layout;
  /** False where the page wants text alone. */
  microphone: boolean;
  /** The consent line: undefined for that of the language, null for none. */
  consent: string | null | undefined;
  heading: string | undefined;
}

/** The attributes as they are now. An unknown layout is the floating one. */
export function settingsOf(element: Element): Settings {
  const consent = element.getAttribute("consent") ?? undefined;
  return {
    layout: LAYOUTS.find((layout) => layout === element.getAttribute("layout")) ?? "floating",
    microphone: element.getAttribute("microphone") !== "off",
    consent: consent === "off" ? null : consent,
    heading: element.getAttribute("heading") ?? undefined,
  };
}

/**
 * Where the calls of the element come from. `serviceUrl` is the address that the widget was loaded from. Throws an Error that says
 * which attribute is missing or wrong.
 */
export function sourceOf(element: Element, serviceUrl: string): CallSource {
  const sessionUrl = element.getAttribute("session-url");
  if (sessionUrl !== null) return { session: () => askBackend(new URL(sessionUrl, document.baseURI)) };
  const agentId = element.getAttribute("agent-id");
  const publishableKey = element.getAttribute("publishable-key");
  if (agentId === null || publishableKey === null) {
    throw new Error("<trunkline-agent> needs agent-id and publishable-key, or session-url");
  }
  const apiUrl = element.getAttribute("api-url") ?? serviceUrl;
  const variables = element.getAttribute("variables");
  return {
    session: { apiUrl, agentId, publishableKey, ...(variables !== null && { variables: variablesOf(variables) }) },
  };
}

function variablesOf(text: string): Record<string, string | number | boolean> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, string>;
  } catch {
    // The same message as for JSON of another kind.
  }
  throw new Error('variables of <trunkline-agent> must be a JSON object, for example {"customer": "Mrs Miller"}');
}

/** The customer's own server makes the call, and decides who may. */
async function askBackend(url: URL): Promise<{ websocketUrl: string }> {
  const answer = await fetch(url, { method: "POST" });
  if (!answer.ok) throw new Error(`session-url answered with ${answer.status}`);
  const { websocketUrl } = (await answer.json()) as { websocketUrl?: unknown };
  if (typeof websocketUrl !== "string") throw new Error("session-url answered without a websocketUrl");
  return { websocketUrl };
}
