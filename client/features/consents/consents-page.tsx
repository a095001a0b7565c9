import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { consentsQuery } from '../../api/consents.ts';
import { useCan } from '../../api/session.ts';
import { displayName, identityIdIn } from '../../lib/identity-name.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { NoMatch, PeopleExplanation, personLabel, SearchFields, useFoundPeople } from '../../list/search.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { PageHeading } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { NoAccessPage, StatePanel } from '../../ui/state-panel.tsx';
import { IdentityLink, SubjectConsents } from './subject-consents.tsx';

const TITLE = 'Consents';
const ABOUT = 'What people have granted to applications, and how to revoke it.';

const route = getRouteApi('/signed-in/oauth/consents');

export function ConsentsPage() {
  const may = useCan();
  const { subject, client } = route.useSearch();
  const id = subject && identityIdIn(subject);
  if (!may('upstreams.read')) return <NoAccessPage title={TITLE} about={ABOUT} />;
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
          <StatePanel
            kind="search"
            title={client === undefined ? 'Whose consents?' : 'Whose consents to this client?'}
            text="The OAuth server lists them by subject only: it cannot say who has granted something to a client. Enter a person’s name or e-mail, or a subject, or open the Consents tab of an identity."
          />
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

/**
 * The consents of a subject that is no identity id. Where nothing is granted under it, it is taken for a person: those of
 * whom it finds are shown, or several are offered.
 */
export function TypedSubject({ subject, client }: { subject: string; client: string | undefined }) {
  const [isExact, setExact] = useState(false);
  const { data } = useInfiniteQuery(consentsQuery(subject));
  const hasNone = data?.pages.every(({ rows, next }) => rows.length === 0 && next === undefined) ?? false;
  // Once there were consents, it is the subject: also after all of them have been revoked.
  if (!isExact && data !== undefined && !hasNone) setExact(true);
  const { pending, people, count, rest, missing, error, refetch } = useFoundPeople(subject, hasNone && !isExact);
  const [person, ...others] = people;
  if (pending) return <LoadingRows label="Looking for people" rows={3} height={56} />;
  if (person === undefined)
    return (
      <>
        {error !== null && <FailurePanel error={error} title="People cannot be looked for" onRetry={refetch} />}
        <SubjectConsents
          subject={subject}
          whose={visibleText(subject)}
          client={client}
          nothing={<NothingGranted subject={subject} missing={missing} />}
        />
      </>
    );
  const isOne = others.length === 0 && rest === false;
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          Nothing is granted under the subject “<bdi>{visibleText(subject)}</bdi>”, but it finds{' '}
          {isOne ? personLabel(person) : count}.
        </Text>
        <Button size="compact-sm" variant="default" onClick={() => setExact(true)}>
          Show this subject nevertheless
        </Button>
      </Group>
      {isOne ? (
        <SubjectConsents
          subject={person.id}
          whose={visibleText(displayName(person))}
          client={client}
          beside={<IdentityLink id={person.id} />}
          nothing={<NothingGranted subject={person.id} />}
        />
      ) : (
        <NoMatch
          title="Whose consents?"
          text={`Choose a person, or enter more of their name or e-mail. ${missing}`}
          offers={[
            ...people.map((one) => ({ label: personLabel(one), to: { search: { subject: one.id, client } } })),
            rest,
          ]}
        />
      )}
    </Stack>
  );
}

/** The subject has no consents; the text may be something else. @param missing who could not be looked for, in words */
export const NothingGranted = ({ subject, missing = '' }: { subject: string; missing?: string }) => (
  <NoMatch
    title="Nothing is granted under this subject"
    text={`Nothing was granted, everything has been revoked, or there is no such subject: the OAuth server does not say which. The subject must match exactly, including upper and lower case. ${missing}`}
    offers={[
      identityIdIn(subject) === undefined && {
        label: 'Find the identity that signs in with it',
        to: { to: '/identities', search: { q: subject } },
      },
    ]}
  />
);
