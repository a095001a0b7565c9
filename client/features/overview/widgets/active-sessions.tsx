import { counted, digits } from '../../../format/counted.ts';
import { formatLatest } from '../../../format/sample.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import { percent } from '../charts/summaries.ts';
import { ACTIVE_SESSIONS } from '../destinations.ts';
import { BigNumber } from './big-number.tsx';
import { StatisticsPart } from './statistics-part.tsx';
import { useOpenDestination } from './use-open-destination.ts';

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
          <Note of={formatLatest(sample, truncated)} asOf={as_of} clockAheadMs={clockAheadMs} />
        </>
      )}
    </StatisticsPart>
  );
}
