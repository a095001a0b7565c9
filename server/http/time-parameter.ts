import { badRequest } from './api-error.ts';

/** RFC 3339, section 5.6; a date alone is its midnight in UTC. */
const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d)))?$/i;

/**
 * Parses a query parameter that is a time.
 * @returns the time in UTC with milliseconds: `2026-01-31T09:00:00.000Z`
 * @throws 400 that names the parameter
 */
export function timeParameter(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const refusal = badRequest(name, 'must be a time such as 2026-01-31T09:00:00Z');
  const found = TIME.exec(text);
  if (found === null) throw refusal;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const millisecond = Number((found[7] ?? '0').slice(0, 3).padEnd(3, '0'));
  const offset = (found[8] === '-' ? -1 : 1) * (Number(found[9] ?? 0) * 60 + Number(found[10] ?? 0));
  const local = new Date(Date.UTC(year, month - 1, day, hour, minute, second, millisecond));
  // Date turns 31 February into 3 March: valid only if the parts are unchanged.
  const roundTrip = local.toISOString().slice(0, 19);
  if (roundTrip !== `${found[1]}-${found[2]}-${found[3]}T${found[4] ?? '00'}:${found[5] ?? '00'}:${found[6] ?? '00'}`)
    throw refusal;
  return new Date(local.getTime() - offset * 60_000).toISOString();
}
