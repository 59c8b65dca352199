import { mayAct } from "../../app/roles.ts";
import { currentSession } from "../../app/session.ts";
import { Page as Frame, Section } from "../../ui/page.tsx";
import { Account } from "./account.tsx";
import { People } from "./people.tsx";
import { ROLE_MEANINGS, ROLES } from "./states.ts";
import "./people.css";

/** Who may do what in the account, and the person's own password and sessions. */
export function Page() {
  const session = currentSession();
  return (
    <Frame title="People and roles">
      {mayAct("owner") ? (
        <People />
      ) : (
        <p class="soft">An owner of the account sees its people here, invites others and gives them their roles.</p>
      )}
      <Section title="Roles">
        <dl class="people-roles">
          {ROLES.map((role) => (
            <div key={role}>
              <dt>{role}</dt>
              <dd>{ROLE_MEANINGS[role]}</dd>
            </div>
          ))}
        </dl>
      </Section>
      {session !== undefined && <Account session={session} />}
    </Frame>
  );
}
