import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { API_REFERENCE } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { useList } from "../../app/use-list.ts";
import { useQuery } from "../../app/use-query.ts";
import { useShownAgain } from "../../app/use-shown-again.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Code, Foreign, Time } from "../../ui/figures.tsx";
import { ListTable } from "../../ui/list-table.tsx";
import { Menu, MenuButton, MenuChoice } from "../../ui/menu.tsx";
import { SecretDialog } from "../../ui/secret-dialog.tsx";
import type { Column } from "../../ui/table.tsx";
import { ApiKeyDialog, RevokeApiKeyDialog, RotateApiKeyDialog } from "./api-key-dialogs.tsx";
import type { ApiKey, MadeApiKey } from "./forms.ts";
import "./keys.css";

const STATUSES: readonly ApiKey["status"][] = ["active", "expired", "revoked"];
const TONES: Readonly<Record<ApiKey["status"], Tone>> = { active: "good", expired: "warn", revoked: "neutral" };

type Act = { kind: "create" } | { kind: "edit" | "rotate" | "revoke"; apiKey: ApiKey };

export function ApiKeys({ filters }: { filters: ComponentChildren }) {
  const { query } = useQuery();
  const status = STATUSES.find((one) => one === query.status);
  const resource = useList(`API keys ${status}`, (page, signal) =>
    api.get("/api-keys", { query: { ...page, ...(status !== undefined && { status }) }, signal }),
  );
  useShownAgain(resource.reload);
  const [act, setAct] = useState<Act>();
  const [made, setMade] = useState<MadeApiKey>();
  const columns = useMemo(() => columnsOf(setAct), []);
  return (
    <div class="keys-panel">
      <div class="keys-head">
        {filters}
        <Button kind="primary" onClick={() => setAct({ kind: "create" })}>
          Create an API key
        </Button>
      </div>
      <ListTable
        label="API keys"
        what="the API keys"
        resource={resource}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<NoApiKey isFiltered={status !== undefined} />}
      />
      <Dialogs act={act} onClose={() => setAct(undefined)} onDone={resource.reload} onMade={setMade} />
      {made !== undefined && (
        <SecretDialog
          title="The text of the API key"
          label={made.name}
          secret={made.key}
          onClose={() => setMade(undefined)}
        >
          <p>
            A program sends it in the header <code>X-API-Key</code> of each request: see{" "}
            <a href={API_REFERENCE}>the reference of the API</a>.
          </p>
        </SecretDialog>
      )}
    </div>
  );
}

interface DialogsProps {
  act: Act | undefined;
  onClose: () => void;
  onDone: () => void;
  onMade: (made: MadeApiKey) => void;
}

function Dialogs({ act, onClose, onDone, onMade }: DialogsProps) {
  const common = { onClose, onDone, onMade };
  switch (act?.kind) {
    case "create":
      return <ApiKeyDialog {...common} />;
    case "edit":
      return <ApiKeyDialog {...common} apiKey={act.apiKey} />;
    case "rotate":
      return <RotateApiKeyDialog {...common} apiKey={act.apiKey} />;
    case "revoke":
      return <RevokeApiKeyDialog {...common} apiKey={act.apiKey} />;
    case undefined:
      return null;
  }
}

const columnsOf = (onAct: (act: Act) => void): readonly Column<ApiKey>[] => [
  { name: "name", title: "Name", cell: ({ name }) => <Foreign text={name} /> },
  { name: "prefix", title: "Begins with", cell: ({ prefix }) => <Code>{prefix}</Code> },
  { name: "status", title: "State", cell: (apiKey) => <State apiKey={apiKey} /> },
  { name: "scopes", title: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
  { name: "lastUsedAt", title: "Last used", cell: ({ lastUsedAt }) => <LastUse at={lastUsedAt} /> },
  { name: "expiresAt", title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} seconds={false} /> },
  { name: "createdAt", title: "Created", cell: ({ createdAt }) => <Time at={createdAt} seconds={false} /> },
  {
    name: "actions",
    title: "Actions",
    isTitleHidden: true,
    isFigure: true,
    cell: (apiKey) => <Actions apiKey={apiKey} onAct={onAct} />,
  },
];

const LastUse = ({ at }: { at: string | null }) =>
  at === null ? <span class="soft">never</span> : <Time at={at} seconds={false} />;

const State = ({ apiKey: { status, previousWorksUntil, revokedAt } }: { apiKey: ApiKey }) => (
  <>
    <Badge tone={TONES[status]}>{status}</Badge>
    {status === "revoked" && (
      <div class="keys-more">
        <Time at={revokedAt} seconds={false} />
      </div>
    )}
    {status === "active" && previousWorksUntil !== null && (
      <div class="keys-more">
        rotated; the earlier text works until <Time at={previousWorksUntil} seconds={false} />
      </div>
    )}
  </>
);

function Actions({ apiKey, onAct }: { apiKey: ApiKey; onAct: (act: Act) => void }) {
  if (apiKey.status === "revoked") return null;
  return (
    <Menu
      button={
        <MenuButton class="button button-quiet" label={`Actions of ${apiKey.name}`}>
          …
        </MenuButton>
      }
    >
      <MenuChoice onChoose={() => onAct({ kind: "edit", apiKey })}>Change</MenuChoice>
      <MenuChoice onChoose={() => onAct({ kind: "rotate", apiKey })}>Rotate</MenuChoice>
      <MenuChoice isDangerous onChoose={() => onAct({ kind: "revoke", apiKey })}>
        Revoke
      </MenuChoice>
    </Menu>
  );
}

const NoApiKey = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No API key is in this state." />
  ) : (
    <Empty title="There is no API key yet.">
      <p>Create one for each program that uses the API, with the scopes that it needs and no others.</p>
    </Empty>
  );
