import type { ComponentType } from "preact";
import { lazy } from "preact-iso";
import type { Role } from "./roles.ts";

type Load = () => Promise<{ Page: ComponentType }>;

/** A page of the dashboard. */
export interface PageEntry {
  /** The last part of its address; `:id` is a part that pages read by `useRoute`. */
  path: string;
  /** Its name in the navigation and in the title of the window. */
  title: string;
  /** False until the page is built: it is not in the navigation. */
  isBuilt: boolean;
  /** Where in the navigation; undefined for pages that others lead to. */
  group?: "work" | "set-up" | "service";
  /** Who may see it; everyone by default. */
  role?: Role;
  component: ComponentType;
}

const page = (load: Load): ComponentType => lazy(() => load().then(({ Page }) => Page));

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  {
    path: "live",
    title: "Live",
    isBuilt: true,
    group: "work",
    component: page(() => import("../pages/live/index.tsx")),
  },
  {
    path: "calls",
    title: "Calls",
    isBuilt: true,
    group: "work",
    component: page(() => import("../pages/calls/index.tsx")),
  },
  { path: "calls/:id", title: "Call", isBuilt: true, component: page(() => import("../pages/call/index.tsx")) },
  {
    path: "transcriptions",
    title: "Transcriptions",
    isBuilt: false,
    group: "work",
    component: page(() => import("../pages/transcriptions/index.tsx")),
  },
  {
    path: "transcriptions/:id",
    title: "Transcription",
    isBuilt: false,
    component: page(() => import("../pages/transcription/index.tsx")),
  },
  {
    path: "agents",
    title: "Agents",
    isBuilt: false,
    group: "set-up",
    component: page(() => import("../pages/agents/index.tsx")),
  },
  { path: "agents/:id", title: "Agent", isBuilt: false, component: page(() => import("../pages/agent/index.tsx")) },
  {
    path: "tools",
    title: "Tools",
    isBuilt: false,
    group: "set-up",
    component: page(() => import("../pages/tools/index.tsx")),
  },
  { path: "tools/:id", title: "Tool", isBuilt: false, component: page(() => import("../pages/tool/index.tsx")) },
  {
    path: "corpora",
    title: "Corpora",
    isBuilt: false,
    group: "set-up",
    component: page(() => import("../pages/corpora/index.tsx")),
  },
  { path: "corpora/:id", title: "Corpus", isBuilt: false, component: page(() => import("../pages/corpus/index.tsx")) },
  {
    path: "numbers",
    title: "Numbers and carriers",
    isBuilt: false,
    group: "set-up",
    component: page(() => import("../pages/numbers/index.tsx")),
  },
  {
    path: "webhooks",
    title: "Webhooks",
    isBuilt: false,
    group: "set-up",
    component: page(() => import("../pages/webhooks/index.tsx")),
  },
  {
    path: "webhooks/:id",
    title: "Webhook",
    isBuilt: false,
    component: page(() => import("../pages/webhook/index.tsx")),
  },
  {
    path: "keys",
    title: "API keys",
    isBuilt: false,
    group: "service",
    role: "owner",
    component: page(() => import("../pages/keys/index.tsx")),
  },
  {
    path: "people",
    title: "People",
    isBuilt: false,
    group: "service",
    role: "owner",
    component: page(() => import("../pages/people/index.tsx")),
  },
  {
    path: "usage",
    title: "Usage and cost",
    isBuilt: false,
    group: "service",
    component: page(() => import("../pages/usage/index.tsx")),
  },
  {
    path: "audit",
    title: "Audit log",
    isBuilt: false,
    group: "service",
    role: "owner",
    component: page(() => import("../pages/audit/index.tsx")),
  },
  {
    path: "health",
    title: "Health",
    isBuilt: false,
    group: "service",
    role: "owner",
    component: page(() => import("../pages/health/index.tsx")),
  },
];
