import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DayCount } from '../../../shared/dashboard.ts';
import { identityTotalQuery } from '../../api/identities.ts';
import { refreshEvery } from '../../api/polling.ts';
import { useCan } from '../../api/session.ts';
import { counted, digits, formatLatest, formatSample } from '../../lib/format-count.ts';
import { DataAge } from '../../ui/facts.tsx';
import { formatChange, lastWeek, percent } from './day-series.ts';
import {
  ACTIVE_SESSIONS,
  type Destination,
  DestinationLink,
  IDENTITIES,
  identitiesCreated,
  useOpenDestination,
} from './destinations.tsx';
import { PendingWidget, StatisticsPart } from './loaded.tsx';
import classes from './widgets.module.css';

/**
 * A widget's main number with its details.
 * @param props.isLeast whether it is a lower bound
 * @param props.leadsTo the page that shows what was counted @param props.label what is counted, with the number
 */
export function BigNumber(props: {
  value: string;
  isLeast?: boolean;
  leadsTo?: Destination | undefined;
  label?: string;
  children?: ReactNode;
}) {
  const { value, isLeast = false, leadsTo, label, children } = props;
  return (
    <div className={classes.line}>
      {isLeast && <span className={classes.beside}>at least</span>}
      <span className={classes.value}>
        <DestinationLink inherit destination={leadsTo} {...(label !== undefined && { label })}>
          {value}
        </DestinationLink>
      </span>
      {children !== undefined && children !== false && <span className={classes.beside}>{children}</span>}
    </div>
  );
}

/** Counts only the most recent sessions: if there are more, the number is a lower bound. */
export function ActiveSessions() {
  const open = useOpenDestination();
  return (
    <StatisticsPart part="sessions">
      {({ active, sample, truncated, as_of }, { clockAheadMs }) => (
        <>
          <BigNumber
            value={digits(active)}
            isLeast={truncated}
            leadsTo={open(ACTIVE_SESSIONS)}
            label={counted(active, 'active session', 'active sessions')}
          >
            {sample > 0 && !truncated && percent(active, sample)}
          </BigNumber>
          <DataAge of={formatLatest(sample, truncated)} asOf={as_of} clockAheadMs={clockAheadMs} />
        </>
      )}
    </StatisticsPart>
  );
}

const EVERY_MS = 60_000;

/** The number is the one that list and palette show; the statistics' own for roles that may not ask for it. */
export function IdentitiesTotal() {
  const may = useCan();
  const open = useOpenDestination();
  const enabled = may('identities.read');
  const count = useQuery({ ...identityTotalQuery, enabled, refetchInterval: refreshEvery(EVERY_MS) });
  return (
    <StatisticsPart part="identities">
      {({ sample, complete, created, ...known }, { clockAheadMs, isOwnZone }) => {
        if (enabled && count.isPending) return <PendingWidget />;
        const { total, as_of } = count.data ?? known;
        const number = total ?? sample;
        return (
          <>
            <BigNumber
              value={digits(number)}
              isLeast={total === null && !complete}
              leadsTo={open(IDENTITIES)}
              label={counted(number, 'identity', 'identities')}
            >
              {complete && <NewInWeek created={created} isOwnZone={isOwnZone} />}
            </BigNumber>
            <DataAge
              of={
                total === null ? formatSample(sample, complete) : `${counted(total, 'identity', 'identities')} counted`
              }
              asOf={as_of}
              clockAheadMs={clockAheadMs}
            />
          </>
        );
      }}
    </StatisticsPart>
  );
}

function NewInWeek({ created, isOwnZone }: { created: readonly DayCount[]; isOwnZone: boolean }) {
  const open = useOpenDestination();
  const week = lastWeek(created);
  if (week === undefined) return '0 new in 7 days';
  const { from, to, count } = week;
  return (
    <>
      <DestinationLink
        inherit
        underline="always"
        destination={count > 0 && isOwnZone ? open(identitiesCreated(from, to)) : undefined}
      >
        {digits(count)} new in 7 days
      </DestinationLink>
      , {formatChange(week)}
    </>
  );
}
