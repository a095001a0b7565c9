import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { consentsQuery } from '../../api/consents.ts';
import { displayName } from '../../format/identity-name.ts';
import { visibleText } from '../../format/visible-text.ts';
import { personLabel, useFoundPeople } from '../../resource/search/found-people.ts';
import { NoMatch } from '../../resource/search/no-match.tsx';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { LoadingRows } from '../../ui/loading/loading-rows.tsx';
import { IdentityLink } from './identity-link.tsx';
import { NothingGranted } from './nothing-granted.tsx';
import { SubjectConsents } from './subject-consents.tsx';

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
