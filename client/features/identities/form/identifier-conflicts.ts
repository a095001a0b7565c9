import type { JsonSchema } from '../../../../shared/json.ts';
import { isObject } from '../../../../shared/json.ts';
import { findByExternalId } from '../../../api/identities-record.ts';
import { findByIdentifier } from '../../../api/identity-list.ts';
import { displayName } from '../../../format/identity-name.ts';
import type { Owner, Owners } from '../../../resource/traits/owner-of.tsx';
import { identifiersIn } from '../login-identifiers.ts';

/** Each is a request, and for login identifiers also an audit record. */
const QUESTIONS_MAX = 6;

/**
 * The identity service reports that something is taken but not what, so the identifiers are looked up one by one.
 * @param own the identity being edited
 */
export async function findOwners(
  members: { traits: unknown; external_id?: string },
  schema: JsonSchema | undefined,
  own?: string,
): Promise<Owners> {
  const questions: [pointer: string, find: () => Promise<Owner | undefined>][] = identifiersIn(
    members.traits,
    isObject(schema?.properties) ? schema.properties.traits : undefined,
    schema ?? {},
  ).map(([pointer, identifier]) => [pointer, async () => asOwner((await findByIdentifier(identifier))[0])]);
  const { external_id: externalId } = members;
  if (externalId !== undefined)
    questions.push(['/external_id', async () => asOwner(await findByExternalId(externalId))]);
  const found = await Promise.all(
    questions.slice(0, QUESTIONS_MAX).map(async ([pointer, find]) => {
      const owner = await find().catch(() => undefined);
      return owner === undefined || owner.id === own ? [] : [[pointer, owner] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}

const asOwner = (identity: { id: string; traits: Record<string, unknown> } | undefined): Owner | undefined =>
  identity && { id: identity.id, name: displayName(identity) };
