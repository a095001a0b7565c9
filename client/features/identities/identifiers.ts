import type { QueryClient } from '@tanstack/react-query';
import { identifierIn, isObject, type JsonSchema, membersOf, texts, whole } from '../../../shared/json.ts';
import { type Identity, identitiesChanged, identityQuery } from '../../api/identities.ts';
import { identifierOf } from '../../lib/identity-name.ts';
import { pointerTo } from '../../lib/json.ts';

/** Resolves once the identity and the lists on the page are up to date after a write. */
export const refreshIdentity = (queryClient: QueryClient, id: string) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: identityQuery(id).queryKey }),
    identitiesChanged(queryClient),
  ]);

/** The login identifiers of an identity with their JSON pointers, as marked by the Kratos schema extension. */
export function identifiersIn(
  value: unknown,
  schema: unknown,
  root: JsonSchema,
  pointer = '/traits',
): [pointer: string, identifier: string][] {
  const here = whole(schema, root);
  if (isObject(value))
    return Object.entries(value).flatMap(([key, member]) =>
      identifiersIn(member, membersOf(here.properties)[key], root, pointerTo(pointer, key)),
    );
  if (Array.isArray(value))
    return value.flatMap((item, index) => identifiersIn(item, here.items, root, pointerTo(pointer, index)));
  return typeof value === 'string' && value !== '' && identifierIn(here).length > 0 ? [[pointer, value]] : [];
}

/** All identifiers that a person may sign in with, normalized as in account locks: trimmed and in lower case. */
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
