import { useState } from 'react';
import type { JsonSchema } from '../../../api/identity-schemas.ts';
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
 * @param start what stands stored; null for a new one
 * @param readSchemaAgain past the cache; undefined where it is unavailable
 * @param save rejects with what the form is to show
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
    // What has no field is of a schema that changed under the form: with it the field comes before its problem.
    if (schema !== undefined && Object.keys(named ?? {}).some((pointer) => !hasField(schema, pointer))) {
      const now = await options.readSchemaAgain().catch(() => undefined);
      if (now !== undefined) setChanged(now);
    }
    if (named !== undefined || error.status !== 409) return named;
    const sent = membersIn(draft, base?.external_id);
    const found = 'members' in sent ? await findOwners(sent.members, schema, of) : {};
    setOwners(found);
    return Object.keys(found).length === 0 ? undefined : takenAt(found);
  });
  const submit = (unchecked: boolean): void =>
    form.attempt(async () => {
      setOwners({});
      const result = membersIn(form.draft, form.base?.external_id);
      if ('problems' in result) return form.refuse(result.problems, false);
      const found = unchecked || schema === undefined ? {} : await schemaProblems(schema, result.members.traits);
      setNotCheckedHere(found === undefined);
      if (found !== undefined && Object.keys(found).length > 0) return form.refuse(found, true);
      await options.save(result.members);
    });
  return {
    ...form,
    /** Undefined where it is unavailable. */
    schema,
    owners,
    /** The schema could not be held against the traits that were sent: the service alone judges them. */
    notCheckedHere,
    change(part: Partial<IdentityDraft>) {
      form.change(part);
      setOwners({});
    },
    submit: () => submit(false),
    /** Only for problems that this browser alone has found. */
    sendAnyway: form.checkedHere ? () => submit(true) : undefined,
    rebase: (document: IdentityDocument, members: Members) => form.rebase(document, draftOf(members)),
  };
}

const takenAt = (owners: Owners): Problems =>
  Object.fromEntries(Object.keys(owners).map((pointer) => [pointer, 'Taken by another identity.']));
