import { formatDevice } from '../../format/device.ts';
import type { ListedSession } from './session-queries.ts';

/** `ada@example.org, Chrome on macOS`: what a session is called where it cannot be pointed at. */
export const calledAs = ({ id, identityId, person, userAgent }: ListedSession): string =>
  `${person ?? identityId ?? id}, ${formatDevice(userAgent)}`;
