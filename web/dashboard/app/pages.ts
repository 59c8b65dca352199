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
  component: ComponentType;
  /** Who has it in the navigation: what it shows, the service gives no others. Everyone by default. */
  needs?: Role;
}

const page = (load: Load): ComponentType => lazy(() => load().then(({ Page }) => Page));

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { path: "live", title: "Live", isListed: true, component: page(() => import("../pages/live/index.tsx")) },
  { path: "calls", title: "Calls", isListed: true, component: page(() => import("../pages/calls/index.tsx")) },
  { path: "calls/:id", title: "Call", isListed: false, component: page(() => import("../pages/call/index.tsx")) },
  {
    path: "numbers",
    title: "Numbers and carriers",
    isListed: true,
    component: page(() => import("../pages/numbers/index.tsx")),
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
];
