import { DialogBackdrop, DialogPanel, DialogTitle, Dialog as HeadlessDialog } from "@headlessui/react";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { ErrorNote } from "./failure.tsx";
import "./dialog.css";

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A window over the page; it is open while it is rendered. Escape and a click beside it close it. */
export const Dialog = ({ title, onClose, children }: DialogProps) => (
  <HeadlessDialog open onClose={onClose} class="dialog">
    <DialogBackdrop class="dialog-veil" />
    <div class="dialog-place">
      <DialogPanel class="dialog-panel">
        <DialogTitle as="h2">{title}</DialogTitle>
        {children}
      </DialogPanel>
    </div>
  </HeadlessDialog>
);

export interface ConfirmProps extends Omit<DialogProps, "children"> {
  /** What the button says, such as "End the call". */
  action: string;
  isDangerous?: boolean;
  /** What is done; the dialog closes when it resolves and shows why it rejects. */
  onConfirm: () => Promise<unknown>;
  /** With fields: made of the latest error, of which `problemOf` gives each field its problem. */
  children: ComponentChildren | ((error: unknown) => ComponentChildren);
}

/** Asks before something is done, and shows why it could not be. */
export function ConfirmDialog({ title, action, isDangerous = false, onConfirm, onClose, children }: ConfirmProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="dialog-form" onSubmit={(event) => void submit(event)}>
        {typeof children === "function" ? children(error) : children}
        <ErrorNote error={error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={isDangerous ? "danger" : "primary"} type="submit" isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
