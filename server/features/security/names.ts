import type { Router } from 'express';
import { identifierOf, type MarksBySchema, marksFor, nameOf } from '../../../shared/identity-name.ts';
import { isUuid, membersOf, text } from '../../../shared/json.ts';
import {
  type NamedSubject,
  OPERATORS_MAX,
  type OperatorName,
  SUBJECT_NAMES_MAX,
  type SubjectName,
  type SubjectNames,
} from '../../../shared/security.ts';
import { cachedByKey, mapConcurrently } from '../../caches.ts';
import type { Context } from '../../context.ts';
import { badRequest } from '../../http/errors.ts';
import { readRoutes } from '../../http/response.ts';
import type { ClaimsOperator, ClaimsOperators } from '../../session/claims-operators.ts';
import type { AdminClient } from '../../upstream/admin-client.ts';
import { UpstreamFailure } from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';

/** The time limit for all requests for the names in one response. */
const WITHIN_MS = 4_000;
/** Kratos' maximum page size, which also limits a query by ids. */
const PAGE_SIZE = 500;
/** Enough for a page of that size with large traits. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_CHARACTERS = 255;

/**
 * Names of identities, read from the store when they are displayed: no audit record contains a name.
 * @param store undefined if none is configured
 * @param byClaims operators who have no identity, and whether they are all that there are
 */
export function identityNames(
  store: IdentityStore | undefined,
  monotonic: () => number,
  byClaims?: Pick<ClaimsOperators, 'find' | 'latest'> & { areAll: boolean },
) {
  const cached = store && cachedNames((ids) => readNames(store, ids, monotonic), monotonic);
  return {
    /** For at most 100 ids in lower case, in their order. A name is missing if the store lacks it or fails. */
    async names(ids: readonly string[]): Promise<OperatorName[]> {
      const identities = ids.filter(isUuid);
      const names = await cached?.(identities);
      return mapConcurrently(ids, async (identity_id) => {
        const operator = isUuid(identity_id) ? undefined : await byClaims?.find(identity_id);
        const name = names?.[identities.indexOf(identity_id)] ?? (operator && claimedName(operator));
        return name ?? { identity_id, name: null, email: null };
      });
    },
    /**
     * The operators by claims with this address, and the identities whose identifier matches exactly, as the store
     * compares identifiers.
     * @throws UpstreamFailure also if there is neither
     */
    async find(identifier: string): Promise<OperatorName[]> {
      const address = identifier.trim().toLowerCase();
      const recent = (await byClaims?.latest(OPERATORS_MAX)) ?? [];
      const claimed = recent.filter(({ email }) => email.toLowerCase() === address).map(claimedName);
      if (byClaims?.areAll) return claimed;
      if (store === undefined) throw new UpstreamFailure('not_configured');
      const query = { credentials_identifier: identifier, page_size: PAGE_SIZE };
      const { items } = await store.list('/admin/identities', query, { maxBytes: MAX_BYTES });
      const marks = await store.marks();
      return [...claimed, ...items.map((identity) => nameIn(identity, marks))];
    },
  };
}
const claimedName = ({ id, name, email }: ClaimsOperator): OperatorName => ({ identity_id: id, name, email });

export type IdentityNames = ReturnType<typeof identityNames>;

/**
 * The names of the identities that exist among these ids (in lower case): in one request, or one by one if the store
 * cannot list by id.
 * @throws UpstreamFailure
 */
async function readNames(
  store: IdentityStore,
  ids: readonly string[],
  monotonic: () => number,
): Promise<Map<string, OperatorName>> {
  const deadline = monotonic() + WITHIN_MS;
  const limits = () => ({ maxBytes: MAX_BYTES, timeoutMs: Math.max(1, Math.floor(deadline - monotonic())) });
  const listed = await store.list('/admin/identities', { ids, page_size: PAGE_SIZE }, limits()).catch((error) => {
    if (error instanceof UpstreamFailure && error.response?.status === 400) return undefined;
    throw error;
  });
  const marks = await store.marks();
  let names = listed?.items.map((identity) => nameIn(identity, marks));
  // Older releases of Kratos ignore the ids and list arbitrary identities.
  if (!names?.every(({ identity_id }) => ids.includes(identity_id))) {
    const found = await mapConcurrently(ids, (id) => store.identity(id, [], limits()));
    names = found.flatMap((identity) =>
      identity === undefined ? [] : nameIn({ ...identity, schema_id: identity.schemaId }, marks),
    );
  }
  return new Map(names.map((name) => [name.identity_id, name]));
}

/** Traits are written by their owner: only what looks like an email address is used as one. */
function nameIn(identity: unknown, marksBySchema: MarksBySchema): OperatorName {
  const { id, schema_id, traits: given } = membersOf(identity);
  if (typeof id !== 'string') throw new UpstreamFailure('nonsense');
  const traits = membersOf(given);
  const marks = marksFor(marksBySchema, schema_id);
  const { email } = traits;
  const address = [email, identifierOf(traits, marks)].find(isAddress) ?? null;
  return {
    identity_id: id.toLowerCase(),
    name: short(nameOf(traits, marks) ?? (address === null ? identifierOf(traits, marks) : undefined)),
    email: short(address ?? undefined),
  };
}

const isAddress = (text: unknown): text is string => typeof text === 'string' && /^[^\s@]+@[^\s@]+$/.test(text);

const short = (text: string | undefined): string | null =>
  text === undefined || text.length > MAX_CHARACTERS ? null : text;

const CACHE_MS = 60_000;
const CACHED_MAX = 1_000;

