import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { can, type Role } from '../../../shared/capabilities.ts';
import { identityTotalQuery } from '../../api/identities.ts';
import { refreshEvery } from '../../api/polling.ts';
import { lockedAccountsQuery, postureQuery, recentAuditQuery } from '../../api/security.ts';
import { servicesQuery } from '../../api/services.ts';
import { useCan, useOperator } from '../../api/session.ts';
import { foldRecords, foldSentence, type RecordFold } from '../../audit/fold-records.ts';
import { useNameOf } from '../../audit/record-names.tsx';
import { hasPage, hasPeople, hasSignInLog } from '../../deployment.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { formatPosture, POSTURE_DOTS, worstCheck } from '../../lib/labels.ts';
import { dotOf, formatServiceProblem, formatServices, hasProblem, SERVICE_NAMES } from '../../lib/service-state.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { useNow } from '../../ui/hooks.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { formatChange, lastWeek, percent } from './day-series.ts';
import {
  ACTIVE_SESSIONS,
  BigNumber,
  type Destination,
  DestinationLink,
  IDENTITIES,
  identitiesCreated,
  PendingWidget,
  SESSIONS,
  StatisticsContent,
  statisticsWidget,
  type Widget,
  type WidgetBodyProps,
  WidgetContent,
} from './widget-parts.tsx';
import classes from './widgets.module.css';

const SYSTEM: Destination = { to: '/system', needs: 'services.read' };
const LOCKED_ACCOUNTS: Destination = { to: '/security/locked-accounts', needs: 'locks.read' };
const SIGN_INS: Destination = { to: '/security/sign-ins', needs: 'sign-ins.read' };
const CLIENTS: Destination = { to: '/oauth/clients', needs: 'clients.read' };
const POSTURE: Destination = { to: '/security', needs: 'posture.read' };
const CHANGES: Destination = { to: '/security/audit', search: { changes: 'true' }, needs: 'audit.read' };

const COUNT_EVERY_MS = 60_000;

/** The same count as in the list and the palette, or the statistics for roles that may not request it. */
function IdentitiesTotal() {
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

function NewInWeek({ week, isOwnZone }: { week: NonNullable<ReturnType<typeof lastWeek>>; isOwnZone: boolean }) {
  const { from, to, count } = week;
  return (
    <span title={`${digits(count)} new in the last 7 days, ${digits(week.before)} in the 7 days before`}>
      <DestinationLink
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
const ActiveSessions = statisticsWidget('sessions', {
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

function LockedAccounts() {
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

function Services() {
  const query = useQuery(servicesQuery(SERVICES_EVERY_MS));
  const now = useNow(SERVICES_EVERY_MS);
  return (
    <WidgetContent query={query} asOf={({ services }) => services.map(({ checked_at }) => checked_at).sort()[0]}>
      {({ services, clockAheadMs }) => {
        const ailing = services.filter(hasProblem);
        return ailing.length === 0 ? (
          <div>
            <StatusDot status="good">
              <DestinationLink destination={SYSTEM}>{formatServices(services)}</DestinationLink>
            </StatusDot>
            <Text size="xs" c="dimmed">
              {services.map(({ name }) => SERVICE_NAMES[name] ?? name).join(', ')}
            </Text>
          </div>
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

function RecentAudit({ rows }: WidgetBodyProps) {
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

function Posture() {
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

/** Most widgets use the statistics; the others override `needs`. */
const NUMBER = { needs: 'statistics.read', size: { w: 3, h: 2 }, min: { w: 2, h: 2 } } as const;
const CHART = { needs: 'statistics.read', size: { w: 6, h: 4 }, min: { w: 3, h: 3 } } as const;
const LIST = { needs: 'statistics.read', size: { w: 4, h: 3 }, min: { w: 3, h: 2 } } as const;
const LINES = { size: { w: 4, h: 2 }, min: { w: 3, h: 2 } } as const;

/** Charts load after the page's first paint. */
const chart = (name: keyof typeof import('./chart-widgets.tsx')) => ({
  chart: true,
  Body: lazyPart(() => import('./chart-widgets.tsx'), name, <PendingWidget />),
});

/**
 * All widgets except those of views, in the order in which they fill an overview that has never been arranged. Layouts
 * store the ids, so their meaning must never change.
 */
export const WIDGETS: readonly Widget[] = [
  { id: 'identities-total', title: 'Identities', destination: IDENTITIES, ...NUMBER, Body: IdentitiesTotal },
  { id: 'active-sessions', title: 'Active sessions', destination: ACTIVE_SESSIONS, ...NUMBER, Body: ActiveSessions },
  { id: 'verification-rate', title: 'Verification rate', destination: IDENTITIES, ...NUMBER, ...chart('Verification') },
  {
    id: 'locked-accounts',
    title: 'Locked accounts',
    destination: LOCKED_ACCOUNTS,
    ...NUMBER,
    needs: 'locks.read',
    Body: LockedAccounts,
  },
  {
    id: 'sign-ins',
    title: 'Sessions started',
    destination: SESSIONS,
    ...CHART,
    size: { w: 8, h: 4 },
    ...chart('SignIns'),
  },
  { id: 'services', title: 'Services', destination: SYSTEM, ...LINES, needs: 'services.read', Body: Services },
  { id: 'posture', title: 'Security posture', destination: POSTURE, ...LINES, needs: 'posture.read', Body: Posture },
  {
    id: 'session-map',
    title: 'Session map',
    destination: ACTIVE_SESSIONS,
    needs: 'session-locations.read',
    size: { w: 8, h: 5 },
    min: { w: 4, h: 4 },
    chart: true,
    Body: lazyPart(() => import('./session-map-widget.tsx'), 'SessionMapWidget', <PendingWidget />),
  },
  { id: 'identities-by-schema', title: 'Identities by schema', destination: IDENTITIES, ...LIST, ...chart('Schemas') },
  {
    id: 'clients-by-grant',
    title: 'Clients by grant',
    destination: CLIENTS,
    ...LIST,
    size: { w: 4, h: 4 },
    ...chart('Grants'),
  },
  {
    id: 'recent-audit',
    title: 'Recent audit',
    destination: CHANGES,
    ...LINES,
    size: { w: 8, h: 2 },
    needs: 'audit.read',
    Body: RecentAudit,
  },
  { id: 'new-identities', title: 'New identities', destination: IDENTITIES, ...CHART, ...chart('NewIdentities') },
  { id: 'peak-hours', title: 'Peak hours', destination: SESSIONS, ...CHART, ...chart('PeakHours') },
];

/** The numbers fill the first row. Without locked accounts, or with only them, they are wider. */
export const offeredTo = (role: Role): Widget[] =>
  WIDGETS.map((widget) =>
    widget.id === 'sign-ins' && hasSignInLog() && can(role, SIGN_INS.needs)
      ? { ...widget, title: 'Sign-ins', destination: SIGN_INS }
      : widget,
  )
    .filter(({ needs, destination }) => can(role, needs) && hasPage(destination?.to ?? ''))
    .map((widget) =>
      widget.size === NUMBER.size && !(can(role, 'locks.read') && hasPeople())
        ? { ...widget, size: { w: 4, h: 2 } }
        : widget,
    );
