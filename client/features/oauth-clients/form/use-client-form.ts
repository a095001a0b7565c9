import { isObject, type JsonObject } from '../../../../shared/json.ts';
import type { Problems } from '../../../resource/form/problems.ts';
import { type RecordFormKind, useRecordForm } from '../../../resource/form/use-record-form.ts';
import { type ClientDraft, keepableDraft, membersIn, sameDraft } from './client-draft.ts';
import { identityProblems, problemsIn, problemsOf } from './client-problems.ts';

export type ClientFormState = ReturnType<typeof useClientForm>;

const CLIENT_FORM: RecordFormKind<JsonObject, ClientDraft> = {
  keptAs: 'oauth-clients.draft',
  draftOf: (base) => ({ members: base ?? {} }),
  same: sameDraft,
  keepable: keepableDraft,
  problemsIn,
};

/**
 * @param of the client's id, or the kind of a new one
 * @param id undefined for a new client
 * @param start its stored members, or the presets of its kind
 * @param save rejects with the error to show
 */
export function useClientForm(options: {
  of: string;
  id: string | undefined;
  start: JsonObject;
  save: (members: JsonObject) => Promise<void>;
}) {
  const form = useRecordForm(CLIENT_FORM, options.of, options.start);
  const submit = (unchecked: boolean): void =>
    form.attempt(async () => {
      const result = membersIn(form.draft);
      if ('problems' in result) return form.refuse(result.problems, false);
      const never = identityProblems(result.members, options.id);
      if (hasAny(never)) return form.refuse(never, false);
      const doubtful = unchecked ? {} : problemsOf(result.members);
      if (hasAny(doubtful)) return form.refuse(doubtful, true);
      await options.save(result.members);
    });
  return {
    ...form,
    submit: () => submit(false),
    /** Only for problems found by this browser alone. */
    sendAnyway: form.checkedHere ? () => submit(true) : undefined,
    setMember(name: string, value: unknown) {
      if (isObject(form.draft.members)) form.change({ members: { ...form.draft.members, [name]: value } });
    },
  };
}

const hasAny = (problems: Problems): boolean => Object.keys(problems).length > 0;
