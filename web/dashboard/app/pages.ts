import type { ComponentType } from "preact";
import { lazy } from "preact-iso";

type Load = () => Promise<{ Page: ComponentType }>;

/** A page of the dashboard. */
export interface PageEntry {
  /** The last part of its address; `:id` is a part that pages read by `useRoute`. */
  path: string;
  /** Its name in the navigation. */
  title: string;
  /** Whether it is in the navigation; others lead to the rest. */
  isListed: boolean;
  component: ComponentType;
}

const page = (load: Load): ComponentType => lazy(() => load().then(({ Page }) => Page));

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { path: "live", title: "Live", isListed: true, component: page(() => import("../pages/live/index.tsx")) },
  { path: "calls", title: "Calls", isListed: true, component: page(() => import("../pages/calls/index.tsx")) },
  { path: "calls/:id", title: "Call", isListed: false, component: page(() => import("../pages/call/index.tsx")) },
  { path: "agents", title: "Agents", isListed: true, component: page(() => import("../pages/agents/index.tsx")) },
  { path: "agents/:id", title: "Agent", isListed: false, component: page(() => import("../pages/agent/index.tsx")) },
];