/**
 * Caches names by id for a minute, including missing ones, and reads each id once for all concurrent callers. Failed
 * reads are not cached.
 * @param read the names that exist among these ids
 * @returns a function that returns a name for each id; undefined if there is none or reading failed
 */
function cachedNames<Name>(
  read: (ids: readonly string[]) => Promise<Map<string, Name>>,
  monotonic: () => number,
): (ids: readonly string[]) => Promise<(Name | undefined)[]> {
  const cache = cachedByKey<Name | undefined>({ max: CACHED_MAX, ms: CACHE_MS, monotonic });
  return (ids) => {
    const missing: string[] = [];
    let request: Promise<Map<string, Name>> | undefined;
    async function load(id: string): Promise<Name | undefined> {
      missing.push(id);
      // By the next turn, all missing ids are known, and one request reads them.
      await Promise.resolve();
      request ??= read(missing);
      return (await request).get(id);
    }
    return Promise.all(ids.map((id) => cache.get(id, () => load(id)).catch(() => undefined)));
  };
}

/**
 * The names of identities and clients in the order of the subjects, but only of those that an audit record or an entry
 * of the sign-in log is about. Null if a subject has no name, or its server is not configured or not available. Never rejects because of a server.
 */
function subjectNames({ auditSearch, database, identities, oauthAdmin, clock: { monotonic } }: Context) {
  const readEntry = {
    identity: database.statement('select 1 from sign_in_events where identity = ? limit 1'),
    client: database.statement('select 1 from sign_in_events where client = ? limit 1'),
  };
  const ofIdentities = identityNames(identities, monotonic);
  const clients = cachedNames((ids) => readClientNames(oauthAdmin, ids, monotonic), monotonic);

  async function isRecorded(subject: NamedSubject): Promise<boolean> {
    if ((await auditSearch.page({ subject }, 1)).records.length > 0) return true;
    const [kind, ...id] = subject.split(':');
    return (await readEntry[kind as keyof typeof readEntry].get(id.join(':'))) !== undefined;
  }

  async function named(kind: string, subjects: readonly NamedSubject[]): Promise<[NamedSubject, string | null][]> {
    const ofKind = subjects.filter((subject) => subject.startsWith(kind));
    const ids = ofKind.map((subject) => subject.slice(kind.length));
    if (ids.length === 0) return [];
    const names =
      kind === 'client:'
        ? await clients(ids)
        : (await ofIdentities.names(ids)).map(({ name, email }) => name ?? email ?? undefined);
    return ofKind.map((subject, index) => [subject, names[index] ?? null]);
  }

  return async (subjects: readonly NamedSubject[]): Promise<SubjectName[]> => {
    const distinct = [...new Set(subjects)];
    const isNamed = await Promise.all(distinct.map(isRecorded));
    const recorded = distinct.filter((_, index) => isNamed[index]);
    const names = new Map((await Promise.all([named('identity:', recorded), named('client:', recorded)])).flat());
    return subjects.map((subject) => ({ subject, name: names.get(subject) ?? null }));
  };
}

/** Sends one request for each client, since Hydra cannot list by ids. @throws UpstreamFailure if none could be read */
async function readClientNames(
  oauthAdmin: AdminClient,
  ids: readonly string[],
  monotonic: () => number,
): Promise<Map<string, string>> {
  const deadline = monotonic() + WITHIN_MS;
  const found = new Map<string, string>();
  let failure: unknown;
  // No URL can end with such a segment.
  const readable = ids.filter((id) => id !== '.' && id !== '..');
  await mapConcurrently(readable, async (id) => {
    const timeoutMs = Math.floor(deadline - monotonic());
    if (timeoutMs <= 0) return;
    const client = await oauthAdmin
      .get(`/admin/clients/${encodeURIComponent(id)}`, {}, { timeoutMs })
      .catch((error) => {
        failure = error;
      });
    const { client_id, client_name } = membersOf(client?.body);
    const name = text(client_name).trim();
    if (client_id === id && name !== '' && name.length <= MAX_CHARACTERS) found.set(id, name);
  });
  if (found.size === 0 && failure !== undefined) throw failure;
  return found;
}

/** `GET /api/security/subject-names`: the names of the identities and clients that audit records are about. */
export function subjectNamesRouter(context: Context): Router {
  const names = subjectNames(context);
  return readRoutes({
    '/': async (req, res) =>
      void res.json({ names: await names(parseSubjects(req.query['subject'])) } satisfies SubjectNames),
  });
}

/** The width of the column, which no client's id can exceed. */
const CLIENT_MAX_BYTES = 1040;

/** @throws 400 `bad_request` that names the parameter */
function parseSubjects(parameter: unknown): NamedSubject[] {
  const subjects: unknown[] = parameter === undefined ? [] : [parameter].flat();
  if (subjects.length === 0 || subjects.length > SUBJECT_NAMES_MAX)
    throw badRequest('subject', `must be given 1 to ${SUBJECT_NAMES_MAX} times`);
  return subjects.map((subject): NamedSubject => {
    const [, kind, id = ''] = typeof subject === 'string' ? (/^(identity|client):(.+)$/su.exec(subject) ?? []) : [];
    if (kind === 'identity' && isUuid(id)) return `identity:${id.toLowerCase()}`;
    if (kind === 'client' && isClientId(id)) return `client:${id}`;
    throw badRequest('subject', 'must be `identity:` and a UUID, or `client:` and an id');
  });
}

const isClientId = (id: string): boolean =>
  Buffer.byteLength(id) <= CLIENT_MAX_BYTES && !/\p{Cc}|\p{Surrogate}/u.test(id);
