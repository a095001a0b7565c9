import { Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCan } from '../../api/session.ts';
import { identityIdIn } from '../../format/identity-id.ts';
import { visibleText } from '../../format/visible-text.ts';
import { PeopleExplanation } from '../../resource/search/found-people.ts';
import { SearchFields } from '../../resource/search/search-fields.tsx';
import { CalmPanel } from '../../ui/feedback/calm-panel.tsx';
import { ClosedPage } from '../../ui/feedback/closed-page.tsx';
import { IconChecklist } from '../../ui/icons.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { IdentityLink } from './identity-link.tsx';
import { NothingGranted } from './nothing-granted.tsx';
import { SubjectConsents } from './subject-consents.tsx';
import { TypedSubject } from './typed-subject.tsx';

const TITLE = 'Consents';
const ABOUT = 'What people have granted to applications, and how to revoke it.';

const route = getRouteApi('/signed-in/oauth/consents');

export function ConsentsPage() {
  const may = useCan();
  const { subject, client } = route.useSearch();
  const id = subject && identityIdIn(subject);
  if (!may('upstreams.read')) return <ClosedPage title={TITLE} about={ABOUT} />;
  return (
    <>
      <PageHeading title={TITLE} about={ABOUT} />
      <Stack gap="md">
        <SearchFields
          explanation={<PeopleExplanation exact="A subject must match exactly, usually the id of an identity." />}
          fields={{
            subject: {
              label: 'Subject or person',
              placeholder: 'Identity id, other subject, name or e-mail',
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
            person’s name or e-mail, or a subject, or open the Consents tab of an identity.
          </CalmPanel>
        ) : id === undefined ? (
          <TypedSubject key={subject} subject={subject} client={client} />
        ) : (
          <SubjectConsents
            key={subject}
            subject={subject}
            whose={visibleText(subject)}
            client={client}
            beside={<IdentityLink id={id} />}
            nothing={<NothingGranted subject={subject} />}
          />
        )}
      </Stack>
    </>
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
