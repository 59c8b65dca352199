/** One instruction of a stage. `words` of COPY: its sources, then its destination. */
export type Step =
  | { do: "run"; script: string }
  | { do: "copy"; from: string | undefined; sources: readonly string[]; destination: string }
  | { do: "directory"; path: string }
  | { do: "environment"; variables: Readonly<Record<string, string>> }
  | { do: "user"; name: string };

export interface Stage {
  name: string | undefined;
  /** An image, or the name of a stage before it. */
  from: string;
  steps: readonly Step[];
  /** The health check's, the entry point's and the program's arguments; undefined where the stage has none. */
  healthCheck: readonly string[] | undefined;
  entryPoint: readonly string[] | undefined;
  command: readonly string[] | undefined;
}

/** Instructions that change nothing of what runs here: a network of its own needs no ports, a folder no volume. */
const WITHOUT_EFFECT = new Set(["ARG", "LABEL", "EXPOSE", "VOLUME"]);

/**
 * The stages of a Dockerfile, as far as our own uses the language. Throws at every instruction that it does not know, so that no step
 * is skipped. Build arguments are empty, as in a build that sets none.
 */
export function readDockerfile(text: string): readonly Stage[] {
  const stages: (Stage & { steps: Step[] })[] = [];
  for (const { name, rest } of instructions(text)) {
    if (name === "FROM") {
      const [from = "", , stage] = rest.split(/\s+/);
      const nothing = { healthCheck: undefined, entryPoint: undefined, command: undefined };
      stages.push({ name: stage, from: withoutArguments(from), steps: [], ...nothing });
      continue;
    }
    if (WITHOUT_EFFECT.has(name)) continue;
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`${name} stands before the first FROM`);
    if (name === "HEALTHCHECK") stage.healthCheck = words(rest.replace(/^.*?CMD\s+/, ""), name);
    else if (name === "ENTRYPOINT") stage.entryPoint = words(rest, name);
    else if (name === "CMD") stage.command = words(rest, name);
    else stage.steps.push(readStep(name, rest));
  }
  return stages;
}

function instructions(text: string): readonly { name: string; rest: string }[] {
  const lines = text.split("\n").filter((line) => !/^\s*#/.test(line));
  return lines
    .join("\n")
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", rest = ""] = /^\s*(\S+)\s*(.*)$/.exec(line) ?? [];
      return { name: name.toUpperCase(), rest: rest.trim() };
    });
}

function readStep(name: string, rest: string): Step {
  switch (name) {
    case "RUN":
      return { do: "run", script: rest };
    case "WORKDIR":
      return { do: "directory", path: rest };
    case "USER":
      return { do: "user", name: rest };
    case "ENV":
      return { do: "environment", variables: readVariables(rest) };
    case "COPY":
      return readCopy(rest);
    default:
      throw new Error(`the Dockerfile has an instruction that cannot be run here: ${name} ${rest}`);
  }
}

function readCopy(rest: string): Step {
  const [first = "", ...others] = rest.split(/\s+/);
  const from = /^--from=(.+)$/.exec(first)?.[1];
  const paths = from === undefined ? [first, ...others] : others;
  const flag = paths.find((path) => path.startsWith("--"));
  if (flag !== undefined) throw new Error(`COPY has an option that cannot be followed here: ${flag}`);
  return { do: "copy", from, sources: paths.slice(0, -1), destination: paths.at(-1) ?? "" };
}

function readVariables(rest: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const word of rest.split(/\s+/)) {
    const [, name, value] = /^(\w+)=([^"'$\\]*)$/.exec(word) ?? [];
    if (name === undefined || value === undefined)
      throw new Error(`ENV is understood as NAME=value without quotes, not "${word}"`);
    variables[name] = value;
  }
  return variables;
}

/** The JSON form of an instruction; the shell form is refused, for it hides a shell between the init and the program. */
function words(rest: string, name: string): readonly string[] {
  const value: unknown = rest.startsWith("[") ? JSON.parse(rest) : undefined;
  if (!Array.isArray(value)) throw new Error(`${name} must have the JSON form, not "${rest}"`);
  return value.map(String);
}

/** `${NAME:+word}` and `${NAME}` of arguments that are not set. */
const withoutArguments = (text: string): string => text.replaceAll(/\$\{\w+(?::\+[^}]*)?\}/g, "");
