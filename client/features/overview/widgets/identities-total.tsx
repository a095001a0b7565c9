import { useQuery } from '@tanstack/react-query';
import { identityTotalQuery } from '../../../api/identities.ts';
import { refreshEvery } from '../../../api/polled.ts';
import { useCan } from '../../../api/session.ts';
import { counted, digits } from '../../../format/counted.ts';
import { formatSample } from '../../../format/sample.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import { formatChange, lastWeek } from '../charts/change.ts';
import { IDENTITIES, identitiesCreated } from '../destinations.ts';
import classes from './big-number.module.css';
import { BigNumber } from './big-number.tsx';
import { DestinationLink } from './destination-link.tsx';
import { PendingWidget } from './loaded.tsx';
import { StatisticsPart } from './statistics-part.tsx';
import { useOpenDestination } from './use-open-destination.ts';

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
        const week = complete ? lastWeek(created) : undefined;
        return (
          <>
            <BigNumber
              value={digits(number)}
              isLeast={total === null && !complete}
              leadsTo={open(IDENTITIES)}
              label={counted(number, 'identity', 'identities')}
            >
              {complete && (
                <DestinationLink
                  inherit
                  destination={
                    week && week.count > 0 && isOwnZone ? open(identitiesCreated(week.from, week.to)) : undefined
                  }
                >
                  {digits(week?.count ?? 0)} new in 7 days
                </DestinationLink>
              )}
              {week !== undefined && <span className={classes.change}>{formatChange(week)}</span>}
            </BigNumber>
            <Note
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
