import { isObject, type JsonObject, keysOf } from '../../../shared/json.ts';
import { type OauthClient, patchClient, readClient } from '../../api/oauth-clients.ts';
import type { PatchOperation, RequestError } from '../../api/request.ts';
import { jsonProblems } from '../../record/json-editor.tsx';
import { applied, type MemberChange, memberChanges, sameJson } from '../../record/member-changes.ts';
import type { EditableRecord } from '../../record/record-edit.tsx';
import {
  DraftRefused,
  type Problems,
  problemsOfChanges,
  type RecordFormKind,
  useRecordForm,
} from '../../record/record-form.tsx';
import { isListKind, kindOfField } from './client-fields.ts';
import { goSeconds } from './client-members.ts';
import { identityProblems, originsOf, problemsIn, problemsOf } from './client-problems.ts';

/** The members may contain invalid JSON as text. */
export interface ClientDraft {
  members: unknown;
}

export const sameDraft = (a: ClientDraft, b: ClientDraft): boolean =>
  isObject(a.members) &&
  isObject(b.members) &&
  jsonProblems(a.members) === undefined &&
  sameJson(documentOf(a.members), documentOf(b.members));

/** A draft that is safe to store in the browser; undefined for invalid JSON, which may contain a secret. */
export function withoutSecrets({ members }: ClientDraft): ClientDraft | undefined {
  if (!isObject(members) || jsonProblems(members) !== undefined) return undefined;
  // The token is in the response to a registration, which may have been pasted.
  const { client_secret: _secret, registration_access_token: _token, ...others } = members;
  return { members: others };
}

/**
 * The members of the draft. Trims changed values, and removes empty lines.
 * @throws DraftRefused if the draft is not a JSON object
 */
export function membersIn({ members }: ClientDraft, stored: JsonObject = {}): JsonObject {
  const problems = jsonProblems(members);
  if (problems !== undefined) throw new DraftRefused(problems, true);
  if (!isObject(members)) throw new DraftRefused({ '': 'Enter a JSON object.' }, true);
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, sameJson(value, stored[name]) ? value : tidied(name, value)]),
  );
}

function tidied(name: string, value: unknown): unknown {
  const kind = kindOfField(name);
  if (typeof value === 'string' && kind === 'scope') return value.trim().split(/\s+/).join(' ');
  if (typeof value === 'string' && kind !== undefined) return value.trim();
  if (!Array.isArray(value) || !isListKind(kind)) return value;
  return value.map((item) => (typeof item === 'string' ? item.trim() : item)).filter((item) => item !== '');
}

/** Never edited: members that the OAuth server sets or that other requests change. */
const NOT_EDITED = new Set([
  'client_id',
  'client_secret',
  'client_secret_expires_at',
  'created_at',
  'updated_at',
  'registration_access_token',
  'registration_client_uri',
]);

/** The members that an edit compares. Empty members count as absent, as in the OAuth server. */
export const documentOf = (client: OauthClient | JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(client).filter(([name, value]) => !NOT_EDITED.has(name) && !isEmpty(value)));

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** The empty value of a member. A patch that removes the member instead may leave its value unchanged. */
export function emptyMember(name: string): unknown {
  const kind = kindOfField(name);
  if (kind === undefined) return undefined;
  if (isListKind(kind)) return [];
  if (kind === 'flag') return false;
  if (kind === 'json') return {};
  return kind === 'duration' ? null : '';
}

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
          id === undefined ? found : problemsOfChanges(found, problemsOf(base), changesIn(base, members)),
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

const changesIn = (base: JsonObject, members: JsonObject): MemberChange[] =>
  memberChanges(documentOf(base), documentOf(members));

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
