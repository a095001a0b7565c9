import { useQuery } from '@tanstack/react-query';
import { statisticsQuery } from '../../api/statistics.ts';
import { counted } from '../../format/counted.ts';
import { formatLeast, formatSample } from '../../format/sample.ts';
import { Note } from '../../ui/feedback/note.tsx';

/** How many identities have a schema, from the overview's statistics, with sample size and age. */
export function IdentityCount({ schemaId }: { schemaId: string }) {
  const { data, error } = useQuery(statisticsQuery);
  if (data === undefined && error === null) return <span>counting…</span>;
  const identities = data?.identities ?? undefined;
  if (data === undefined || identities === undefined) return <span>unknown</span>;
  const { by_schema, sample, complete, as_of } = identities;
  const count = by_schema.find(({ schema_id }) => schema_id === schemaId)?.count ?? 0;
  return (
    <div>
      {formatLeast(!complete, counted(count, 'identity', 'identities'))}
      <Note of={formatSample(sample, complete)} asOf={as_of} clockAheadMs={data.clockAheadMs} />
    </div>
  );
}
