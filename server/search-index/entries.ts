import { formatDevice } from '../../shared/format-device.ts';
import { isUuid, membersOf, text, timeOf } from '../../shared/json.ts';
import { addressIn } from '../geo/geo-lookup.ts';
import type { ClientEntry } from './clients.ts';
import type { SessionEntry } from './sessions.ts';

/**
 * Rows that cannot be read are left out: they have no id to be found by, and a single one must not keep everybody else
 * out. Of a list in which no row can be read, it is better to keep what was known.
 * @param page the JSON of a list, as the store sent it
 * @throws SyntaxError
 */
export function entriesOf<T>(page: string, read: (row: unknown) => T | undefined): T[] {
  const list: unknown = JSON.parse(page);
  const entries = Array.isArray(list) ? list.map(read).filter((entry) => entry !== undefined) : [];
  if (!Array.isArray(list) || (entries.length === 0 && list.length > 0)) throw new SyntaxError('not such a list');
  return entries;
}

/** A session as the store lists it. Where its address is, the main thread knows. */
export interface ListedSession extends Omit<SessionEntry, 'place'> {
  /** Empty if the store does not say. */
  address: string;
}

/** A session has one device per sign-in; the first with an address will do. */
export function sessionDevice(session: Record<string, unknown>): Record<string, unknown> {
  const devices = Array.isArray(session['devices']) ? session['devices'].map(membersOf) : [];
  return devices.find((one) => text(one['ip_address']) !== '') ?? devices[0] ?? {};
}

/** @returns undefined for what is not a session */
export function listedSession(session: unknown): ListedSession | undefined {
  const fields = membersOf(session);
  const id = text(fields['id']);
  if (!isUuid(id)) return undefined;
  const identityId = text(membersOf(fields['identity'])['id']);
  const device = sessionDevice(fields);
  const userAgent = text(device['user_agent']);
  return {
    id: id.toLowerCase(),
    identityId: isUuid(identityId) ? identityId.toLowerCase() : '',
    active: fields['active'] === true,
    issuedAt: timeOf(fields['issued_at']),
    authenticatedAt: timeOf(fields['authenticated_at']),
    expiresAt: timeOf(fields['expires_at']),
    address: addressIn(text(device['ip_address'])) ?? '',
    device: userAgent === '' ? '' : formatDevice(userAgent),
  };
}

/** A message that was sent to somebody. */
export interface Message {
  id: string;
  recipient: string;
}

/** @returns undefined for what is not a message */
export function messageEntry(message: unknown): Message | undefined {
  const { id, recipient } = membersOf(message);
  return text(id) === '' ? undefined : { id: text(id), recipient: text(recipient) };
}

const TEXT_CHARACTERS = 255;

/** @returns undefined for what is not a client */
export function clientEntry(client: unknown): ClientEntry | undefined {
  const fields = membersOf(client);
  const id = text(fields['client_id']);
  if (id === '' || id.length > TEXT_CHARACTERS) return undefined;
  const grants = Array.isArray(fields['grant_types']) ? fields['grant_types'].map(text) : [];
  return {
    id,
    name: text(fields['client_name']).slice(0, TEXT_CHARACTERS),
    owner: text(fields['owner']).slice(0, TEXT_CHARACTERS),
    grants: grants.filter((grant) => grant !== '' && grant.length <= TEXT_CHARACTERS),
  };
}
