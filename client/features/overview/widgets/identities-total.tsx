import { useQuery } from '@tanstack/react-query';
import type { DayCount } from '../../../../shared/dashboard.ts';
import { identityTotalQuery } from '../../../api/identities.ts';
import { refreshEvery } from '../../../api/polled.ts';
import { useCan } from '../../../api/session.ts';
import { counted, digits } from '../../../format/counted.ts';
import { formatSample } from '../../../format/sample.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import { formatChange, lastWeek } from '../charts/change.ts';
import { IDENTITIES, identitiesCreated } from '../destinations.ts';
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
