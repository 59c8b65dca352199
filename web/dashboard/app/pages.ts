import type { ComponentType } from "preact";
import { lazy } from "preact-iso";
import type { Role } from "./roles.ts";

type Load = () => Promise<{ Page: ComponentType }>;

/** A page of the dashboard. */
export interface PageEntry {
  /** The last part of its address; `:id` is a part that pages read by `useRoute`. */
  path: string;
  /** Its name in the navigation. */
  title: string;
  /** Whether it is in the navigation; others lead to the rest. */
  isListed: boolean;
  component: LoadedPage;
  /** Who has it in the navigation: what it shows, the service gives no others. Everyone by default. */
  needs?: Role;
}

/** A page whose program is loaded when it is first shown, or by `preload`. */
type LoadedPage = ComponentType & { preload: () => Promise<unknown> };

const page = (load: Load): LoadedPage => lazy<ComponentType>(() => load().then(({ Page }) => Page));

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { path: "live", title: "Live", isListed: true, component: page(() => import("../pages/live/index.tsx")) },
  { path: "calls", title: "Calls", isListed: true, component: page(() => import("../pages/calls/index.tsx")) },
  { path: "calls/:id", title: "Call", isListed: false, component: page(() => import("../pages/call/index.tsx")) },
  { path: "agents", title: "Agents", isListed: true, component: page(() => import("../pages/agents/index.tsx")) },
  { path: "agents/:id", title: "Agent", isListed: false, component: page(() => import("../pages/agent/index.tsx")) },
  { path: "tools", title: "Tools", isListed: true, component: page(() => import("../pages/tools/index.tsx")) },
  { path: "tools/:id", title: "Tool", isListed: false, component: page(() => import("../pages/tool/index.tsx")) },
  { path: "corpora", title: "Corpora", isListed: true, component: page(() => import("../pages/corpora/index.tsx")) },
  { path: "corpora/:id", title: "Corpus", isListed: false, component: page(() => import("../pages/corpus/index.tsx")) },
  {
    path: "numbers",
    title: "Numbers and carriers",
    isListed: true,
    component: page(() => import("../pages/numbers/index.tsx")),
  },
  {
    path: "transcriptions",
    title: "Transcriptions",
    isListed: true,
    component: page(() => import("../pages/transcriptions/index.tsx")),
  },
  {
    path: "transcriptions/:id",
    title: "Transcription",
    isListed: false,
    component: page(() => import("../pages/transcription/index.tsx")),
  },
  { path: "webhooks", title: "Webhooks", isListed: true, component: page(() => import("../pages/webhooks/index.tsx")) },
  {
    path: "webhooks/:id",
    title: "Webhook",
    isListed: false,
    component: page(() => import("../pages/webhooks/one/index.tsx")),
  },
  {
    path: "keys",
    title: "Keys",
    isListed: true,
    component: page(() => import("../pages/keys/index.tsx")),
    needs: "owner",
  },
  {
    path: "people",
    title: "People and roles",
    isListed: true,
    component: page(() => import("../pages/people/index.tsx")),
  },
  { path: "usage", title: "Usage and cost", isListed: true, component: page(() => import("../pages/usage/index.tsx")) },
  {
    path: "audit",
    title: "Audit log",
    isListed: true,
    component: page(() => import("../pages/audit/index.tsx")),
    needs: "owner",
  },
  {
    path: "health",
    title: "Health",
    isListed: true,
    component: page(() => import("../pages/health/index.tsx")),
    needs: "owner",
  },
];

/** Loads the program of the page at an address, of which it is the part after ROOT, before it is shown. Does nothing where there is none. */
export async function preloadPage(address: string): Promise<void> {
  const parts = address.split("/");
  const entry = PAGES.find(({ path }) => {
    const names = path.split("/");
    return names.length === parts.length && names.every((name, at) => name.startsWith(":") || name === parts[at]);
  });
  // What fails here fails again when the page is shown, which says so.
  await entry?.component.preload().catch(() => {});
}
