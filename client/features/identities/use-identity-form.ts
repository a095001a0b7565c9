import { useState } from 'react';
import { isObject, type JsonSchema, whole } from '../../../shared/json.ts';
import { findByExternalId, type Identity, patchIdentity, readIdentity } from '../../api/identities.ts';
import { findByIdentifier } from '../../api/identity-search.ts';
import { RequestError } from '../../api/request.ts';
import { displayName } from '../../lib/identity-name.ts';
import { keysOf, pointerTo } from '../../lib/json.ts';
import { type MemberChange, memberChanges, patchOf } from '../../record/edit-conflict.tsx';
import { type Problems, problemsOfChanges, type RecordFormKind, useRecordForm } from '../../record/record-form.tsx';
import type { Owner, Owners } from '../../record/trait-owners.tsx';
import { identifiersIn } from './identity-change.ts';
import {
  documentOf,
  draftOf,
  emptyDraft,
  type IdentityDocument,
  type IdentityDraft,
  membersIn,
  sameDraft,
} from './identity-draft.ts';
import type { Objection } from './schema-check.ts';
import { checkTraits, type TraitsCheck } from './traits-check.ts';

/** Whether the form has a field for a member; the traits as a whole have none. */
export function hasField(schema: JsonSchema, pointer: string): boolean {
  const [member, ...steps] = keysOf(pointer);
  if (member !== 'traits') return true;
  let current: unknown = isObject(schema.properties) ? schema.properties.traits : undefined;
  for (const step of steps) {
    const { properties, items } = whole(current, schema);
    current = isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : /^\d+$/.test(step) && items;
    if (!isObject(current)) return false;
  }
  return steps.length > 0;
}

export type IdentityFormState = ReturnType<typeof useIdentityForm>;

export type Members = Omit<IdentityDocument, 'schema_id' | 'state'>;

const IDENTITY_FORM: RecordFormKind<IdentityDocument, IdentityDraft> = {
  keptAs: 'identities.draft',
  draftOf: (base) => (base === null ? emptyDraft : draftOf(base)),
  same: sameDraft,
  keepable: (draft) => draft,
  problemsIn,
};

/**
 * @param of the identity's id, or the schema of a new one
 * @param start the stored version; null for a new one
 * @param readSchemaAgain bypasses the cache; undefined when the schema is unavailable
 * @param save rejects with the error to show
 */
export function useIdentityForm(options: {
  of: string;
  start: IdentityDocument | null;
  schema: JsonSchema | undefined;
  readSchemaAgain: () => Promise<JsonSchema | undefined>;
  save: (members: Members) => Promise<void>;
}) {
  const { of } = options;
  const [changed, setChanged] = useState<JsonSchema>();
  const schema = changed ?? options.schema;
  const [owners, setOwners] = useState<Owners>({});
  const [notCheckedHere, setNotCheckedHere] = useState(false);
  const form = useRecordForm(IDENTITY_FORM, of, options.start, async (error, named, draft, base) => {
    // A problem without a field means that the schema has changed: load the new one, so that the problem has its
    // field.
    if (schema !== undefined && Object.keys(named ?? {}).some((pointer) => !hasField(schema, pointer))) {
      const now = await options.readSchemaAgain().catch(() => undefined);
      if (now !== undefined) setChanged(now);
    }
    if (named !== undefined || !isTaken(error)) return named;
    const sent = membersIn(draft, base?.external_id, schema);
    const found = 'members' in sent ? await findOwners(sent.members, schema, of) : {};
    setOwners(found);
    return Object.keys(found).length === 0 ? undefined : takenAt(found);
  });
  const submit = (unchecked: boolean): void =>
    form.attempt(async () => {
      setOwners({});
      const result = membersIn(form.draft, form.base?.external_id, schema);
      if ('problems' in result) return form.refuse(result.problems, false);
      const found =
        unchecked || schema === undefined ? {} : await schemaProblems(schema, result.members.traits, form.base?.traits);
      setNotCheckedHere(found === undefined);
      if (found !== undefined && Object.keys(found).length > 0) return form.refuse(found, true);
      await options.save(result.members);
    });
  return {
    ...form,
    /** Undefined when unavailable. */
    schema,
    owners,
    /** The submitted traits could not be checked against the schema: only the service can judge them. */
    notCheckedHere,
    change(part: Partial<IdentityDraft>) {
      form.change(part);
      setOwners({});
    },
    submit: () => submit(false),
    /** Only for problems found by this browser alone. */
    sendAnyway: form.checkedHere ? () => submit(true) : undefined,
    rebase: (document: IdentityDocument, members: Members) => form.rebase(document, draftOf(members)),
  };
}

