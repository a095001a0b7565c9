import { attempt } from '../../shared/json.ts';
import { remember, remembered } from './tab-storage.ts';

const KEY = 'time-zone';
const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** Only for a chosen zone: creating the first `Intl` formatter takes 200 ms on a slow machine. */
const offsetsOf = (zone: string) => Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });

let chosen: string | undefined;
let offsets: ReturnType<typeof offsetsOf> | undefined;
// Ignores a stored zone that this browser does not know.
attempt(() => setZone(remembered(KEY)));

/** @throws RangeError for an unknown zone */
function setZone(zone: string | undefined): void {
  offsets = zone ? offsetsOf(zone) : undefined;
  chosen = zone || undefined;
}

/** The zone that the operator chose: `UTC` or an IANA name; undefined for the browser's zone. */
export const chosenZone = (): string | undefined => chosen;

/** The IANA name of the time zone for all times and days. */
export const zoneName = (): string => chosen ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Reload the page afterwards: rendered times keep the old zone.
 * @param zone undefined for the browser's zone @throws RangeError for an unknown zone
 */
export function chooseZone(zone: string | undefined): void {
  setZone(zone);
  remember(KEY, zone);
}

/** The zone's UTC offset at a moment, in minutes. */
export function minutesAhead(date: Date): number {
  if (offsets === undefined) return -date.getTimezoneOffset();
  const [, sign, hours, minutes] = /GMT([+-])(\d+):(\d+)/.exec(offsets.format(date)) ?? [];
  return hours === undefined ? 0 : Number(`${sign}1`) * (60 * Number(hours) + Number(minutes));
}

/** A date whose UTC fields are the zone's local time at this moment. */
export const onClock = (date: Date): Date => new Date(date.getTime() + minutesAhead(date) * MINUTE_MS);

/**
 * The moment of a local time: the first one if the clocks repeat that time, a later one if they skip it.
 * @param localTime local time in milliseconds since the epoch, as if in UTC
 */
export function momentOf(localTime: number): Date {
  const [early = 0, late = 0] = [-DAY_MS, DAY_MS].map(
    (apart) => localTime - minutesAhead(new Date(localTime + apart)) * MINUTE_MS,
  );
  const shows = (moment: number): boolean => onClock(new Date(moment)).getTime() === localTime;
  return new Date(!shows(early) && shows(late) ? late : early);
}
