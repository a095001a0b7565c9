import type { QueryClient } from '@tanstack/react-query';
import { type JsonSchema, keysOf, membersOf } from '../../../shared/json.ts';
import { type Identity, identitiesChanged, identityQuery, patchIdentity, readIdentity } from '../../api/identities.ts';
import { type PatchOperation, RequestError } from '../../api/request.ts';
import { jsonOrText, jsonProblems, jsonText } from '../../record/json-editor.tsx';
import { Overwritten, patchOf, sameJson, valueAt } from '../../record/member-changes.ts';
import type { EditableRecord } from '../../record/record-edit.tsx';
import { DraftRefused } from '../../record/record-form.tsx';
import { withDefaults } from '../../record/traits.ts';
import { trimmedTraits } from '../../record/traits-check.ts';

/** Form values: metadata as typed, traits as a value in which invalid JSON stays a string. */
export interface IdentityDraft {
  traits: unknown;
  metadataPublic: string;
  metadataAdmin: string;
  externalId: string;
}

export const draftOf = (members: IdentityMembers): IdentityDraft => ({
  traits: members.traits,
  metadataPublic: jsonText(members.metadata_public),
  metadataAdmin: jsonText(members.metadata_admin),
  externalId: members.external_id ?? '',
});

/** The draft of a new identity, with the defaults of its schema. */
export const newDraft = (schema: JsonSchema = {}): IdentityDraft => ({
  traits: withDefaults(membersOf(schema.properties).traits, schema, {}),
  metadataPublic: '',
  metadataAdmin: '',
  externalId: '',
});

export const sameDraft = (a: IdentityDraft, b: IdentityDraft): boolean =>
  a.metadataPublic === b.metadataPublic &&
  a.metadataAdmin === b.metadataAdmin &&
  a.externalId === b.externalId &&
  jsonProblems(a.traits) === undefined &&
  sameJson(a.traits, b.traits);

/**
 * Converts the draft to members of an identity.
 * @param stored the stored external id: if unchanged, it keeps surrounding spaces
 * @param schema undefined if unavailable: traits then keep surrounding spaces too
 * @throws DraftRefused for fields that are not valid JSON
 */
export function membersIn(draft: IdentityDraft, stored: string | undefined, schema?: JsonSchema): IdentityMembers {
  const externalId = draft.externalId === stored ? stored : draft.externalId.trim();
  const members = {
    traits: draft.traits,
    metadata_public: jsonOrText(draft.metadataPublic) ?? null,
    metadata_admin: jsonOrText(draft.metadataAdmin) ?? null,
    ...(externalId === '' ? {} : { external_id: externalId }),
  };
  const problems = jsonProblems(members);
  if (problems !== undefined) throw new DraftRefused(problems, true);
  return schema === undefined ? members : { ...members, traits: trimmedTraits(members.traits, schema) };
}

export interface IdentityMembers {
  traits: unknown;
  metadata_public: unknown;
  metadata_admin: unknown;
  external_id?: string;
}

/** Members that an edit compares. Schema and state are compared but never written. */
export interface IdentityDocument extends IdentityMembers {
  schema_id: string;
  state: string;
}

export const documentOf = (identity: Identity): IdentityDocument => ({
  schema_id: identity.schema_id,
  state: identity.state,
  traits: identity.traits,
  metadata_public: identity.metadata_public ?? null,
  metadata_admin: identity.metadata_admin ?? null,
  ...(identity.external_id ? { external_id: identity.external_id } : {}),
});

export const identityRecord = (id: string): EditableRecord<Identity, IdentityDocument> => ({
  what: 'identity',
  documentOf,
  read: () => readIdentity(id),
  write: (_now, changes) => saveIdentity(id, patchOf(changes)),
});

/** The identity after a write; as the write returned it if it cannot be read now. @throws RequestError 404 if it is gone */
export const readAfterWrite = (saved: Identity): Promise<Identity> =>
  readIdentity(saved.id).catch((error) => {
    if (error instanceof RequestError && error.status === 404) throw error;
    return saved;
  });

/**
 * Kratos rewrites the whole identity without a lock, so reads it again. A write after that goes unnoticed.
 * @throws Overwritten if another write at the same time replaced members of this one
 */
export async function saveIdentity(
  id: string,
  operations: readonly PatchOperation[],
  reason?: string,
): Promise<Identity> {
  const saved = await patchIdentity(id, operations, reason);
  const now = await readAfterWrite(saved);
  const [mine, stored] = [saved, now].map(documentOf);
  const lost = operations
    .map(({ path }) => path)
    .filter((path) => !sameJson(valueAt(mine, keysOf(path)), valueAt(stored, keysOf(path))));
  if (lost.length > 0) throw new Overwritten(lost, now);
  return saved;
}

/** Resolves once the identity and the lists on the page are up to date after a write. */
export const refreshIdentity = (queryClient: QueryClient, id: string) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: identityQuery(id).queryKey }),
    identitiesChanged(queryClient),
  ]);
