import type { ComponentChildren } from "preact";
import "./facts.css";

/** A fact of an item: what it is, and its value. */
export interface Fact {
  name: string;
  value: ComponentChildren;
}

/** What is known of an item, as many facts in a line as there is room for. */
export const Facts = ({ facts }: { facts: readonly (Fact | undefined)[] }) => (
  <dl class="facts">
    {facts
      .filter((fact) => fact !== undefined)
      .map(({ name, value }) => (
        <div key={name} class="facts-one">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