/** The only conflict that the store knows. */
export const isTaken = (error: unknown): boolean =>
  error instanceof RequestError && error.status === 409 && error.code === 'upstream_error';

const takenAt = (owners: Owners): Problems =>
  Object.fromEntries(Object.keys(owners).map((pointer) => [pointer, 'Taken by another identity.']));

/** Somebody else changed the identity after the form had read it. */
export interface EditConflict {
  now: Identity;
  mine: readonly MemberChange[];
  theirs: readonly MemberChange[];
}

/**
 * Writes the members in which `wanted` differs from `base`, unless somebody else changed the identity since `base`.
 * The identity service has neither conditional writes nor the patch operation `test`, so it is read again right before
 * the write.
 * @throws RequestError from the read or the write
 */
export async function saveIdentity(
  id: string,
  base: IdentityDocument,
  wanted: IdentityDocument,
): Promise<{ before: Identity; saved: Identity } | { conflict: EditConflict }> {
  const now = await readIdentity(id);
  const theirs = memberChanges(base, documentOf(now));
  const mine = memberChanges(base, wanted);
  if (theirs.length > 0) return { conflict: { now, mine, theirs } };
  return { before: now, saved: await patchIdentity(id, patchOf(mine)) };
}

/**
 * The schema's first objection to each member of the traits; undefined when they cannot be checked in this browser.
 * @param stored what it objects to there as well does not count where it is not replaced; undefined for a new identity
 */
export async function schemaProblems(
  schema: JsonSchema,
  traits: unknown,
  stored?: unknown,
  check: TraitsCheck = checkTraits,
): Promise<Problems | undefined> {
  const versions = stored === undefined ? [traits] : [traits, stored];
  const [found, before = []] = await check(
    schema,
    versions.map((version) => JSON.stringify(version)),
  );
  if (found === undefined) return undefined;
  return problemsOfChanges(
    schemaProblemsIn(found),
    schemaProblemsIn(before),
    memberChanges(stored ?? {}, traits, '/traits'),
  );
}

function schemaProblemsIn(objections: readonly Objection[]): Problems {
  const problems: Record<string, string> = {};
  for (const { path, words } of objections) problems[path.reduce(pointerTo, '')] ??= `This ${words}.`;
  return problems;
}

const REASON = /I\[#([^\]]*)\] S\[[^\]]*\] ((?:(?!\s*I\[#)[\s\S])+)/g;

/**
 * Parses the identity service's error for traits, `I[#/traits/bar] S[#/…] expected string, but got number`, one per
 * line. Undefined when the message has another format.
 */
export function problemsIn(message: string): Problems | undefined {
  const problems: Record<string, string> = {};
  for (const [, pointer = '', text = ''] of message.matchAll(REASON)) {
    const missing = /^missing properties: (.+)$/.exec(text.trim())?.[1];
    if (missing !== undefined) {
      for (const [, name = ''] of missing.matchAll(/"([^"]+)"/g)) problems[`${pointer}/${name}`] = 'This is required.';
    } else if (!/^(?:validation failed|doesn't validate with)\b/.test(text)) {
      problems[pointer] = capitalised(text.trim());
    }
  }
  return Object.keys(problems).length === 0 ? undefined : problems;
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

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
