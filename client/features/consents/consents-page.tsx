import { Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { isUuid } from '../../../shared/json.ts';
import { consentsQuery } from '../../api/consents.ts';
import { useCan } from '../../api/session.ts';
import { hasPeople, holders } from '../../deployment.ts';
import { displayName } from '../../lib/identity-name.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { FilterBar } from '../../list/filters.tsx';
import { identityLabel, NoMatch, SearchExplanation, useFoundIdentities } from '../../list/search.tsx';
import { Toolbar } from '../../list/toolbar.tsx';
import { LinkButton, SmallButton } from '../../ui/buttons.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { GuardedPage, StatePanel } from '../../ui/state-panel.tsx';
import { SubjectConsents, SubjectLink } from './subject-consents.tsx';

const route = getRouteApi('/signed-in/oauth/consents');

export function ConsentsPage() {
  const { subject, client } = route.useSearch();
  const anySubject = useCan()('upstreams.write');
  return (
    <GuardedPage
      open={useCan()('consents.read')}
      needs={['consents.read']}
      title="Consents"
      about="See what people have allowed applications to do, or revoke it."
    >
      <Toolbar>
        <FilterBar
          param="subject"
          label={hasPeople() ? 'Subject or person' : 'Subject'}
          cleared="the subject"
          {...(hasPeople() && { placeholder: 'Identity ID, other subject, name or e-mail' })}
          autoFocus={subject === undefined}
          onEnter
          explanation={() => (
            <SearchExplanation
              exact={`A subject${hasPeople() ? ', usually an identity ID,' : ''} must match exactly.`}
            />
          )}
        />
      </Toolbar>
      <Stack gap="md">
        {client !== undefined && <OnlyClient id={client} />}
        {subject === undefined ? (
          <StatePanel
            kind="search"
            title={client === undefined ? 'Find consents' : 'Find consents to this client'}
            text={`The OAuth server lists consents by subject, not by client. Enter a subject${hasPeople() ? ' or a person’s name or e-mail, or open the Consents tab of an identity' : ''}.`}
          />
        ) : !isUuid(subject) && (hasPeople() || !anySubject) ? (
          <SubjectOrIdentity key={subject} subject={subject} client={client} />
        ) : (
          <Consents key={subject} subject={subject} client={client} />
        )}
      </Stack>
    </GuardedPage>
  );
}

const OnlyClient = ({ id }: { id: string }) => (
  <Group gap="xs">
    <Text size="sm">
      Only consents to <bdi>{visibleText(id)}</bdi>
    </Text>
    <LinkButton size="xs" variant="default" to="/oauth/consents" search={({ subject }) => ({ subject })}>
      Show all clients
    </LinkButton>
  </Group>
);

/**
 * Shows the consents of a subject that is not an identity id. If there are none, searches for identities by this text,
 * and shows the consents of a single match or a choice of several.
 */
function SubjectOrIdentity({ subject, client }: { subject: string; client: string | undefined }) {
  const [isSubject, setIsSubject] = useState(false);
  const anySubject = useCan()('upstreams.write');
  const { data } = useInfiniteQuery({ ...consentsQuery(subject), enabled: anySubject });
  const hasNone = data?.pages.every(({ rows, next }) => rows.length === 0 && next === undefined) ?? !anySubject;
  // Stays true after the last consent has been revoked.
  if (!isSubject && data !== undefined && !hasNone) setIsSubject(true);
  const { pending, matches, count, rest, missing, error, refetch } = useFoundIdentities(
    subject,
    hasPeople() && hasNone && !isSubject,
  );
  const [identity, ...others] = matches;
  if (identity === undefined)
    return (
      <>
        {error !== null && <FailurePanel error={error} title="People could not be searched" onRetry={refetch} />}
        {anySubject ? (
          <Consents subject={subject} client={client} missing={missing} searching={pending} />
        ) : pending ? (
          <LoadingRows label="Searching for people" rows={3} height={56} />
        ) : (
          <StatePanel
            kind="no-match"
            title="Nobody matches"
            text={`Only ${holders(['upstreams.write'])} can see the consents of a subject that is not the ID of a person. ${missing}`}
          />
        )}
      </>
    );
  const isOnly = others.length === 0 && rest === false;
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Text size="sm">
          {anySubject ? 'No consents for the subject ' : ''}“<bdi>{visibleText(subject)}</bdi>”
          {anySubject ? ', but it matches ' : ' matches '}
          {isOnly ? identityLabel(identity) : count}.
        </Text>
        {anySubject && <SmallButton onClick={() => setIsSubject(true)}>Show this subject anyway</SmallButton>}
      </Group>
      {isOnly ? (
        <Consents subject={identity.id} name={displayName(identity)} client={client} />
      ) : (
        <NoMatch
          title="Several people match"
          text={`Choose a person, or enter more of their name or e-mail. ${missing}`}
          offers={[
            ...matches.map((one) => ({ label: identityLabel(one), to: { search: { subject: one.id, client } } })),
            rest,
          ]}
        />
      )}
    </Stack>
  );
}

interface ConsentsProps {
  subject: string;
  name?: string;
  client: string | undefined;
  /** A sentence about identities that are not indexed yet; may be empty. */
  missing?: string;
  /** Whether identities are being searched for: the rest of the page remains, with any open dialog. */
  searching?: boolean;
}

function Consents({ subject, name = subject, client, missing = '', searching = false }: ConsentsProps) {
  const identity = hasPeople() && isUuid(subject) ? subject.toLowerCase() : undefined;
  return (
    <SubjectConsents
      subject={subject}
      whose={visibleText(name)}
      client={client}
      beside={identity && <SubjectLink id={identity} />}
      nothing={
        searching ? (
          <LoadingRows label="Searching for people" rows={3} height={56} />
        ) : (
          <NoMatch
            title="No consents for this subject"
            text={`No consent was given, all consents have been revoked, or the subject does not exist: the OAuth server does not say which. The subject must match exactly, including case. ${missing}`}
            offers={[
              hasPeople() &&
                identity === undefined && {
                  label: 'Search the identities for this text',
                  to: { to: '/identities', search: { q: subject } },
                },
            ]}
          />
        )
      }
    />
  );
}
