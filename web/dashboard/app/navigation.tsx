import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Menu, MenuButton, MenuChoice, MenuNote } from "../ui/menu.tsx";
import { HOME, ROOT } from "./addresses.ts";
import { streamStatus } from "./events/use-events.ts";
import { PAGES } from "./pages.ts";
import { mayAct } from "./roles.ts";
import { type Session, signOut } from "./session.ts";
import { chooseTheme, THEMES, theme } from "./theme.ts";
import "./navigation.css";

const THEME_NAMES = { system: "Colours of the system", light: "Light", dark: "Dark" } as const;

/** The way to every page; on a narrow screen it opens with a button. */
export function Navigation({ session }: { session: Session }) {
  const [isOpen, setOpen] = useState(false);
  const { path } = useLocation();
  useEffect(() => setOpen(false), [path]);
  return (
    <header class="nav">
      <div class="nav-top">
        <a class="nav-brand" href={HOME}>
          Trunkline
        </a>
        <button
          type="button"
          class="nav-toggle"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
      </div>
      <nav id="navigation" class="nav-body" data-open={isOpen} aria-label="Pages">
        <Links path={path} />
        <Foot session={session} />
      </nav>
    </header>
  );
}

const Links = ({ path }: { path: string }) => (
  <ul class="nav-links">
    {PAGES.filter(({ isListed, needs = "viewer" }) => isListed && mayAct(needs)).map((page) => {
      const href = `${ROOT}/${page.path}`;
      const isHere = path === href || path.startsWith(`${href}/`);
      return (
        <li key={page.path}>
          <a href={href} aria-current={isHere ? "page" : undefined}>
            {page.title}
          </a>
        </li>
      );
    })}
  </ul>
);

function Foot({ session: { user } }: { session: Session }) {
  return (
    <div class="nav-foot">
      <StreamNote />
      <Menu
        button={
          <MenuButton class="nav-person">
            <bdi>{user.name}</bdi>
          </MenuButton>
        }
        anchor="top start"
      >
        <MenuNote>
          <bdi>{user.email}</bdi>, {user.role}
        </MenuNote>
        {THEMES.map((one) => (
          <MenuChoice key={one} isChosen={theme.value === one} onChoose={() => chooseTheme(one)}>
            {THEME_NAMES[one]}
          </MenuChoice>
        ))}
        <MenuChoice onChoose={() => void signOut()}>Sign out</MenuChoice>
      </Menu>
    </div>
  );
}

/** Says when the page no longer hears of changes. */
function StreamNote() {
  const isLost = streamStatus.value === "lost";
  return (
    <p class="nav-note" role="status">
      {isLost ? "Not live: connecting again" : ""}
    </p>
  );
}
