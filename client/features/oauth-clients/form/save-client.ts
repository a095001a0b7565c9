import type { JsonObject } from '../../../../shared/json.ts';
import { type OauthClient, patchClient, readClient } from '../../../api/oauth-client-record.ts';
import type { PatchOperation } from '../../../api/upstream-api.ts';
import { keysOf } from '../../../lib/json-pointer.ts';
import { sameJson } from '../../../resource/form/json-value.ts';
import { type MemberChange, memberChanges } from '../../../resource/form/member-changes.ts';
import { kindOfField } from '../client-fields.ts';
import { goSeconds } from '../go-duration.ts';
import { setSecretPatch } from '../secret-patch.ts';
import { documentOf, emptyMember } from './client-document.ts';

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
