import { useState } from 'react';
import type { JsonSchema } from '../../../../shared/json.ts';
import { RequestError } from '../../../api/request-error.ts';
import type { Problems } from '../../../resource/form/problems.ts';
import { type RecordFormKind, useRecordForm } from '../../../resource/form/use-record-form.ts';
import type { Owners } from '../../../resource/traits/owner-of.tsx';
import { hasField } from './has-field.ts';
import { findOwners } from './identifier-conflicts.ts';
import type { IdentityDocument } from './identity-document.ts';
import { draftOf, emptyDraft, type IdentityDraft, membersIn, sameDraft } from './identity-draft.ts';
import { schemaProblems } from './schema-problems.ts';
import { problemsIn } from './upstream-reasons.ts';

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
