import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditRecord, AuditSubject } from '../../../shared/audit.ts';
import { isUuid } from '../../../shared/uuid.ts';
import { auditHistoryQuery } from '../../api/audit-history.ts';
import { useOperator } from '../../api/session.ts';
import { NamedLink } from '../../audit-view/named-link.tsx';
import { useOperatorsCalled } from '../../audit-view/operators-called.ts';
import type { Called } from '../../audit-view/record-sentence.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { ListSkeleton } from '../../ui/loading/list-skeleton.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Section } from '../../ui/section.tsx';
import { formatRecord } from './format-record.ts';
import classes from './history.module.css';

/** What was done to one resource by way of this dashboard, and by whom. */
export function History({ subject }: { subject: AuditSubject }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    auditHistoryQuery(subject),
  );
  const events = data?.pages.flatMap((page) => page.events);
  const called = useOperatorsCalled(events ?? []);
  return (
    <Stack gap="md">
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {events === undefined ? (
        error === null && <ListSkeleton label="Loading the history" rows={4} />
      ) : events.length === 0 ? (
        <EmptyState
          kind="no-data"
          title="Nothing is recorded"
          text="The audit trail begins with this dashboard. What was done without it is not recorded."
        />
      ) : (
        <Section
          title="History"
          about="From the audit trail: what was done through this dashboard. What was done without it is not recorded."
        >
          <ol className={classes.events}>
            {events.map((event) => (
              <Event key={event.sequence} event={event} called={called} />
            ))}
          </ol>
          {hasNextPage && (
            <Group mt="sm">
              <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Show older ones
              </Button>
            </Group>
          )}
        </Section>
      )}
    </Stack>
  );
}

function Event({ event, called }: { event: AuditRecord; called: Called }) {
  const { actor } = event;
  const name = useOperator().identityId === actor ? 'you' : (called(actor) ?? <Code>{actor}</Code>);
  return (
    <li className={classes.event}>
      <Text span size="sm" fw={500}>
        {formatRecord(event)}
      </Text>
      <Text span size="sm">
        by {isUuid(actor) ? <NamedLink thing={{ kind: 'operator', id: actor }}>{name}</NamedLink> : name}
      </Text>
      <Text span size="sm" c="dimmed" className={classes.when}>
        <RelativeTime at={event.timestamp} />
      </Text>
    </li>
  );
}
