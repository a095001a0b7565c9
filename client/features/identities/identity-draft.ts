import type { JsonSchema } from '../../../shared/json.ts';
import type { Identity } from '../../api/identities.ts';
import { jsonOrText, jsonText, pointersToNotJson, sameJson } from '../../record/json-editor.tsx';
import type { Problems } from '../../record/record-form.tsx';
import { trimmedTraits } from './traits-check.ts';

/** The form's values: metadata as typed, traits as a value that may contain invalid JSON as text. */
export interface IdentityDraft {
  traits: unknown;
  metadataPublic: string;
  metadataAdmin: string;
  externalId: string;
}

export const draftOf = (document: Omit<IdentityDocument, 'schema_id' | 'state'>): IdentityDraft => ({
  traits: document.traits,
  metadataPublic: jsonText(document.metadata_public),
  metadataAdmin: jsonText(document.metadata_admin),
  externalId: document.external_id ?? '',
});

export const emptyDraft: IdentityDraft = { traits: {}, metadataPublic: '', metadataAdmin: '', externalId: '' };

export const sameDraft = (a: IdentityDraft, b: IdentityDraft): boolean =>
  a.metadataPublic === b.metadataPublic &&
  a.metadataAdmin === b.metadataAdmin &&
  a.externalId === b.externalId &&
  pointersToNotJson(a.traits, '').length === 0 &&
  sameJson(a.traits, b.traits);

/**
 * The draft as members, or the fields that are not JSON.
 * @param stored the stored external id: left untouched it keeps any spaces around it
 * @param schema undefined when unavailable: then traits keep their spaces too
 */
export function membersIn(
  draft: IdentityDraft,
  stored: string | undefined,
  schema?: JsonSchema,
): { members: Omit<IdentityDocument, 'schema_id' | 'state'> } | { problems: Problems } {
  const externalId = draft.externalId === stored ? stored : draft.externalId.trim();
  const members = {
    traits: draft.traits,
    metadata_public: jsonOrText(draft.metadataPublic) ?? null,
    metadata_admin: jsonOrText(draft.metadataAdmin) ?? null,
    ...(externalId === '' ? {} : { external_id: externalId }),
  };
  const places = pointersToNotJson(members, '');
  if (places.length > 0)
    return { problems: Object.fromEntries(places.map((place) => [place, 'This is not valid JSON.'])) };
  return { members: schema === undefined ? members : { ...members, traits: trimmedTraits(members.traits, schema) } };
}

/** The members that an edit compares. Schema and state are compared but never written. */
export interface IdentityDocument {
  schema_id: string;
  state: string;
  traits: unknown;
  metadata_public: unknown;
  metadata_admin: unknown;
  external_id?: string;
}

export const documentOf = (identity: Identity): IdentityDocument => ({
  schema_id: identity.schema_id,
  state: identity.state,
  traits: identity.traits,
  metadata_public: identity.metadata_public ?? null,
  metadata_admin: identity.metadata_admin ?? null,
  ...(identity.external_id ? { external_id: identity.external_id } : {}),
});
