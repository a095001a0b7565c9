import { digits } from '../../../ui/counted.ts';
import { Note } from '../../../ui/note.tsx';
import { latestInWords } from '../../../ui/sample-in-words.ts';
import { percent } from '../charts/summaries.ts';
import { BigNumber } from './big-number.tsx';
import { StatisticsPart } from './statistics-part.tsx';

/** Behind the latest sessions there may be others that are active: then it is a lower bound. */
export function ActiveSessions() {
  return (
    <StatisticsPart part="sessions">
      {({ active, sample, truncated, as_of }, { clockAheadMs }) => (
        <>
          <BigNumber value={digits(active)} isLeast={truncated}>
            {sample > 0 && !truncated && percent(active, sample)}
          </BigNumber>
          <Note of={latestInWords(sample, truncated)} asOf={as_of} clockAheadMs={clockAheadMs} />
        </>
      )}
    </StatisticsPart>
  );
}
