import { RelativeTime } from '../../../ui/relative-time.tsx';

/** The identity service answers the year 1 where it does not know. */
export function TimeOrUnknown({ at }: { at: string | undefined }) {
  const known = at !== undefined && new Date(at).getUTCFullYear() > 1970;
  return known ? <RelativeTime at={at} /> : <span>not known</span>;
}
