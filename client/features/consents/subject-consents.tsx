import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { consentsQuery } from '../../api/consents.ts';
import { useRefusal } from '../../api/session.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { GuardedButton } from '../../ui/guarded-button.tsx';
import { ListSkeleton } from '../../ui/loading/list-skeleton.tsx';
import { ClientGroup } from './client-group.tsx';
import { byClient, formatConsents, type Revocation } from './consent-groups.ts';
import { EndLoginSessions, RevokeConsents } from './revoke-consents.tsx';

/**
 * The consents of one subject, in every state of the query, with buttons that revoke them.
 * @param whose the name of the subject in a dialog
 * @param client the id of the only client whose consents are shown
 * @param beside a link to more about the subject
 * @param nothing replaces the list if there are no consents
 */
export function SubjectConsents(props: {
  subject: string;
  whose: string;
  client?: string | undefined;
  beside?: ReactNode;
  nothing: ReactNode;
}) {
  const { subject, whose, client } = props;
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(consentsQuery(subject));
  const refusal = useRefusal('upstreams.write');
  const [revocation, setRevocation] = useState<Revocation>();
  const [ending, setEnding] = useState(false);
  const all = data?.pages.flatMap(({ rows }) => rows);
  const groups = byClient(all?.filter(({ clientId }) => client === undefined || clientId === client) ?? []);

  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Group gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {groups.length > 0 && formatConsents(groups, !hasNextPage)}
          </Text>
          {props.beside}
        </Group>
        <Group gap="xs">
          {all !== undefined && all.length > 0 && (
            <GuardedButton
              size="xs"
              variant="default"
              reason={refusal}
              onClick={() => setRevocation({ meant: 'all', called: `all consents of ${whose}` })}
            >
              Revoke all…
            </GuardedButton>
          )}
          <GuardedButton size="xs" variant="default" reason={refusal} onClick={() => setEnding(true)}>
            End login sessions…
          </GuardedButton>
        </Group>
      </Group>
      {error !== null && !isFetching && (
        <FailurePanel
          error={error}
          {...(data === undefined ? {} : { title: 'What is shown may be out of date' })}
          onRetry={() => void refetch()}
        />
      )}
      {all === undefined ? (
        (error === null || isFetching) && <ListSkeleton label="Loading the consents" rows={4} />
      ) : all.length === 0 && !hasNextPage ? (
        props.nothing
      ) : groups.length === 0 ? (
        <EmptyState kind="no-match" title="Nothing is granted to this client" text="There are consents to others." />
      ) : (
        groups.map((group) => (
          <ClientGroup key={group.clientId} group={group} refusal={refusal} onRevoke={setRevocation} />
        ))
      )}
      {hasNextPage && (
        <Group gap="sm">
          <Button size="xs" variant="default" loading={isFetching} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
          <Text size="xs" c="dimmed">
            The OAuth server returns them in no particular order: more recent ones may be among those not loaded yet.
          </Text>
        </Group>
      )}
      {revocation !== undefined && (
        <RevokeConsents
          subject={subject}
          meant={revocation.meant}
          called={revocation.called}
          onClose={() => setRevocation(undefined)}
        />
      )}
      {ending && <EndLoginSessions subject={subject} whose={whose} onClose={() => setEnding(false)} />}
    </Stack>
  );
}
