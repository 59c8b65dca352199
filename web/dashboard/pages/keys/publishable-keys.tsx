import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { useAgentNames } from "../../app/use-agent-names.ts";
import { useList } from "../../app/use-list.ts";
import { useQuery } from "../../app/use-query.ts";
import { useShownAgain } from "../../app/use-shown-again.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Code, Foreign, Time } from "../../ui/figures.tsx";
import { ListTable } from "../../ui/list-table.tsx";
import { Menu, MenuButton, MenuChoice } from "../../ui/menu.tsx";
import type { Column } from "../../ui/table.tsx";
import { limitsText, type PublishableKey } from "./forms.ts";
import { PublishableKeyDialog, RevokePublishableKeyDialog, UseDialog } from "./publishable-key-dialogs.tsx";
import "./keys.css";

const STATUSES: readonly PublishableKey["status"][] = ["active", "revoked"];

type Act = { kind: "create" } | { kind: "edit" | "use" | "revoke"; publishableKey: PublishableKey };

export function PublishableKeys({ filters }: { filters: ComponentChildren }) {
  const { query } = useQuery();
  const agents = useAgentNames();
  const status = STATUSES.find((one) => one === query.status);
  const resource = useList(`publishable keys ${status}`, (page, signal) =>
    api.get("/publishable-keys", { query: { ...page, ...(status !== undefined && { status }) }, signal }),
  );
  useShownAgain(resource.reload);
  const [act, setAct] = useState<Act>();
  const columns = useMemo(() => columnsOf(agents, setAct), [agents]);
  return (
    <div class="keys-panel">
      <div class="keys-head">
        {filters}
        <Button kind="primary" onClick={() => setAct({ kind: "create" })}>
          Create a publishable key
        </Button>
      </div>
      <ListTable
        label="Publishable keys"
        what="the publishable keys"
        resource={resource}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<NoPublishableKey isFiltered={status !== undefined} />}
      />
      <Dialogs act={act} agents={agents} onAct={setAct} onDone={resource.reload} />
    </div>
  );
}

interface DialogsProps {
  act: Act | undefined;
  agents: ReadonlyMap<string, string>;
  onAct: (act: Act | undefined) => void;
  onDone: () => void;
}

function Dialogs({ act, agents, onAct, onDone }: DialogsProps) {
  const common = { agents, onClose: () => onAct(undefined), onDone };
  switch (act?.kind) {
    case "create":
      return <PublishableKeyDialog {...common} />;
    case "edit":
      return <PublishableKeyDialog {...common} publishableKey={act.publishableKey} />;
    case "use":
      return <UseDialog publishableKey={act.publishableKey} onClose={common.onClose} />;
    case "revoke":
      return <RevokePublishableKeyDialog {...common} publishableKey={act.publishableKey} />;
    case undefined:
      return null;
  }
}

const columnsOf = (
  agents: ReadonlyMap<string, string>,
  onAct: (act: Act) => void,
): readonly Column<PublishableKey>[] => [
  { name: "name", title: "Name", cell: ({ name }) => <Foreign text={name} /> },
  { name: "key", title: "Key", cell: ({ key }) => <Code>{key}</Code> },
  {
    name: "status",
    title: "State",
    cell: ({ status }) => <Badge tone={status === "active" ? "good" : "neutral"}>{status}</Badge>,
  },
  { name: "agents", title: "Agents", cell: ({ agentIds }) => <Agents ids={agentIds} names={agents} /> },
  { name: "origins", title: "Origins", cell: ({ origins }) => <Foreign text={origins.join(", ")} /> },
  { name: "limits", title: "Limits", cell: ({ limits }) => limitsText(limits) },
  { name: "createdAt", title: "Created", cell: ({ createdAt }) => <Time at={createdAt} seconds={false} /> },
  {
    name: "actions",
    title: "Actions",
    isTitleHidden: true,
    isFigure: true,
    cell: (publishableKey) => <Actions publishableKey={publishableKey} onAct={onAct} />,
  },
];

const Agents = ({ ids, names }: { ids: readonly string[]; names: ReadonlyMap<string, string> }) => (
  <Foreign text={ids.map((id) => names.get(id) ?? id).join(", ")} />
);

function Actions({ publishableKey, onAct }: { publishableKey: PublishableKey; onAct: (act: Act) => void }) {
  if (publishableKey.status === "revoked") return null;
  return (
    <Menu
      button={
        <MenuButton class="button button-quiet" label={`Actions of ${publishableKey.name}`}>
          …
        </MenuButton>
      }
    >
      <MenuChoice onChoose={() => onAct({ kind: "use", publishableKey })}>Use in a page</MenuChoice>
      <MenuChoice onChoose={() => onAct({ kind: "edit", publishableKey })}>Change</MenuChoice>
      <MenuChoice isDangerous onChoose={() => onAct({ kind: "revoke", publishableKey })}>
        Revoke
      </MenuChoice>
    </Menu>
  );
}

const NoPublishableKey = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No publishable key is in this state." />
  ) : (
    <Empty title="There is no publishable key yet.">
      <p>
        With one, the visitors of a web page of yours talk to an agent, without a server of yours. Create it for the
        page's origin: the page then names it in its script.
      </p>
    </Empty>
  );
