import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { CopyField } from "./copy-field.tsx";
import { Dialog } from "./dialog.tsx";

export interface SecretDialogProps {
  title: string;
  /** What the secret is, such as "API key". */
  label: string;
  secret: string;
  onClose: () => void;
  /** What it is for. */
  children?: ComponentChildren;
}

/** Shows a secret that cannot be read again. Its button alone closes it: a click beside it would lose the secret. */
export const SecretDialog = ({ title, label, secret, onClose, children }: SecretDialogProps) => (
  <Dialog title={title} onClose={() => undefined}>
    {children}
    <CopyField label={label} value={secret} hint="Save it now: it is not shown again." />
    <div class="dialog-actions">
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Dialog>
);
