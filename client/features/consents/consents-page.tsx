import { Anchor, Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCan } from '../../api/session.ts';
import { identityIdIn } from '../../format/identity-id.ts';
import { visibleText } from '../../format/visible-text.ts';
import { CalmPanel } from '../../ui/feedback/calm-panel.tsx';
import { ClosedPage } from '../../ui/feedback/closed-page.tsx';
import { IconChecklist } from '../../ui/icons.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { NothingGranted } from './nothing-granted.tsx';
import { OnlyClient } from './only-client.tsx';
import { SubjectConsents } from './subject-consents.tsx';
import { SubjectSearch } from './subject-search.tsx';

const TITLE = 'Consents';
const ABOUT = 'What people have granted to applications, and how to revoke it.';

const route = getRouteApi('/signed-in/oauth/consents');

export function ConsentsPage() {
  const may = useCan();
  const { subject, client } = route.useSearch();
  if (!may('upstreams.read')) return <ClosedPage title={TITLE} about={ABOUT} />;
  return (
    <>
      <PageHeading title={TITLE} about={ABOUT} />
      <Stack gap="md">
        <SubjectSearch />
        {client !== undefined && <OnlyClient id={client} />}
        {subject === undefined ? (
          <CalmPanel
            icon={<IconChecklist size={26} stroke={1.6} />}
            title={client === undefined ? 'Whose consents?' : 'Whose consents to this client?'}
          >
            The OAuth server lists them by subject only: it cannot say who has granted something to a client. Enter a
            subject, or open the Consents tab of an identity.
          </CalmPanel>
        ) : (
          <SubjectConsents
            key={subject}
            subject={subject}
            whose={visibleText(subject)}
            client={client}
            beside={<IdentityLink subject={subject} />}
            nothing={<NothingGranted subject={subject} />}
          />
        )}
      </Stack>
    </>
  );
}

/** As a rule the subject is an identity's id; whether there is one, its page says. */
function IdentityLink({ subject }: { subject: string }) {
  const id = identityIdIn(subject);
  if (id === undefined) return null;
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/identities/$id" params={{ id }} preload={false} />}>
      Open the identity
    </Anchor>
  );
}
