import type { IdentitySearchIds } from '../../../../shared/identities.ts';
import { IDS_AT_ONCE, readStoredByIds } from '../../../api/identity-batches.ts';
import { idsThatMatch } from '../../../api/identity-matches.ts';
import { parseExactJson } from '../../../lib/exact-json.ts';
import type { ReadPage } from '../../../resource/export/export-run.ts';
import { fixedQuestion, missingFrom } from '../fixed-question.ts';
import type { IdentitiesSearch } from '../identity-question.ts';
import type { StoredIdentity } from '../transfer/portable-identity.ts';

/**
 * The pages of all who match a search when the first page is read; who has changed since and no longer fits is left
 * out, as far as the record says so: sessions are not read again.
 */
export function pagesThatMatch(search: IdentitiesSearch): ReadPage<StoredIdentity> {
  const question = fixedQuestion(search, Date.now());
  let found: Promise<IdentitySearchIds> | undefined;
  return async (token, signal) => {
    found ??= idsThatMatch(question.params, signal).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    const { ids, index } = await found;
    return { ...(await pageOf(ids, question.fits, token, signal)), missing: missingFrom(index) };
  };
}

/** The pages of these identities. */
export const pagesOf =
  (ids: readonly string[]): ReadPage<StoredIdentity> =>
  (token, signal) =>
    pageOf(ids, () => true, token, signal);

/** @param token the number of ids before the page */
async function pageOf(
  ids: readonly string[],
  fits: (identity: unknown) => boolean,
  token: string | undefined,
  signal: AbortSignal,
): ReturnType<ReadPage<StoredIdentity>> {
  const start = Number(token ?? 0);
  const asked = ids.slice(start, start + IDS_AT_ONCE);
  const rows = (await readStoredByIds(asked, parseExactJson, signal)).filter(fits);
  const end = start + asked.length;
  return { rows, leftOut: asked.length - rows.length, next: end < ids.length ? String(end) : undefined };
}
