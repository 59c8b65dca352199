import { Menu as HeadlessMenu, MenuButton as HeadlessMenuButton, MenuItem, MenuItems } from "@headlessui/react";
import type { ComponentChildren, ComponentProps, VNode } from "preact";
import { forwardRef } from "preact/compat";
import "./menu.css";

export interface MenuProps {
  /** A `MenuButton`. */
  button: VNode;
  anchor?: "bottom end" | "top start";
  /** `MenuChoice` and `MenuNote`. */
  children: ComponentChildren;
}

/** A button that opens a list of things to do. */
export const Menu = ({ button, anchor = "bottom end", children }: MenuProps) => (
  <HeadlessMenu>
    {button}
    <MenuItems class="menu" anchor={anchor} modal={false}>
      {children}
    </MenuItems>
  </HeadlessMenu>
);

export const MenuButton = ({
  class: name = "button button-plain",
  label,
  children,
}: {
  class?: string;
  label?: string;
  children: ComponentChildren;
}) => (
  <HeadlessMenuButton class={name} aria-label={label}>
    {children}
  </HeadlessMenuButton>
);

export const MenuNote = ({ children }: { children: ComponentChildren }) => <div class="menu-note">{children}</div>;

/** `isChosen` marks one of several that exclude each other. */
export const MenuChoice = ({
  isChosen,
  isDangerous,
  onChoose,
  children,
}: {
  isChosen?: boolean;
  isDangerous?: boolean;
  onChoose: () => void;
  children: ComponentChildren;
}) => (
  <MenuItem>
    <Item
      kind={isChosen === undefined ? "menuitem" : "menuitemradio"}
      isOn={isChosen}
      class={`menu-choice${isDangerous ? " menu-danger" : ""}`}
      onClick={onChoose}
    >
      {children}
    </Item>
  </MenuItem>
);

/** Switches something on and off; after a click the menu stays open, because several are changed at once. */
export const MenuToggle = ({
  isOn,
  onToggle,
  children,
}: {
  isOn: boolean;
  onToggle: () => void;
  children: ComponentChildren;
}) => (
  <MenuItem>
    <Item
      kind="menuitemcheckbox"
      isOn={isOn}
      class="menu-choice"
      onClick={(event) => {
        // Tells Headless UI to leave the menu open.
        event.preventDefault();
        onToggle();
      }}
    >
      {children}
    </Item>
  </MenuItem>
);

interface ItemProps extends ComponentProps<"button"> {
  kind: "menuitem" | "menuitemradio" | "menuitemcheckbox";
  isOn: boolean | undefined;
}

/** The element of an item: Headless UI knows one role alone, which has no state. */
const Item = forwardRef<HTMLButtonElement, ItemProps>(({ kind, isOn, children, ...rest }, ref) => (
  // biome-ignore lint/a11y/useAriaPropsSupportedByRole: only an item with a state has it, and both of those roles do.
  <button {...rest} ref={ref} type="button" role={kind} aria-checked={kind === "menuitem" ? undefined : isOn}>
    <span class="menu-mark" aria-hidden="true">
      {isOn ? "✓" : ""}
    </span>
    {children}
  </button>
));
