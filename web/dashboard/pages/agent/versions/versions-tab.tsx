import { useMemo, useState } from "preact/hooks";
import type { Schema } from "../../../../client/src/index.ts";
import { api } from "../../../app/api.ts";
import { endText } from "../../../app/call-states.ts";
import { mayAct } from "../../../app/roles.ts";
import { useQuery } from "../../../app/use-query.ts";
import { useResource } from "../../../app/use-resource.ts";
import { Badge, type Tone } from "../../../ui/badge.tsx";
import { Failure } from "../../../ui/failure.tsx";
import { Code, Count, Delay, Foreign, Money, Time } from "../../../ui/figures.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Menu, MenuButton, MenuChoice } from "../../../ui/menu.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { firstOf, type SavedAgent } from "../load.ts";
import type { Definition } from "../model/definition.ts";
import type { VersionFigures } from "../model/version-figures.ts";
import { Comparison } from "./comparison.tsx";
import { CALLS_COUNTED_MAX, type CallFigures, loadFigures, loadMakers } from "./load.ts";
import { PublishVersion, RestoreVersion } from "./version-dialogs.tsx";

type Version = Schema<"AgentVersionSummary">;

interface VersionsTabProps {
  saved: SavedAgent;
  edited: Definition;
  isDirty: boolean;
  /** The agent has another version now. */
  onChanged: () => Promise<void>;
}

/** So many of the newest are listed. */
const VERSIONS_MAX = 200;

