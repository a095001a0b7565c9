import type { MapPoint } from '../../../../shared/locations.ts';
import { counted, digits } from '../../../format/counted.ts';

/** `1,202 active sessions in 31 places, most in Norway (412).` */
export function formatPlaces(points: readonly MapPoint[], unknown: number, sessions: number): string {
  if (sessions === 0) return 'There are no active sessions.';
  const [first] = points;
  const all = counted(sessions, 'active session', 'active sessions');
  if (first === undefined) return `${all}, the location of none is known.`;
  const places = counted(points.length, 'place', 'places');
  const rest = unknown === 0 ? '' : `, ${digits(unknown)} of them at an unknown location`;
  return `${all} in ${places}${rest}; most in ${first.label} (${digits(first.count)}).`;
}
