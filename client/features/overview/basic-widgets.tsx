import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { identityTotalQuery } from '../../api/identities.ts';
import { refreshEvery } from '../../api/polling.ts';
import { formatPosture, lockedAccountsQuery, postureQuery, recentAuditQuery, worstCheck } from '../../api/security.ts';
import { servicesQuery } from '../../api/services.ts';
import { useCan, useOperator } from '../../api/session.ts';
import { foldRecords, foldSentence, type RecordFold } from '../../audit/fold-records.ts';
import { useNameOf } from '../../audit/record-list.tsx';
import { counted, digits } from '../../lib/format-count.ts';
import { POSTURE_DOTS } from '../../lib/labels.ts';
import { dotOf, formatServiceProblem, formatServices, hasProblem, SERVICE_NAMES } from '../../lib/service-state.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { useNow } from '../../ui/hooks.tsx';
import { formatChange, lastWeek, percent, type Week } from './day-series.ts';
import {
  ACTIVE_SESSIONS,
  BigNumber,
  DestinationLink,
  IDENTITIES,
  identitiesCreated,
  LOCKED_ACCOUNTS,
  PendingWidget,
  StatisticsContent,
  SYSTEM,
  statisticsWidget,
  type WidgetBodyProps,
  WidgetContent,
} from './widget-parts.tsx';
import classes from './widgets.module.css';

const COUNT_EVERY_MS = 60_000;

/** The same count as in the list and the palette, or the statistics for roles that may not request it. */
export function IdentitiesTotal() {
  const enabled = useCan()('identities.read');
  const count = useQuery({ ...identityTotalQuery, enabled, refetchInterval: refreshEvery(COUNT_EVERY_MS) });
  return (
    <StatisticsContent
      part="identities"
      asOf={count.data?.as_of ?? undefined}
      caption={({ total, created, isWhole, of }) =>
        (count.data ?? { total }).total === null
          ? of
          : `all identities${isWhole && created.length > 0 ? '; new in 7 days' : ''}`
      }
    >
      {({ sample, created, total, isWhole, isOwnZone }) => {
        if (enabled && count.isPending) return <PendingWidget />;
        const all = (count.data ?? { total }).total;
        const number = all ?? sample;
        const week = isWhole ? lastWeek(created) : undefined;
        return (
          <BigNumber
            value={digits(number)}
            isLeast={all === null && !isWhole}
            destination={IDENTITIES}
            label={counted(number, 'identity', 'identities')}
          >
            {week && <NewInWeek week={week} isOwnZone={isOwnZone} />}
          </BigNumber>
        );
      }}
    </StatisticsContent>
  );
}

function NewInWeek({ week, isOwnZone }: { week: Week; isOwnZone: boolean }) {
  const { from, to, count } = week;
  return (
    <span title={`${digits(count)} new in the last 7 days, ${digits(week.before)} in the 7 days before`}>
      <DestinationLink
        inherit
        underline="always"
        destination={count > 0 && isOwnZone ? identitiesCreated(from, to) : undefined}
      >
        {digits(count)} new
      </DestinationLink>
      , {formatChange(week)}
    </span>
  );
}

/** If there are very many sessions, counts only the latest, so there may be more. */
export const ActiveSessions = statisticsWidget('sessions', {
  content: ({ active, sample, isWhole }) => (
    <BigNumber
      value={digits(active)}
      isLeast={!isWhole}
      destination={ACTIVE_SESSIONS}
      label={counted(active, 'active session', 'active sessions')}
    >
      {sample > 0 && isWhole && percent(active, sample)}
    </BigNumber>
  ),
});

export function LockedAccounts() {
  const query = useQuery(lockedAccountsQuery);
  return (
    <WidgetContent
      query={query}
      caption={({ data: [latest] }) =>
        latest === undefined ? 'Nobody is locked out' : `latest: ${visibleText(latest.identifier)}`
      }
    >
      {({ total }) => (
        <BigNumber
          value={digits(total)}
          destination={LOCKED_ACCOUNTS}
          label={counted(total, 'locked account', 'locked accounts')}
        />
      )}
    </WidgetContent>
  );
}

const SERVICES_EVERY_MS = 15_000;

export function Services() {
  const query = useQuery(servicesQuery(SERVICES_EVERY_MS));
  const now = useNow(SERVICES_EVERY_MS);
  return (
    <WidgetContent query={query} asOf={({ services }) => services.map(({ checked_at }) => checked_at).sort()[0]}>
      {({ services, clockAheadMs }) => {
        const ailing = services.filter(hasProblem);
        return ailing.length === 0 ? (
          <StatusDot status="good">
            <DestinationLink inherit destination={SYSTEM}>
              {formatServices(services)}
            </DestinationLink>
          </StatusDot>
        ) : (
          <Lines label="Services with problems">
            {ailing.map((service) => (
              <Line key={service.name} aside={formatServiceProblem(service, now + clockAheadMs)}>
                <StatusDot status={dotOf(service)}>{SERVICE_NAMES[service.name] ?? service.name}</StatusDot>
              </Line>
            ))}
          </Lines>
        );
      }}
    </WidgetContent>
  );
}

function Lines({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
    <ul className={classes.scroll} data-rows tabIndex={0} aria-label={label}>
      {children}
    </ul>
  );
}

/** Keep its height in step with `rowsIn`, which counts how many fit. */
const Line = ({ aside, children }: { aside: ReactNode; children: ReactNode }) => (
  <Group component="li" wrap="nowrap" justify="space-between" align="baseline" gap="0.75rem" mih="1.6rem" fz="sm">
    <Text span inherit truncate>
      {children}
    </Text>
    <Text span size="xs" c="dimmed" flex="none">
      {aside}
    </Text>
  </Group>
);

export function RecentAudit({ rows }: WidgetBodyProps) {
  const { identityId } = useOperator();
  const query = useQuery(recentAuditQuery);
  const nameOf = useNameOf(query.data?.events ?? []);
  const sentence = (fold: RecordFold): string =>
    foldSentence(fold, identityId, nameOf)
      .map(({ text }) => text)
      .join('');
  return (
    <WidgetContent query={query}>
      {({ events }) =>
        events.length === 0 ? (
          <Text size="sm" c="dimmed">
            The audit trail contains no changes.
          </Text>
        ) : (
          <Lines label="Latest changes in the audit trail">
            {foldRecords(events)
              .slice(0, rows)
              .map((fold) => (
                <Line key={fold[0].sequence} aside={<RelativeTime at={fold[0].timestamp} />}>
                  <span title={sentence(fold)}>{sentence(fold)}</span>
                </Line>
              ))}
          </Lines>
        )
      }
    </WidgetContent>
  );
}

/** Widgets cut off longer text; the rest is on the linked page. */
const firstSentence = (text: string): string => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;

export function Posture() {
  const query = useQuery(postureQuery);
  return (
    <WidgetContent query={query}>
      {({ checks }) => {
        const worst = worstCheck(checks);
        return (
          <div>
            <StatusDot status={worst === undefined ? 'good' : POSTURE_DOTS[worst.status]}>
              {formatPosture(checks)}
            </StatusDot>
            {worst !== undefined && (
              <Text size="sm" c="dimmed" lineClamp={2}>
                {worst.title}: {firstSentence(worst.detail)}
              </Text>
            )}
          </div>
        );
      }}
    </WidgetContent>
  );
}