/** The versions of an agent, how their calls went, and what differs between two of them. */
export function VersionsTab({ saved, edited, isDirty, onChanged }: VersionsTabProps) {
  const { agent } = saved;
  const { query, change } = useQuery();
  // After a change there is another one.
  const key = `versions ${agent.id} ${saved.etag}`;
  const path = { id: agent.id };
  const versions = useResource(key, (signal) =>
    firstOf(api.list("/agents/{id}/versions", { path, query: { limit: 100 }, signal }), VERSIONS_MAX),
  );
  const figures = useResource(`figures ${agent.id}`, (signal) => loadFigures(agent.id, signal), {
    on: ["call.ended"],
  });
  const makers = useResource("makers", loadMakers);
  const [act, setAct] = useState<{ kind: "restore" | "publish"; version: number }>();
  const names = makers.status === "ready" ? makers.value : NO_NAMES;
  const byVersion = figures.status === "ready" ? figures.value.byVersion : NO_FIGURES;
  const columns = useMemo(
    () =>
      columnsOf({
        names,
        byVersion,
        isDirty,
        onCompare: (version) => change({ version: String(version), against: undefined }, { push: true }),
        onAct: (kind, version) => setAct({ kind, version }),
      }),
    [names, byVersion, isDirty, change],
  );
  if (versions.status === "loading") return <Loading what="the versions" />;
  if (versions.status === "failed") return <Failure error={versions.error} onRetry={versions.reload} />;
  const { items, isCut } = versions.value;
  const close = (): void => setAct(undefined);
  return (
    <div class="versions">
      {isDirty && mayAct("editor") && (
        <p class="soft">Save or discard your changes before you restore or publish a version.</p>
      )}
      <Comparison saved={saved} versions={items} edited={isDirty ? edited : undefined} query={query} />
      <Table label="Versions" columns={columns} rows={items} keyOf={({ version }) => String(version)} />
      {isCut && <p class="soft">The newest {VERSIONS_MAX} versions are listed.</p>}
      <FiguresNote figures={figures.status === "ready" ? figures.value : undefined} />
      {act?.kind === "restore" && (
        <RestoreVersion saved={saved} version={act.version} onClose={close} onChanged={onChanged} />
      )}
      {act?.kind === "publish" && (
        <PublishVersion saved={saved} version={act.version} onClose={close} onChanged={onChanged} />
      )}
    </div>
  );
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();
const NO_FIGURES: ReadonlyMap<number, VersionFigures> = new Map();

const STATES: Readonly<Record<Version["state"], { tone: Tone; text: string }>> = {
  live: { tone: "good", text: "live" },
  draft: { tone: "warn", text: "draft" },
  earlier: { tone: "neutral", text: "earlier" },
};

interface ColumnOptions {
  names: ReadonlyMap<string, string>;
  byVersion: ReadonlyMap<number, VersionFigures>;
  isDirty: boolean;
  onCompare: (version: number) => void;
  onAct: (kind: "restore" | "publish", version: number) => void;
}

const columnsOf = ({ names, byVersion, isDirty, onCompare, onAct }: ColumnOptions): readonly Column<Version>[] => [
  {
    name: "version",
    title: "Version",
    cell: ({ version }) => (
      <button
        type="button"
        class="button button-quiet"
        aria-label={`What version ${version} has changed`}
        onClick={() => onCompare(version)}
      >
        {version}
      </button>
    ),
  },
  {
    name: "state",
    title: "State",
    cell: ({ state }) => <Badge tone={STATES[state].tone}>{STATES[state].text}</Badge>,
  },
  { name: "created", title: "Saved", cell: ({ createdAt }) => <Time at={createdAt} seconds={false} /> },
  {
    name: "by",
    title: "By",
    cell: ({ createdBy }) => {
      const name = names.get(createdBy ?? "");
      return name === undefined && createdBy !== null ? <Code>{createdBy}</Code> : <Foreign text={name} />;
    },
  },
  {
    name: "calls",
    title: "Calls",
    isFigure: true,
    cell: ({ version }) => <Count of={byVersion.get(version)?.calls} />,
  },
  {
    name: "delay",
    title: "Turn, median",
    isFigure: true,
    cell: ({ version }) => <Delay ms={byVersion.get(version)?.delayMs} />,
  },
  {
    name: "cost",
    title: "Cost a call",
    isFigure: true,
    cell: ({ version }) => {
      const cost = byVersion.get(version)?.cost;
      return <Money amount={cost?.amount} currency={cost?.currency ?? ""} />;
    },
  },
  { name: "ends", title: "Ends", cell: ({ version }) => <Ends figures={byVersion.get(version)} /> },
  {
    name: "actions",
    title: "Actions",
    isTitleHidden: true,
    isFigure: true,
    cell: (version) => <Actions version={version} isDirty={isDirty} onAct={onAct} />,
  },
];

/** So many reasons are named. */
const ENDS_MAX = 3;

const Ends = ({ figures }: { figures: VersionFigures | undefined }) => (
  <Foreign
    text={figures?.ends
      .slice(0, ENDS_MAX)
      .map(({ reason, calls }) => `${endText(reason as Parameters<typeof endText>[0])} ${calls}`)
      .join(", ")}
  />
);

interface ActionsProps {
  version: Version;
  isDirty: boolean;
  onAct: ColumnOptions["onAct"];
}

function Actions({ version: { version, state }, isDirty, onAct }: ActionsProps) {
  if (!mayAct("editor") || isDirty || state === "live") return null;
  return (
    <Menu
      button={
        <MenuButton class="button button-quiet" label={`Actions of version ${version}`}>
          …
        </MenuButton>
      }
    >
      <MenuChoice onChoose={() => onAct("publish", version)}>Publish as it is</MenuChoice>
      {state === "earlier" && (
        <MenuChoice onChoose={() => onAct("restore", version)}>Restore as a new version</MenuChoice>
      )}
    </Menu>
  );
}

const FiguresNote = ({ figures }: { figures: CallFigures | undefined }) => (
  <p class="soft">
    {figures?.isCut
      ? `The figures are of the newest ${CALLS_COUNTED_MAX} calls of the agent.`
      : "The figures are of the calls that are over."}{" "}
    Calls that tried what was not saved do not count.
  </p>
);
