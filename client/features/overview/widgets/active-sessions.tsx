import { digits } from '../../../format/counted.ts';
import { formatLatest } from '../../../format/sample.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import { percent } from '../charts/summaries.ts';
import { BigNumber } from './big-number.tsx';
import { StatisticsPart } from './statistics-part.tsx';

/** Counts only the most recent sessions: if there are more, the number is a lower bound. */
export function ActiveSessions() {
  return (
    <StatisticsPart part="sessions">
      {({ active, sample, truncated, as_of }, { clockAheadMs }) => (
        <>
          <BigNumber value={digits(active)} isLeast={truncated}>
            {sample > 0 && !truncated && percent(active, sample)}
          </BigNumber>
          <Note of={formatLatest(sample, truncated)} asOf={as_of} clockAheadMs={clockAheadMs} />
        </>
      )}
    </StatisticsPart>
  );
}
