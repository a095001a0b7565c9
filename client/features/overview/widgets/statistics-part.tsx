import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Statistics } from '../../../../shared/dashboard.ts';
import { statisticsQuery, type ZonedStatistics } from '../../../api/statistics.ts';
import { Loaded, NotKnown } from './loaded.tsx';

const WHY_NOT: Record<keyof Statistics, string> = {
  identities: 'Nothing is counted. The index is off, or the identity service is slow or not connected.',
  sessions: 'Nothing is counted. The index is off, or the identity service is slow or not connected.',
  clients: 'Nothing is counted. The index is off, or the OAuth 2.0 server is slow or not connected.',
};

/** Renders one part of the statistics, which all widgets share, or says that it is unknown. */
export function StatisticsPart<Part extends keyof Statistics>(props: {
  part: Part;
  children: (part: NonNullable<Statistics[Part]>, all: ZonedStatistics) => ReactNode;
}) {
  const question = useQuery(statisticsQuery);
  return (
    <Loaded question={question}>
      {(all) => {
        const part = all[props.part];
        return part === null ? (
          <NotKnown why={WHY_NOT[props.part]} />
        ) : (
          props.children(part as NonNullable<Statistics[Part]>, all)
        );
      }}
    </Loaded>
  );
}
