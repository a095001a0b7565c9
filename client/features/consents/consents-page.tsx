import { getRouteApi, Link } from '@tanstack/react-router';
import { useCan } from '../../api/session.ts';
import { identityIdIn } from '../../format/identity-id.ts';
import { visibleText } from '../../format/visible-text.ts';
import { NoMatch } from '../../resource/search/no-match.tsx';
import { SearchFields } from '../../resource/search/search-fields.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { Group, Stack } from '../../ui/elements/layout.tsx';
import { Anchor, Text } from '../../ui/elements/text.tsx';
import { CalmPanel } from '../../ui/feedback/calm-panel.tsx';
import { ClosedPage } from '../../ui/feedback/closed-page.tsx';
import { IconChecklist } from '../../ui/icons.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { SubjectConsents } from './subject-consents.tsx';

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
        <SearchFields
          explanation="Enter searches. The OAuth server finds consents by subject only, and the subject must match exactly."
          fields={{
            subject: {
              label: 'Subject',
              placeholder: 'Subject, usually an identity id',
              cleared: 'the subject',
              flex: '1 1 8rem',
            },
          }}
        />
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

/** The subject is usually the id of an identity; its page says whether that exists. */
function IdentityLink({ subject }: { subject: string }) {
  const id = identityIdIn(subject);
  if (id === undefined) return null;
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/identities/$id" params={{ id }} preload={false} />}>
      Open the identity
    </Anchor>
  );
}

/** Says that only one client’s consents are listed, and how to see all. */
const OnlyClient = ({ id }: { id: string }) => (
  <Group gap="xs">
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      Only what was granted to <bdi>{visibleText(id)}</bdi>
    </Text>
    <Button
      size="compact-sm"
      variant="default"
      renderRoot={(props) => (
        <Link {...props} to="/oauth/consents" search={({ subject }) => ({ subject })} preload={false} />
      )}
    >
      Show all clients
    </Button>
  </Group>
);

/** The subject has no consents; the text may be something else. */
const NothingGranted = ({ subject }: { subject: string }) => (
  <NoMatch
    title="Nothing is granted under this subject"
    text="Nothing was granted, everything has been revoked, or there is no such subject: the OAuth server does not say which. The subject must match exactly, including upper and lower case."
    offers={[
      identityIdIn(subject) === undefined && {
        label: 'Find the identity that signs in with it',
        to: { to: '/identities', search: { q: subject } },
      },
    ]}
  />
);
