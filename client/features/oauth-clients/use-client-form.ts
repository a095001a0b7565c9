import { isObject, type JsonObject, keysOf } from '../../../shared/json.ts';
import { type OauthClient, patchClient, readClient } from '../../api/oauth-clients.ts';
import type { PatchOperation, RequestError } from '../../api/request.ts';
import { applied, type MemberChange, memberChanges, sameJson } from '../../record/member-changes.ts';
import type { EditableRecord } from '../../record/record-edit.tsx';
import {
  DraftRefused,
  type Problems,
  problemsOfChanges,
  type RecordFormKind,
  useRecordForm,
} from '../../record/record-form.tsx';
import { type ClientDraft, documentOf, emptyMember, membersIn, sameDraft, withoutSecrets } from './client-draft.ts';
import { kindOfField } from './client-fields.ts';
import { goSeconds } from './client-members.ts';
import { identityProblems, originsOf, problemsIn, problemsOf } from './client-problems.ts';

export type ClientFormState = ReturnType<typeof useClientForm>;

const CLIENT_FORM: RecordFormKind<JsonObject, ClientDraft> = {
  storedAs: 'oauth-clients.draft',
  draftOf: (base) => ({ members: base ?? {} }),
  same: sameDraft,
  withoutSecrets,
  problemsIn,
};

/**
 * @param of the client's id, or the kind of a new client
 * @param id undefined for a new client
 * @param start the stored members, or the presets of a new client's kind
 * @param save rejects with the error to display
 * @param isHandled whether an error needs no message
 */
export function useClientForm(options: {
  of: string;
  id: string | undefined;
  start: JsonObject;
  save: (members: JsonObject, base: JsonObject) => Promise<void>;
  isHandled?: (error: RequestError) => boolean;
}) {
  const { id, isHandled } = options;
  const form = useRecordForm(CLIENT_FORM, {
    of: options.of,
    start: options.start,
    async save(draft, start, unchecked) {
      const base = start ?? {};
      const members = membersIn(draft, base);
      refuseIfAny(identityProblems(members, id), true);
      if (!unchecked) {
        const found = problemsOf(members);
        refuseIfAny(
          id === undefined
            ? found
            : problemsOfChanges(found, problemsOf(base), memberChanges(documentOf(base), documentOf(members))),
          false,
        );
      }
      await options.save(members, base);
    },
    explain: async (error, named) => (isHandled?.(error) ? {} : named),
  });
  return {
    ...form,
    setMember(name: string, value: unknown) {
      const { members } = form.draft;
      if (isObject(members))
        form.change({ members: { ...members, [name]: value, ...followingOrigins(members, name, value) } });
    },
    rebase: (now: JsonObject, members: JsonObject) => form.rebase(now, { members }),
  };
}

function refuseIfAny(problems: Problems, isCertain: boolean): void {
  if (Object.keys(problems).length > 0) throw new DraftRefused(problems, isCertain);
}

/** Keeps the origins of a public client equal to those of its redirect URIs, unless they already differ. */
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

export const clientRecord = (id: string): EditableRecord<OauthClient, JsonObject> => ({
  what: 'client',
  documentOf,
  read: () => readClient(id),
  write: (now, changes) => patchClient(id, patchOf(changes, now)),
});

/**
 * Replaces each changed member as a whole, so that the patch always applies. This overwrites nothing, because the
 * client has just been read.
 */
export function patchOf(changes: readonly MemberChange[], now: JsonObject): PatchOperation[] {
  const edited = applied(documentOf(now), changes);
  return namesOf(changes).map((name) => {
    const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const value = edited[name] ?? emptyMember(name);
    if (value === undefined) return { op: 'remove', path };
    return { op: Object.hasOwn(now, name) ? 'replace' : 'add', path, value };
  });
}

/** Names of changed members that the OAuth server stored differently. Durations in another notation count as equal. */
export function membersStoredDifferently(
  mine: readonly MemberChange[],
  edited: JsonObject,
  saved: OauthClient,
): string[] {
  const stored = documentOf(saved);
  return namesOf(mine).filter((name) => !sameMember(name, edited[name], stored[name]));
}

const namesOf = (changes: readonly MemberChange[]): string[] => [
  ...new Set(changes.map(({ path }) => keysOf(path)[0] ?? '')),
];

const sameMember = (name: string, a: unknown, b: unknown): boolean =>
  sameJson(a, b) ||
  (kindOfField(name) === 'duration' && typeof a === 'string' && typeof b === 'string' && goSeconds(a) === goSeconds(b));
