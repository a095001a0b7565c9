import { exactly, timeAgo } from '../format/english-time.ts';

/**
 * "2 hours ago", with the exact time on hover. A time before 1970 counts as unknown: Go programs send the year
 * 1.
 */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const date = new Date(at ?? Number.NaN);
  if (at === null || at === undefined || !(date.getTime() > 0)) return <span>unknown</span>;
  return (
    <time dateTime={at} title={exactly(date)}>
      {timeAgo(date, Date.now())}
    </time>
  );
}

/** "31 Jan 2026, 09:00:00 UTC+1" in the operator's time zone; text that is not a time is returned unchanged. */
export function exactTime(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : exactly(date);
}
