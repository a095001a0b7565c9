import { useQuery } from '@tanstack/react-query';
import type { DayCount } from '../../../shared/dashboard.ts';
import { identityTotalQuery } from '../../api/identities.ts';
import { refreshEvery } from '../../api/polling.ts';
import { lockedAccountsQuery } from '../../api/security.ts';
import { useCan } from '../../api/session.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { Note } from '../../ui/facts.tsx';
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

const EVERY_MS = 60_000;

/** The number is the one that list and palette show; the statistics' own for roles that may not request it. */
export function IdentitiesTotal() {
  const enabled = useCan()('identities.read');
  const count = useQuery({ ...identityTotalQuery, enabled, refetchInterval: refreshEvery(EVERY_MS) });
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
            <Note
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

/** Counts only the most recent sessions: if there are more, the number is a lower bound. */
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
          <Note {...note} />
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
          <Note
            of={counted(total, 'account', 'accounts')}
            asOf={new Date(query.dataUpdatedAt + clockAheadMs).toISOString()}
            clockAheadMs={clockAheadMs}
          />
        </>
      )}
    </WidgetContent>
  );
}
