import { useState } from "preact/hooks";
import { problemOf } from "../../app/errors.ts";
import { askOwnService } from "../../app/own-routes.ts";
import { currentSession } from "../../app/session.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/inputs.tsx";
import { passwordProblemOf } from "./states.ts";

/** Changes the password of the person who is signed in. */
export function PasswordDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [form, setForm] = useState({ present: "", password: "", again: "" });
  const difference = passwordProblemOf(form);
  const save = async (): Promise<void> => {
    if (form.password !== form.again) throw new Error("the two passwords differ");
    const body = { currentPassword: form.present, newPassword: form.password };
    await askOwnService("password", { method: "POST", body, csrfToken: currentSession()?.csrfToken });
    onDone();
  };
  return (
    <ConfirmDialog title="Change your password" action="Change the password" onClose={onClose} onConfirm={save}>
      {(error) => (
        <>
          <TextField
            label="Present password"
            type="password"
            autocomplete="current-password"
            required
            value={form.present}
            onChange={(present) => setForm({ ...form, present })}
            problem={problemOf(error, "currentPassword")}
          />
          <TextField
            label="New password"
            hint="At least 12 characters. Your other sessions end."
            type="password"
            autocomplete="new-password"
            required
            value={form.password}
            onChange={(password) => setForm({ ...form, password })}
            problem={problemOf(error, "newPassword")}
          />
          <TextField
            label="New password again"
            type="password"
            autocomplete="new-password"
            required
            value={form.again}
            onChange={(again) => setForm({ ...form, again })}
            problem={difference}
          />
        </>
      )}
    </ConfirmDialog>
  );
}
