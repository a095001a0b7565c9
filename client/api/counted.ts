import { useQuery } from '@tanstack/react-query';
import type { Statistics } from '../../shared/dashboard.ts';
import { useCan } from './session.ts';
import { statisticsQuery } from './statistics.ts';

/** A number of the statistics; undefined where they do not know all. */
export type CountIn = (statistics: Statistics) => { total: number; as_of: string } | undefined;

/** How many the overview counts, so that a list says the same. */
export function useCounted(countIn: CountIn | undefined): ReturnType<CountIn> {
  const may = useCan();
  const { data } = useQuery({ ...statisticsQuery, enabled: countIn !== undefined && may('statistics.read') });
  return data && countIn?.(data);
}
