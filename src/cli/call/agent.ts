/** The saved agent that a call is created from. */
export interface PlannedAgent {
  id: string;
  version?: number | "draft";
  /** Values by the names of its variables, as written on the command line. */
  variables: Readonly<Record<string, string>>;
}

/** The options of `npm run call` about a saved agent. */
export const AGENT_OPTIONS = {
  agent: { type: "string" },
  version: { type: "string" },
  variable: { type: "string", multiple: true },
} as const;

interface Values {
  agent?: string | undefined;
  version?: string | undefined;
  variable?: readonly string[] | undefined;
}

/** The agent of these options; undefined without one. The service decides which variables there are. */
export function agentOf({ agent, version, variable = [] }: Values, problems: string[]): PlannedAgent | undefined {
  if (agent === undefined) {
    if (version !== undefined) problems.push("--version is only for --agent");
    if (variable.length > 0) problems.push("--variable is only for --agent");
    return undefined;
  }
  const at = agent.lastIndexOf("@");
  const id = at === -1 ? agent : agent.slice(0, at);
  if (id === "") problems.push("--agent must be the id of an agent");
  if (at !== -1 && version !== undefined) problems.push("--version must not be given beside a version in --agent");
  const number = versionOf(at === -1 ? version : agent.slice(at + 1), problems);
  const variables = variable.map((text): [string, string] => {
    const equals = text.indexOf("=");
    if (equals < 1) problems.push(`--variable must be name=value, not ${JSON.stringify(text)}`);
    return [text.slice(0, equals), text.slice(equals + 1)];
  });
  return { id, ...(number !== undefined && { version: number }), variables: Object.fromEntries(variables) };
}

function versionOf(text: string | undefined, problems: string[]): PlannedAgent["version"] {
  if (text === undefined || text === "draft") return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  problems.push(`--version must be draft or the number of a version, not ${JSON.stringify(text)}`);
  return undefined;
}
