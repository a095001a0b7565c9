import { isObject, type JsonObject } from '../../../shared/json.ts';
import { type OauthClient, patchClient, readClient } from '../../api/oauth-clients.ts';
import type { PatchOperation } from '../../api/request.ts';
import { keysOf } from '../../lib/json.ts';
import { applied, type MemberChange, memberChanges } from '../../record/edit-conflict.tsx';
import { sameJson } from '../../record/json-editor.tsx';
import { type Problems, problemsOfChanges, type RecordFormKind, useRecordForm } from '../../record/record-form.tsx';
import { changesAsStored, isHeldExactly, takeBack } from '../../record/undo.ts';
import { offerUndo, toast } from '../../ui/toasts.tsx';
import { type ClientDraft, documentOf, emptyMember, keepableDraft, membersIn, sameDraft } from './client-draft.ts';
import { kindOfField } from './client-fields.ts';
import { goSeconds } from './client-members.ts';
import { identityProblems, originsOf, problemsIn, problemsOf } from './client-problems.ts';
import { CLIENTS } from './client-resource.ts';
import { setSecretPatch } from './client-secret.tsx';

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

/** Somebody else changed the client after the form had read it. */
export interface ClientConflict {
  now: OauthClient;
  mine: readonly MemberChange[];
  theirs: readonly MemberChange[];
}

/**
 * Writes the members in which `wanted` differs from `base`, unless somebody else changed the client since `base`. The
 * OAuth server has neither conditional writes nor the patch operation `test`, so it is read again right before the
 * write.
 * @param secret set in the same write
 * @throws RequestError from the read or the write
 */
export async function saveClient(
  id: string,
  { base, wanted, secret }: { base: JsonObject; wanted: JsonObject; secret: string | undefined },
): Promise<{ saved: OauthClient } | { conflict: ClientConflict }> {
  const now = await readClient(id);
  const theirs = memberChanges(base, documentOf(now));
  const mine = memberChanges(base, wanted);
  if (theirs.length > 0) return { conflict: { now, mine, theirs } };
  const patch = patchOf(mine, now, wanted);
  if (secret !== undefined) patch.push(...setSecretPatch(secret));
  return { saved: await patchClient(id, patch) };
}

/**
 * Replaces each changed member as a whole, so that the patch always applies. The client has just been read, so nothing
 * is lost.
 */
export function patchOf(changes: readonly MemberChange[], now: JsonObject, wanted: JsonObject): PatchOperation[] {
  const names = [...new Set(changes.map(({ path }) => keysOf(path)[0] ?? ''))];
  return names.map((name) => {
    const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const value = wanted[name] ?? emptyMember(name);
    if (value === undefined) return { op: 'remove', path };
    return { op: Object.hasOwn(now, name) ? 'replace' : 'add', path, value };
  });
}

/**
 * Names of changed members that the OAuth server stored differently; a duration in another notation counts as the
 * same.
 */
export function untakenMembers(base: JsonObject, wanted: JsonObject, saved: OauthClient): string[] {
  const stored = documentOf(saved);
  const names = [...new Set(memberChanges(base, wanted).map(({ path }) => keysOf(path)[0] ?? ''))];
  return names.filter((name) => !sameMember(name, wanted[name], stored[name]));
}

const sameMember = (name: string, a: unknown, b: unknown): boolean =>
  sameJson(a, b) ||
  (kindOfField(name) === 'duration' && typeof a === 'string' && typeof b === 'string' && goSeconds(a) === goSeconds(b));

/**
 * Says that an edit is saved, and offers to undo it.
 * @param edit.mine the members that were written
 */
export function offerUndoOfEdit(
  said: string,
  edit: { saved: OauthClient; mine: readonly MemberChange[]; refresh: () => Promise<unknown> },
): void {
  const { saved, refresh } = edit;
  const changes = changesAsStored(edit.mine, documentOf(saved));
  if (changes.length === 0 || !changes.every(({ before }) => isHeldExactly(before))) {
    toast(said);
    return;
  }
  const change = {
    what: CLIENTS.one,
    saved,
    changes,
    documentOf,
    read: () => readClient(saved.client_id),
    write: (now: OauthClient, back: readonly MemberChange[]) =>
      patchClient(saved.client_id, patchOf(back, now, applied(documentOf(now), back))),
  };
  offerUndo(said, () => takeBack(change).finally(refresh));
}
