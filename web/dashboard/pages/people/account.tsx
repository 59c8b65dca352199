import { useState } from "preact/hooks";
import { askOwnService } from "../../app/own-routes.ts";
import { currentSession, type Session } from "../../app/session.ts";
import { useResource } from "../../app/use-resource.ts";
import { useShownAgain } from "../../app/use-shown-again.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Foreign, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { PasswordDialog } from "./password-dialog.tsx";

/** A session of the person, as `GET /dashboard/session/sessions` has it. */
interface OwnSession {
  createdAt: string;
  expiresAt: string;
  isCurrent: boolean;
}

/** The person who is signed in: who they are, their password, and where else they are signed in. */
export function Account({ session: { user } }: { session: Session }) {
  const sessions = useResource("own sessions", () => askOwnService<{ data: OwnSession[] }>("sessions"));
  useShownAgain(sessions.reload);
  const [act, setAct] = useState<"password" | "others">();
  const [note, setNote] = useState("");
  const done = (text: string) => (): void => {
    setNote(text);
    sessions.reload();
  };
  const close = (): void => setAct(undefined);
  const others = sessions.status === "ready" ? sessions.value.data.filter(({ isCurrent }) => !isCurrent).length : 0;
  return (
    <Section
      title="Your account"
      actions={
        <>
          <Button onClick={() => setAct("password")}>Change your password</Button>
          {others > 0 && <Button onClick={() => setAct("others")}>Sign out the others</Button>}
        </>
      }
    >
      <Facts>
        <Fact name="Name">
          <Foreign text={user.name} />
        </Fact>
        <Fact name="Email">
          <Foreign text={user.email} />
        </Fact>
        <Fact name="Role">{user.role}</Fact>
      </Facts>
      <p class="soft" role="status">
        {note}
      </p>
      <h3>Your sessions</h3>
      {sessions.status === "loading" && <Loading what="your sessions" />}
      {sessions.status === "failed" && <Failure error={sessions.error} onRetry={sessions.reload} />}
      {sessions.status === "ready" && (
        <>
          <ErrorNote error={sessions.error} />
          <Table
            label="Your sessions"
            columns={COLUMNS}
            rows={sessions.value.data}
            keyOf={({ createdAt, expiresAt }) => createdAt + expiresAt}
          />
        </>
      )}
      {act === "password" && (
        <PasswordDialog onClose={close} onDone={done("The password is changed, and your other sessions have ended.")} />
      )}
      {act === "others" && <OthersDialog onClose={close} onDone={done("Your other sessions have ended.")} />}
    </Section>
  );
}

const COLUMNS: readonly Column<OwnSession>[] = [
  { name: "createdAt", title: "Signed in", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: "expiresAt", title: "Ends", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  {
    name: "where",
    title: "Where",
    cell: ({ isCurrent }) => (isCurrent ? "this browser" : <span class="soft">another browser</span>),
  },
];

const OthersDialog = ({ onClose, onDone }: { onClose: () => void; onDone: () => void }) => (
  <ConfirmDialog
    title="Sign out your other sessions?"
    action="Sign out the others"
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      await askOwnService("sign-out-others", { method: "POST", csrfToken: currentSession()?.csrfToken });
      onDone();
    }}
  >
    <p>Every other browser in which you are signed in is signed out with its next request. This one stays.</p>
  </ConfirmDialog>
);
