import { useState } from "preact/hooks";
import type { Schema } from "../../../client/src/index.ts";
import { api } from "../../app/api.ts";
import { changed } from "../../app/changed.ts";
import { problemOf } from "../../app/errors.ts";
import { currentSession, loadSession } from "../../app/session.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Foreign, Time } from "../../ui/figures.tsx";
import { SelectField, TextField } from "../../ui/inputs.tsx";
import { SecretDialog } from "../../ui/secret-dialog.tsx";
import { type Person, ROLE_MEANINGS, ROLES, type Role } from "./states.ts";

export type PersonWithLink = Schema<"UserWithLink">;

interface Props {
  onClose: () => void;
  onDone: () => void;
  onMade: (made: PersonWithLink) => void;
}

const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: role }));

interface RoleFieldProps {
  role: Role;
  onChange: (role: Role) => void;
  error: unknown;
}

const RoleField = ({ role, onChange, error }: RoleFieldProps) => (
  <SelectField
    label="Role"
    hint={ROLE_MEANINGS[role]}
    value={role}
    onChange={(value) => onChange(value as Role)}
    choices={ROLE_CHOICES}
    problem={problemOf(error, "role")}
  />
);

export function InviteDialog({ onClose, onDone, onMade }: Props) {
  const [form, setForm] = useState<{ email: string; name: string; role: Role }>({
    email: "",
    name: "",
    role: "editor",
  });
  return (
    <ConfirmDialog
      title="Invite a person"
      action="Make the invitation"
      onClose={onClose}
      onConfirm={async () => {
        onMade(await api.post("/users", { body: { ...form, email: form.email.trim() } }));
        onDone();
      }}
    >
      {(error) => (
        <>
          <TextField
            label="Email"
            hint="The person signs in with it. The service sends no mail: it makes a link, which you give to the person."
            type="email"
            required
            value={form.email}
            onChange={(email) => setForm({ ...form, email })}
            problem={problemOf(error, "email")}
          />
          <TextField
            label="Name"
            required
            value={form.name}
            onChange={(name) => setForm({ ...form, name })}
            problem={problemOf(error, "name")}
          />
          <RoleField role={form.role} onChange={(role) => setForm({ ...form, role })} error={error} />
        </>
      )}
    </ConfirmDialog>
  );
}

type PersonDialogProps = Props & { person: Person; isLastOwner: boolean };

/** The name and the role of a person. */
export function PersonDialog({ person, isLastOwner, onClose, onDone }: PersonDialogProps) {
  const before = { name: person.name, role: person.role };
  const [form, setForm] = useState(before);
  const isOwn = person.id === currentSession()?.user.id;
  return (
    <ConfirmDialog
      title="Change the person"
      action="Save"
      onClose={onClose}
      onConfirm={async () => {
        await api.patch("/users/{id}", { path: { id: person.id }, body: changed(before, form) });
        // What the person may do may be less from now on.
        if (isOwn) await loadSession();
        onDone();
      }}
    >
      {(error) => (
        <>
          <p>
            <Foreign text={person.email} />
          </p>
          <TextField
            label="Name"
            required
            value={form.name}
            onChange={(name) => setForm({ ...form, name })}
            problem={problemOf(error, "name")}
          />
          {isLastOwner ? (
            <p>The role stays owner: without this person the account would have no owner who can sign in.</p>
          ) : (
            <RoleField role={form.role} onChange={(role) => setForm({ ...form, role })} error={error} />
          )}
          {isOwn && form.role !== "owner" && <p>You lose what an owner may do at once.</p>}
        </>
      )}
    </ConfirmDialog>
  );
}

/** Makes another one-time link: of the invitation, or one that sets another password. */
export function LinkDialog({ person, onClose, onDone, onMade }: Props & { person: Person }) {
  const isInvited = person.status === "invited";
  return (
    <ConfirmDialog
      title={isInvited ? "Make another invitation link?" : "Reset the password?"}
      action="Make the link"
      onClose={onClose}
      onConfirm={async () => {
        onMade(await api.post("/users/{id}/link", { path: { id: person.id } }));
        onDone();
      }}
    >
      <p>
        {isInvited ? (
          <>
            <Foreign text={person.name} /> gets another link that works for 72 hours. The earlier one ends.
          </>
        ) : (
          <>
            <Foreign text={person.name} /> gets a link that sets another password within an hour. Until it is used, the
            present password and sessions go on.
          </>
        )}
      </p>
    </ConfirmDialog>
  );
}

/** The link that was made. */
export const LinkedDialog = ({ made: { name, link }, onClose }: { made: PersonWithLink; onClose: () => void }) => (
  <SecretDialog
    title={link.kind === "invitation" ? "The link of the invitation" : "The link that resets the password"}
    label="Link"
    secret={link.url}
    onClose={onClose}
  >
    <p>
      Give it to <Foreign text={name} /> alone: with it a person chooses the password and is signed in. It works once,
      until <Time at={link.expiresAt} seconds={false} />.
    </p>
  </SecretDialog>
);

export function RemoveDialog({ person, onClose, onDone }: Props & { person: Person }) {
  const isOwn = person.id === currentSession()?.user.id;
  return (
    <ConfirmDialog
      title={isOwn ? "Remove yourself?" : "Remove the person?"}
      action="Remove"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await api.delete("/users/{id}", { path: { id: person.id } });
        if (isOwn) await loadSession();
        onDone();
      }}
    >
      <p>
        <Foreign text={person.name} /> (<Foreign text={person.email} />) is signed out everywhere at once and cannot
        sign in any more. The audit log keeps what they did.
      </p>
    </ConfirmDialog>
  );
}
