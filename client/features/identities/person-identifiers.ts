import { isObject, membersOf, texts } from '../../../shared/json.ts';
import type { Identity } from '../../api/identities-record.ts';
import { identifierOf } from '../../format/identity-name.ts';

/** All that a person may sign in with, as the login page's locks name it: trimmed, in lower case. */
export function personIdentifiers(identity: Identity): ReadonlySet<string> {
  const { verifiable_addresses = [], recovery_addresses = [], credentials } = identity;
  const stored = isObject(credentials) ? Object.values(credentials) : [];
  return new Set(
    [
      identifierOf(identity) ?? '',
      ...[...verifiable_addresses, ...recovery_addresses].map(({ value }) => String(value)),
      ...stored.flatMap((credential) => texts(membersOf(credential).identifiers)),
    ]
      .map((identifier) => identifier.trim().toLowerCase())
      .filter((identifier) => identifier !== ''),
  );
}
