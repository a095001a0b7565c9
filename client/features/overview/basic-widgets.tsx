import { Box, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DayCount } from '../../../shared/dashboard.ts';
import type { PostureStatus } from '../../../shared/security.ts';
import { identityTotalQuery } from '../../api/identities.ts';
import { refreshEvery } from '../../api/polling.ts';
import { formatPosture, lockedAccountsQuery, postureQuery, recentAuditQuery, worstCheck } from '../../api/security.ts';
import { servicesQuery } from '../../api/services.ts';
import { useCan, useOperator } from '../../api/session.ts';
import { foldRecords, foldSentence, type RecordFold } from '../../audit/fold-records.ts';
import { useNameOf } from '../../audit/record-list.tsx';
import { counted, digits } from '../../lib/format-count.ts';
import { formatSince } from '../../lib/format-time.ts';
import { formatServices, formatState, isAiling, SERVICE_DOTS, SERVICE_NAMES } from '../../lib/service-state.ts';
import { DataAge, RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { useNow } from '../../ui/hooks.tsx';
import { formatChange, lastWeek, percent } from './day-series.ts';
import {
  ACTIVE_SESSIONS,
  BigNumber,
  DestinationLink,
  IDENTITIES,
  identitiesCreated,
  LOCKED_ACCOUNTS,
  PendingWidget,
  StatisticsContent,
  WidgetContent,
} from './widget-parts.tsx';
import classes from './widgets.module.css';

const COUNT_EVERY_MS = 60_000;

/** Uses the same count as the list and the palette, or the statistics for roles that may not request that count. */
export function IdentitiesTotal() {
  const enabled = useCan()('identities.read');
  const count = useQuery({ ...identityTotalQuery, enabled, refetchInterval: refreshEvery(COUNT_EVERY_MS) });
  return (
    <StatisticsContent part="identities">
      {({ sample, created, ...own }, { isWhole, note }, { isOwnZone }) => {
        if (enabled && count.isPending) return <PendingWidget />;
        const { total, as_of } = count.data ?? own;
        const number = total ?? sample;
        return (
          <>
            <BigNumber
              value={digits(number)}
              isLeast={total === null && !isWhole}
              destination={IDENTITIES}
              label={counted(number, 'identity', 'identities')}
            >
              {isWhole && <NewInWeek created={created} isOwnZone={isOwnZone} />}
            </BigNumber>
            <DataAge
              {...note}
              asOf={as_of}
              {...(total !== null && { of: `${counted(total, 'identity', 'identities')} counted` })}
            />
          </>
        );
      }}
    </StatisticsContent>
  );
}

function NewInWeek({ created, isOwnZone }: { created: readonly DayCount[]; isOwnZone: boolean }) {
  const week = lastWeek(created);
  if (week === undefined) return '0 new in 7 days';
  const { from, to, count } = week;
  return (
    <>
      <DestinationLink
        inherit
        underline="always"
        destination={count > 0 && isOwnZone ? identitiesCreated(from, to) : undefined}
      >
        {digits(count)} new in 7 days
      </DestinationLink>
      , {formatChange(week)}
    </>
  );
}

/** Counts only the most recent sessions, so the number may be a lower bound. */
export function ActiveSessions() {
  return (
    <StatisticsContent part="sessions">
      {({ active, sample }, { isWhole, note }) => (
        <>
          <BigNumber
            value={digits(active)}
            isLeast={!isWhole}
            destination={ACTIVE_SESSIONS}
            label={counted(active, 'active session', 'active sessions')}
          >
            {sample > 0 && isWhole && percent(active, sample)}
          </BigNumber>
          <DataAge {...note} />
        </>
      )}
    </StatisticsContent>
  );
}

export function LockedAccounts() {
  const query = useQuery(lockedAccountsQuery);
  return (
    <WidgetContent query={query}>
      {({ data, total, clockAheadMs }) => (
        <>
          <BigNumber
            value={digits(total)}
            destination={LOCKED_ACCOUNTS}
            label={counted(total, 'locked account', 'locked accounts')}
          >
            {data[0] === undefined ? 'Nobody is locked out' : `latest: ${data[0].identifier}`}
          </BigNumber>
          <DataAge
            of={counted(total, 'account', 'accounts')}
            asOf={new Date(query.dataUpdatedAt + clockAheadMs).toISOString()}
            clockAheadMs={clockAheadMs}
          />
        </>
      )}
    </WidgetContent>
  );
}

const SERVICES_EVERY_MS = 15_000;

export function Services() {
  const query = useQuery(servicesQuery(SERVICES_EVERY_MS));
  const now = useNow(SERVICES_EVERY_MS);
  return (
    <WidgetContent query={query}>
      {({ services, clockAheadMs }) => (
        <>
          <Text size="sm">{formatServices(services)}</Text>
          <Lines label="Services">
            {services.map((service) => (
              <Line
                key={service.name}
                aside={
                  <>
                    {formatState(service)}
                    {isAiling(service) && `, ${formatSince(service.since, now + clockAheadMs)}`}
                  </>
                }
              >
                <StatusDot status={SERVICE_DOTS[service.status]}>
                  {SERVICE_NAMES[service.name] ?? service.name}
                </StatusDot>
              </Line>
            ))}
          </Lines>
          <DataAge
            of={`${services.length} checked`}
            asOf={services.map(({ checked_at }) => checked_at).sort()[0] ?? new Date().toISOString()}
            clockAheadMs={clockAheadMs}
          />
        </>
      )}
    </WidgetContent>
  );
}

function Lines({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
    <ul className={`${classes.scroll} ${classes.lines}`} data-rows tabIndex={0} aria-label={label}>
      {children}
    </ul>
  );
}

const Line = ({ aside, children }: { aside: ReactNode; children: ReactNode }) => (
  <Group component="li" justify="space-between" align="baseline" gap="0 0.75rem" wrap="nowrap" py="0.3rem" fz="sm">
    <Box component="span" miw={0}>
      {children}
    </Box>
    <Text span size="xs" c="dimmed" ta="right" flex="none" maw="55%">
      {aside}
    </Text>
  </Group>
);

/** Fewer than the requested records, because a bulk action takes one row. */
const ROWS_MAX = 10;

export function RecentAudit() {
  const { identityId } = useOperator();
  const query = useQuery(recentAuditQuery);
  const nameOf = useNameOf(query.data?.events ?? []);
  const sentence = (fold: RecordFold): string =>
    foldSentence(fold, identityId, nameOf)
      .map(({ text }) => text)
      .join('');
  return (
    <WidgetContent query={query}>
      {({ events, has_more, clockAheadMs }) => {
        const rows = foldRecords(events).slice(0, ROWS_MAX);
        const count = rows.flat().length;
        return (
          <>
            {events.length === 0 ? (
              <Text size="sm">Nothing has been changed yet.</Text>
            ) : (
              <Lines label="Latest changes in the audit trail">
                {rows.map((fold) => (
                  <Line key={fold[0].sequence} aside={<RelativeTime at={fold[0].timestamp} />}>
                    {fold.length === 1 ? (
                      sentence(fold)
                    ) : (
                      <details>
                        <summary>{sentence(fold)}</summary>
                        <Box component="ul" c="dimmed" data-rows>
                          {fold.map((record) => (
                            <Box component="li" py="0.3rem" key={record.sequence}>
                              {sentence([record])}
                            </Box>
                          ))}
                        </Box>
                      </details>
                    )}
                  </Line>
                ))}
              </Lines>
            )}
            <DataAge
              of={`${has_more || count < events.length ? 'the latest ' : ''}${counted(count, 'change', 'changes')}`}
              asOf={new Date(query.dataUpdatedAt + clockAheadMs).toISOString()}
              clockAheadMs={clockAheadMs}
            />
          </>
        );
      }}
    </WidgetContent>
  );
}

const DOTS: Record<PostureStatus, 'good' | 'warning' | 'bad' | 'off'> = {
  pass: 'good',
  warn: 'warning',
  fail: 'bad',
  unknown: 'off',
};

/** Widgets cut off longer text; the rest is on the linked page. */
const firstSentence = (text: string): string => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;

export function Posture() {
  const query = useQuery(postureQuery);
  return (
    <WidgetContent query={query}>
      {({ checks, as_of, clockAheadMs }) => {
        const worst = worstCheck(checks);
        return (
          <>
            <div>
              <StatusDot status={worst === undefined ? 'good' : DOTS[worst.status]}>{formatPosture(checks)}</StatusDot>
              {worst !== undefined && (
                <Text size="sm" c="dimmed" lineClamp={2}>
                  {worst.title}: {firstSentence(worst.detail)}
                </Text>
              )}
            </div>
            <DataAge of={`${checks.length} checks`} asOf={as_of} clockAheadMs={clockAheadMs} />
          </>
        );
      }}
    </WidgetContent>
  );
}
