import type { ComponentChildren, ComponentProps } from "preact";
import "./button.css";

export interface ButtonProps extends Omit<ComponentProps<"button">, "class" | "className" | "type"> {
  /** `primary`: the main one of a form or a page; `danger`: what cannot be undone; `quiet`: within rows. */
  kind?: "primary" | "danger" | "plain" | "quiet";
  type?: "button" | "submit";
  /** What the button began is not over: it does nothing more, and keeps the focus. */
  isBusy?: boolean;
  children: ComponentChildren;
}

export function Button({ kind = "plain", type = "button", isBusy = false, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      class={`button button-${kind}`}
      aria-disabled={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
      {isBusy && <span class="hidden">, in progress</span>}
    </button>
  );
}
