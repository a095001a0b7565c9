import { counted, digits } from '../../../format/counted.ts';
import { formatSample } from '../../../format/sample.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import { total } from '../charts/day-series.ts';
import { BigNumber } from './big-number.tsx';
import { StatisticsPart } from './statistics-part.tsx';

const WEEK_DAYS = 7;

export function IdentitiesTotal() {
  return (
    <StatisticsPart part="identities">
      {({ total: all, sample, complete, created, as_of }, { clockAheadMs }) => (
        <>
          <BigNumber value={digits(all ?? sample)} isLeast={all === null && !complete}>
            {complete && `${digits(total(created.slice(-WEEK_DAYS)))} new in 7 days`}
          </BigNumber>
          <Note
            of={all === null ? formatSample(sample, complete) : `${counted(all, 'identity', 'identities')} counted`}
            asOf={as_of}
            clockAheadMs={clockAheadMs}
          />
        </>
      )}
    </StatisticsPart>
  );
}
