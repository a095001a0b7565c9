import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { sameJson } from '../../../resource/form/json-value.ts';
import { memberChanges } from '../../../resource/form/member-changes.ts';
import type { Problems } from '../../../resource/form/problems.ts';
import { problemsOfChanges } from '../../../resource/form/problems-of-changes.ts';
import { type RecordFormKind, useRecordForm } from '../../../resource/form/use-record-form.ts';
import { documentOf } from './client-document.ts';
import { type ClientDraft, keepableDraft, membersIn, sameDraft } from './client-draft.ts';
import { identityProblems, originsOf, problemsIn, problemsOf } from './client-problems.ts';

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
      const result = membersIn(form.draft, form.base ?? {});
      if ('problems' in result) return form.refuse(result.problems, false);
      const never = identityProblems(result.members, options.id);
      if (hasAny(never)) return form.refuse(never, false);
      const doubtful = unchecked ? {} : problemsOf(result.members);
      const stored = options.id === undefined ? undefined : form.base;
      const found = stored
        ? problemsOfChanges(doubtful, problemsOf(stored), memberChanges(documentOf(stored), documentOf(result.members)))
        : doubtful;
      if (hasAny(found)) return form.refuse(found, true);
      await options.save(result.members);
    });
  return {
    ...form,
    submit: () => submit(false),
    /** Only for problems found by this browser alone. */
    sendAnyway: form.checkedHere ? () => submit(true) : undefined,
    setMember(name: string, value: unknown) {
      const { members } = form.draft;
      if (isObject(members))
        form.change({ members: { ...members, [name]: value, ...followingOrigins(members, name, value) } });
    },
  };
}

/** A public client's origins follow its redirect addresses as long as they are theirs. */
function followingOrigins(
  { allowed_cors_origins: origins, ...members }: JsonObject,
  name: string,
  value: unknown,
): JsonObject {
  const follow =
    name === 'redirect_uris' &&
    members.token_endpoint_auth_method === 'none' &&
    Array.isArray(origins) &&
    sameJson(origins, originsOf(members.redirect_uris));
  return follow ? { allowed_cors_origins: originsOf(value) } : {};
}

const hasAny = (problems: Problems): boolean => Object.keys(problems).length > 0;
