import { exactly, timeAgo } from '../format/english-time.ts';

/**
 * "2 hours ago", with the exact local time on hover. A time before 1970 is none: where Go programs do not know one they
 * answer the year 1.
 */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const date = new Date(at ?? Number.NaN);
  if (at === null || at === undefined || !(date.getTime() > 0)) return <span>not known</span>;
  return (
    <time dateTime={at} title={exactly(date)}>
      {timeAgo(date, Date.now())}
    </time>
  );
}

/** "31 Jan 2026, 09:00:00", in the browser's time zone; for a text that is not a time, the text. */
export function exactTime(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : exactly(date);
}
