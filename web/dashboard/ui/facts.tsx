import type { ComponentChildren } from "preact";
import "./facts.css";

/** Names with their values, side by side as far as there is room: `Fact` in it. */
export const Facts = ({ children }: { children: ComponentChildren }) => <dl class="facts">{children}</dl>;

export const Fact = ({
  name,
  isWide = false,
  children,
}: {
  name: string;
  /** Takes a line of its own. */
  isWide?: boolean;
  children: ComponentChildren;
}) => (
  <div class={isWide ? "facts-wide" : undefined}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
