import { Menu as HeadlessMenu, MenuButton as HeadlessMenuButton, MenuItem, MenuItems } from "@headlessui/react";
import type { ComponentChildren, VNode } from "preact";
import "./menu.css";

export interface MenuProps {
  /** A `MenuButton`. */
  button: VNode;
  anchor?: "bottom start" | "bottom end" | "top start" | "top end";
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
    <button
      type="button"
      class={`menu-choice${isDangerous ? " menu-danger" : ""}`}
      onClick={onChoose}
      {...(isChosen !== undefined && { role: "menuitemradio", "aria-checked": isChosen })}
    >
      <span class="menu-mark" aria-hidden="true">
        {isChosen ? "✓" : ""}
      </span>
      {children}
    </button>
  </MenuItem>
);

/** Switches something on and off; the menu stays open, because several are changed at once. */
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
    <button
      type="button"
      class="menu-choice"
      role="menuitemcheckbox"
      aria-checked={isOn}
      onClick={(event) => {
        event.preventDefault();
        onToggle();
      }}
    >
      <span class="menu-mark" aria-hidden="true">
        {isOn ? "✓" : ""}
      </span>
      {children}
    </button>
  </MenuItem>
);
