const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/**
 * "2 hours ago", with the exact local time on hover. A time before 1970 is none: where Go programs do not know one they
 * answer the year 1.
 */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const date = new Date(at ?? Number.NaN);
  if (at === null || at === undefined || !(date.getTime() > 0)) return <span>not known</span>;
  return (
    <time dateTime={at} title={exact.format(date)}>
      {timeAgo(date, Date.now())}
    </time>
  );
}

/** "31 Jan 2026, 09:00:00", in the browser's time zone; for a text that is not a time, the text. */
export function exactTime(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : exact.format(date);
}

/** @param now milliseconds since the epoch */
export function timeAgo(date: Date, now: number): string {
  const seconds = (date.getTime() - now) / 1_000;
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  return step === undefined ? 'just now' : words.format(Math.round(seconds / step[1]), step[0]);
}
