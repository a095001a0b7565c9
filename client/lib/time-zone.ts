/** Of the choice in this browser's storage. */
const KEY = 'time-zone';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Only a chosen zone asks Intl for anything: its first formatter takes a slow machine a fifth of a second. */
const offsetsOf = (zone: string) => Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });

let chosen: string | undefined;
let offsets: ReturnType<typeof offsetsOf> | undefined;
try {
  take(localStorage.getItem(KEY));
} catch {
  // Storage may be blocked, or hold a zone that this browser does not know.
}

/** @throws RangeError if there is no such zone */
function take(zone: string | null | undefined): void {
  offsets = zone ? offsetsOf(zone) : undefined;
  chosen = zone || undefined;
}

/** The zone that the operator has chosen: `UTC`, or a name of the IANA's; undefined for the browser's own. */
export const chosenZone = (): string | undefined => chosen;

/** The IANA's name of the zone in which times are shown and days begin. */
export const zoneName = (): string => chosen ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * What is on screen keeps the old zone: reload the page.
 * @param zone undefined for the browser's own @throws RangeError if there is no such zone
 */
export function chooseZone(zone: string | undefined): void {
  take(zone);
  try {
    if (zone === undefined) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, zone);
  } catch {
    // It lasts as long as the page.
  }
}

/** How far the zone's clocks are ahead of UTC at this moment, in minutes. */
export function minutesAhead(date: Date): number {
  if (offsets === undefined) return -date.getTimezoneOffset();
  const [, sign, hours, minutes] = /GMT([+-])(\d+):(\d+)/.exec(offsets.format(date)) ?? [];
  return hours === undefined ? 0 : Number(`${sign}1`) * (60 * Number(hours) + Number(minutes));
}

/** What the zone's clocks show at this moment, as the UTC members of a date. */
export const onClock = (date: Date): Date => new Date(date.getTime() + minutesAhead(date) * MINUTE_MS);

/**
 * When the zone's clocks show this; of two such moments the first, and of a time that they skip what they show instead.
 * @param shown as milliseconds since the epoch, as if it were UTC
 */
export function momentOf(shown: number): Date {
  const [early = 0, late = 0] = [-DAY_MS, DAY_MS].map(
    (apart) => shown - minutesAhead(new Date(shown + apart)) * MINUTE_MS,
  );
  const shows = (moment: number): boolean => onClock(new Date(moment)).getTime() === shown;
  return new Date(!shows(early) && shows(late) ? late : early);
}
