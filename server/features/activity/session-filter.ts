import { SESSION_DAYS_MAX } from '../../../shared/session-locations.ts';
import { badRequest } from '../../http/api-error.ts';
import type { SessionRow } from './session-crawl.ts';

export interface SessionFilter {
  /** Only sessions signed in to within this many days. */
  days: number | undefined;
  /** Only sessions neither ended nor expired. */
  active: boolean;
}

const DAY_MS = 86_400_000;

/** @throws 400 unless `days` is absent or 1 to 365, and `active` absent or `true` */
export function parseSessionFilter({ days, active }: Record<string, unknown>): SessionFilter {
  const number = typeof days === 'string' && /^[1-9]\d{0,2}$/.test(days) ? Number(days) : Number.NaN;
  if (days !== undefined && !(number <= SESSION_DAYS_MAX))
    throw badRequest('days', `must be a whole number from 1 to ${SESSION_DAYS_MAX}`);
  if (active !== undefined && active !== 'true') throw badRequest('active', 'must be true if given');
  return { days: days === undefined ? undefined : number, active: active === 'true' };
}

/** Whether a session is active now: it may have expired since it was read. */
export const isActive = ({ active, expiresAt }: SessionRow, now: number): boolean =>
  active && !(expiresAt !== undefined && expiresAt <= now);

/** @param now milliseconds since the epoch */
export function fits(session: SessionRow, { days, active }: SessionFilter, now: number): boolean {
  if (active && !isActive(session, now)) return false;
  return days === undefined || (session.authenticatedAt !== undefined && session.authenticatedAt > now - days * DAY_MS);
}
