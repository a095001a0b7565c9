import { membersOf, text } from '../../../shared/json.ts';
import type { NamedSubject, SubjectName } from '../../../shared/security.ts';
import type { AuditSearch } from '../../audit/audit-search.ts';
import type { AdminClient } from '../../upstream/admin-client.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { operatorNames } from './operator-names.ts';
import { rememberedNames } from './remembered-names.ts';

/**
 * The names of people and clients in the order of the subjects: only of those that a record is about, since records hold
 * none. Null if there is none, or its server is missing or unavailable. Never rejects because of a server.
 */
export type SubjectNaming = (subjects: readonly NamedSubject[]) => Promise<SubjectName[]>;

const WITHIN_MS = 4_000;
/** Hydra has no question for several ids. */
const AT_ONCE = 8;
const MAX_CHARACTERS = 255;

/**
 * @param options.store the people whom records are about
 * @param options.elapsed milliseconds on a monotonic clock
 */
export function subjectNames(options: {
  search: Pick<AuditSearch, 'page'>;
  store: IdentityStore;
  oauthAdmin: AdminClient;
  elapsed: () => number;
}): SubjectNaming {
  const { search, store, oauthAdmin, elapsed } = options;
  const people = operatorNames(store, elapsed);
  const clients = rememberedNames((ids) => readClientNames(oauthAdmin, ids, elapsed), elapsed);

  const isRecorded = async (subject: NamedSubject): Promise<boolean> =>
    (await search.page({ subject }, 1)).records.length > 0;

  async function named(kind: string, subjects: readonly NamedSubject[]): Promise<[NamedSubject, string | null][]> {
    const those = subjects.filter((subject) => subject.startsWith(kind));
    const ids = those.map((subject) => subject.slice(kind.length));
    if (ids.length === 0) return [];
    const names =
      kind === 'client:'
        ? await clients(ids)
        : (await people.names(ids)).map(({ name, email }) => name ?? email ?? undefined);
    return those.map((subject, index) => [subject, names[index] ?? null]);
  }

  return async (subjects) => {
    const distinct = [...new Set(subjects)];
    const are = await Promise.all(distinct.map(isRecorded));
    const recorded = distinct.filter((_, index) => are[index]);
    const names = new Map((await Promise.all([named('identity:', recorded), named('client:', recorded)])).flat());
    return subjects.map((subject) => ({ subject, name: names.get(subject) ?? null }));
  };
}

/** @throws UpstreamFailure if none could be read */
async function readClientNames(
  oauthAdmin: AdminClient,
  ids: readonly string[],
  elapsed: () => number,
): Promise<Map<string, string>> {
  const deadline = elapsed() + WITHIN_MS;
  const found = new Map<string, string>();
  // No URL can end with such a segment.
  const waiting = ids.filter((id) => id !== '.' && id !== '..')[Symbol.iterator]();
  let failure: unknown;
  const work = async (): Promise<void> => {
    for (const id of waiting) {
      const left = Math.floor(deadline - elapsed());
      if (left <= 0) return;
      const path = `/admin/clients/${encodeURIComponent(id)}`;
      const client = await oauthAdmin.get(path, {}, { timeoutMs: left }).catch((error) => {
        failure = error;
      });
      const { client_id, client_name } = membersOf(client?.body);
      const name = text(client_name).trim();
      if (client_id === id && name !== '' && name.length <= MAX_CHARACTERS) found.set(id, name);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (found.size === 0 && failure !== undefined) throw failure;
  return found;
}
