import { formatDevice } from '../../../shared/format-device.ts';
import type { ListedSession } from './session-queries.ts';

/** Name of a session in running text: `ada@example.org, Chrome on macOS`. */
export const sessionName = ({ id, identityId, person, userAgent }: ListedSession): string =>
  `${person ?? identityId ?? id}, ${formatDevice(userAgent)}`;
