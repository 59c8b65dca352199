import { useMemo, useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { currentSession } from "../../app/session.ts";
import { useList } from "../../app/use-list.ts";
import { useQuery } from "../../app/use-query.ts";
import { useResource } from "../../app/use-resource.ts";
import { useShownAgain } from "../../app/use-shown-again.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Foreign, Time } from "../../ui/figures.tsx";
import { ChoiceFilter, Filters } from "../../ui/filters.tsx";
import { ListTable } from "../../ui/list-table.tsx";
import { Menu, MenuButton, MenuChoice } from "../../ui/menu.tsx";
import type { Column } from "../../ui/table.tsx";
import { InviteDialog, LinkDialog, LinkedDialog, PersonDialog, type PersonWithLink, RemoveDialog } from "./dialogs.tsx";
import { lastOwnerOf, type Person, ROLES } from "./states.ts";
import "./people.css";

type Act = { kind: "invite" } | { kind: "edit" | "link" | "remove"; person: Person };

const choices = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
const STATUSES: readonly Person["status"][] = ["active", "invited"];

/** The people of the account, for its owners. */
export function People() {
  const { query } = useQuery();
  const filters = {
    ...(ROLES.some((role) => role === query.role) && { role: query.role as Person["role"] }),
    ...(STATUSES.some((status) => status === query.status) && { status: query.status as Person["status"] }),
  };
  const key = JSON.stringify(filters);
  const resource = useList(`people ${key}`, (page, signal) =>
    api.get("/users", { query: { ...filters, ...page }, signal }),
  );
  const owners = useResource("owners", (signal) =>
    api.get("/users", { query: { role: "owner", status: "active", limit: 2 }, signal }),
  );
  const lastOwner = owners.status === "ready" ? lastOwnerOf(owners.value.data) : undefined;
  const [act, setAct] = useState<Act>();
  const [made, setMade] = useState<PersonWithLink>();
  const columns = useMemo(() => columnsOf(lastOwner, setAct), [lastOwner]);
  const onDone = (): void => {
    resource.reload();
    owners.reload();
  };
  useShownAgain(onDone);
  return (
    <>
      <div class="people-head">
        <Filters names={["role", "status"]}>
          <ChoiceFilter name="role" label="Role" choices={choices(ROLES)} />
          <ChoiceFilter name="status" label="State" choices={choices(STATUSES)} />
        </Filters>
        <Button kind="primary" onClick={() => setAct({ kind: "invite" })}>
          Invite a person
        </Button>
      </div>
      <ListTable
        label="People"
        what="the people"
        resource={resource}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty title={key === "{}" ? "There is no person." : "No person matches these filters."} />}
      />
      {lastOwner !== undefined && (
        <p class="soft">
          The account has one owner with a password. They can be neither removed nor given another role until another
          owner has accepted an invitation.
        </p>
      )}
      <Dialogs act={act} lastOwner={lastOwner} onClose={() => setAct(undefined)} onDone={onDone} onMade={setMade} />
      {made !== undefined && <LinkedDialog made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

interface DialogsProps {
  act: Act | undefined;
  lastOwner: string | undefined;
  onClose: () => void;
  onDone: () => void;
  onMade: (made: PersonWithLink) => void;
}

function Dialogs({ act, lastOwner, ...common }: DialogsProps) {
  switch (act?.kind) {
    case "invite":
      return <InviteDialog {...common} />;
    case "edit":
      return <PersonDialog {...common} person={act.person} isLastOwner={act.person.id === lastOwner} />;
    case "link":
      return <LinkDialog {...common} person={act.person} />;
    case "remove":
      return <RemoveDialog {...common} person={act.person} />;
    case undefined:
      return null;
  }
}

const columnsOf = (lastOwner: string | undefined, onAct: (act: Act) => void): readonly Column<Person>[] => [
  { name: "name", title: "Name", cell: (person) => <Name person={person} /> },
  { name: "email", title: "Email", cell: ({ email }) => <Foreign text={email} /> },
  { name: "role", title: "Role", cell: ({ role }) => role },
  {
    name: "status",
    title: "State",
    cell: ({ status }) => <Badge tone={status === "active" ? "good" : "warn"}>{status}</Badge>,
  },
  {
    name: "lastSignInAt",
    title: "Last signed in",
    cell: ({ lastSignInAt: at }) => (at === null ? <span class="soft">never</span> : <Time at={at} seconds={false} />),
  },
  { name: "createdAt", title: "Invited", cell: ({ createdAt }) => <Time at={createdAt} seconds={false} /> },
  {
    name: "actions",
    title: "Actions",
    isTitleHidden: true,
    isFigure: true,
    cell: (person) => <Actions person={person} isLastOwner={person.id === lastOwner} onAct={onAct} />,
  },
];

const Name = ({ person: { id, name } }: { person: Person }) => (
  <>
    <Foreign text={name} />
    {id === currentSession()?.user.id && <span class="soft"> (you)</span>}
  </>
);

interface ActionsProps {
  person: Person;
  isLastOwner: boolean;
  onAct: (act: Act) => void;
}

const Actions = ({ person, isLastOwner, onAct }: ActionsProps) => (
  <Menu
    button={
      <MenuButton class="button button-quiet" label={`Actions of ${person.name}`}>
        …
      </MenuButton>
    }
  >
    <MenuChoice onChoose={() => onAct({ kind: "edit", person })}>Change</MenuChoice>
    <MenuChoice onChoose={() => onAct({ kind: "link", person })}>
      {person.status === "invited" ? "Make another invitation link" : "Reset the password"}
    </MenuChoice>
    {!isLastOwner && (
      <MenuChoice isDangerous onChoose={() => onAct({ kind: "remove", person })}>
        Remove
      </MenuChoice>
    )}
  </Menu>
);
