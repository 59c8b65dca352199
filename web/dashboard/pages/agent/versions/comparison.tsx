import type { Schema } from "../../../../client/src/index.ts";
import { useQuery } from "../../../app/use-query.ts";
import { useResource } from "../../../app/use-resource.ts";
import { Failure } from "../../../ui/failure.tsx";
import { Field } from "../../../ui/field.tsx";
import { Loading } from "../../../ui/loading.tsx";
import type { SavedAgent } from "../load.ts";
import type { Definition } from "../model/definition.ts";
import { differences } from "../model/definition-diff.ts";
import { DiffView } from "./diff-view.tsx";
import { loadDefinition } from "./load.ts";
import "./comparison.css";

type Version = Pick<Schema<"AgentVersionSummary">, "version" | "state">;

interface ComparisonProps {
  saved: SavedAgent;
  /** Newest first. */
  versions: readonly Version[];
  /** What is not saved; undefined where all is. */
  edited: Definition | undefined;
  query: Readonly<Record<string, string>>;
}

/** What stands in the address for changes that are not saved. */
const UNSAVED = "unsaved";

/** What differs between two versions, or between one and what is not saved. */
export function Comparison({ saved, versions, edited, query }: ComparisonProps) {
  const { change } = useQuery();
  const newest = edited === undefined ? String(versions[0]?.version ?? saved.version) : UNSAVED;
  const isKnown = (name: string | undefined): name is string =>
    name === UNSAVED ? edited !== undefined : versions.some(({ version }) => String(version) === name);
  const to = isKnown(query.version) ? query.version : newest;
  const from = isKnown(query.against) ? query.against : beforeOf(to, saved, versions);
  const options = [
    ...(edited === undefined ? [] : [{ value: UNSAVED, label: "Not saved" }]),
    ...versions.map(({ version, state }) => ({
      value: String(version),
      label: state === "earlier" ? `Version ${version}` : `Version ${version}, ${state}`,
    })),
  ];
  return (
    <section class="comparison" aria-label="Comparison">
      <div class="comparison-choice">
        <VersionChoice label="From" value={from ?? ""} options={options} onChange={(against) => change({ against })} />
        <VersionChoice label="To" value={to} options={options} onChange={(version) => change({ version })} />
      </div>
      {from === undefined ? (
        <p class="soft">This is the first version: there is none to compare it with.</p>
      ) : (
        <Differences saved={saved} from={from} to={to} edited={edited} />
      )}
    </section>
  );
}

/** The version before one; before what is not saved the version that it began with. */
function beforeOf(to: string, saved: SavedAgent, versions: readonly Version[]): string | undefined {
  if (to === UNSAVED) return String(saved.version);
  const at = versions.findIndex(({ version }) => String(version) === to);
  const before = versions[at + 1]?.version;
  return before === undefined ? undefined : String(before);
}

interface VersionChoiceProps {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

const VersionChoice = ({ label, value, options, onChange }: VersionChoiceProps) => (
  <Field label={label}>
    {(control) => (
      <select {...control} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {value === "" && <option value="">None</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface DifferencesProps {
  saved: SavedAgent;
  from: string;
  to: string;
  edited: Definition | undefined;
}

function Differences({ saved: { agent }, from, to, edited }: DifferencesProps) {
  const both = useResource(`compare ${agent.id} ${from} ${to}`, async (signal) => {
    const load = async (name: string): Promise<Definition | undefined> =>
      name === UNSAVED ? undefined : await loadDefinition(agent.id, Number(name), signal);
    const [before, after] = await Promise.all([load(from), load(to)]);
    return { before, after };
  });
  if (both.status === "loading") return <Loading what="the versions" />;
  if (both.status === "failed") return <Failure error={both.error} onRetry={both.reload} />;
  const before = both.value.before ?? edited;
  const after = both.value.after ?? edited;
  if (before === undefined || after === undefined) return null;
  const diffs = differences(before, after);
  const name = (version: string): string => (version === UNSAVED ? "what is not saved" : `version ${version}`);
  if (diffs.length === 0) {
    return (
      <p class="soft">
        Nothing differs from {name(from)} to {name(to)}.
      </p>
    );
  }
  return <DiffView diffs={diffs} label={`From ${name(from)} to ${name(to)}`} />;
}
