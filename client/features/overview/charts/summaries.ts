import { counted, digits } from '../../../format/counted.ts';
import { formatGrant } from '../../../format/grant.ts';
import { type Bucket, formatBucket, total } from './day-series.ts';

interface Noun {
  one: string;
  many: string;
  /** What they are counted among, if not among all there have been. */
  among?: string;
}

/** `412 new identities in the last 30 days, 14 a day; most on Tue 3 Mar (41).` */
export function formatDays(series: readonly Bucket[], { one, many, among }: Noun): string {
  const days = series.reduce((sum, bucket) => sum + bucket.days, 0);
  const sum = total(series);
  const within = days === 1 ? 'today' : `in the last ${digits(days)} days`;
  const span = among === undefined ? within : `${within}, ${among}`;
  const most = series.reduce<Bucket | undefined>(
    (best, bucket) => (bucket.count > (best?.count ?? 0) ? bucket : best),
    undefined,
  );
  if (most === undefined) return `No ${many} ${span}.`;
  if (days === 1) return `${counted(sum, one, many)} ${span}.`;
  const average = sum / days;
  const rate = average < 1 ? 'fewer than one a day' : `${digits(Math.round(average))} a day`;
  const on = most.days === 1 ? 'on' : 'in';
  return `${counted(sum, one, many)} ${span}, ${rate}; most ${on} ${formatBucket(most)} (${digits(most.count)}).`;
}

/** `09:00–10:00` */
export const formatHour = (hour: number): string => `${clock(hour)}–${clock((hour + 1) % 24)}`;

const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** `Most sessions start at 09:00–10:00 (41 of 412 that still exist), fewest at 03:00–04:00 (2).` */
export function formatHours(hours: readonly number[]): string {
  const sum = hours.reduce((all, count) => all + count, 0);
  if (sum === 0) return 'No session has been started yet.';
  const most = Math.max(...hours);
  const fewest = Math.min(...hours);
  if (most === fewest) return 'Sessions start evenly over the day.';
  const at = (count: number): string => formatHour(hours.indexOf(count));
  return `Most sessions start at ${at(most)} (${digits(most)} of ${digits(sum)} that still exist), fewest at ${at(fewest)} (${digits(fewest)}).`;
}

/** A whole percentage that says 0% or 100% only if that is exact. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '0%';
  const share = (part / whole) * 100;
  if (part > 0 && share < 1) return 'under 1%';
  if (part < whole && share > 99) return 'over 99%';
  return `${Math.round(share)}%`;
}

/** `customer makes up 82% of the identities, the largest of 3 schemas.` */
export function formatSchemas(shares: readonly { schema_id: string; count: number }[], sample: number): string {
  const [first] = shares;
  if (first === undefined) return 'There are no identities yet.';
  if (shares.length === 1) return `All identities have the schema ${first.schema_id}.`;
  return `${first.schema_id} makes up ${percent(first.count, sample)} of the identities, the largest of ${shares.length} schemas.`;
}

/** `Authorization code is the most common grant; 12 of 14 clients may use it.` */
export function formatGrants(shares: readonly { grant: string; count: number }[], clients: number): string {
  const [first] = shares;
  if (clients === 0) return 'There are no OAuth2 clients yet.';
  if (first === undefined) return `None of ${counted(clients, 'client', 'clients')} may use a grant.`;
  return `${formatGrant(first.grant)} is the most common grant; ${digits(first.count)} of ${counted(clients, 'client', 'clients')} may use it.`;
}

/** `8,200 of 10,000 identities with an address that can be verified have verified one.` */
export function formatVerification(verified: number, verifiable: number): string {
  if (verifiable === 0) return 'No identity has an address that can be verified.';
  return `${digits(verified)} of ${counted(verifiable, 'identity', 'identities')} with an address to verify ${verified === 1 ? 'has' : 'have'} verified one.`;
}
